"""What the lab and a class need of a machine, each number once: the doctor checks it, and the message says it."""

LEAST_MEMORY_GIB = 2  # JVMs of 256 MiB, one at a time, beside JupyterLab
MEMORY_GIB_OF_PAGE = {"18": 4}  # a heap of 4 GiB, of which JVMs took up to 1.4
LEAST_DISK_GIB = 2  # recordings grow with every run; the five JDKs alone take about 1
SETUP_GIB = 3  # the Python packages and the JDKs take 2.1
LEAST_CORES = 2  # with one a JVM chooses Serial, and nothing runs beside a hot loop
PORT = 8888  # where JupyterLab answers, unless `make lab PORT=` says another one
LIVE_S = 20  # for all live runs of `safepoint doctor --workshop` together
