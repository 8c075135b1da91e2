"""Any Java command line -> the threads that delay its safepoints, and the lines that they are in.

words      the command line as typed -> its JDK, its flags, and where ours go
witness    a JDK -> the flags that make each of its witnesses write a file
command    runs the command; `foreground` leaves it stdin, stdout and Ctrl-C, `watch` observes it, by `agent`
running    a process id -> the JVM behind it; `attach` switches its witnesses on and off, `counters` reads 8's stops
evidence   the files of all witnesses -> stops, late threads, stacks on one clock
culprits   which thread was late, in which line, in which version of its code (`compiled`) and in which loop (`loops`)
cures      why such code is late for a safepoint, and which flags help
report     the answer as an object; `text` is the answer to read
"""
