"""Any Java command line -> the threads that delay its safepoints, the lines that they are in, and what to do.

capture    command       runs a command; `command_line` puts our flags into it, `foreground` leaves it stdin and Ctrl-C
           attach        observes a JVM that runs already, which `running` finds by its process id
           witness       the flags that make each witness write a file; `watch` asks those from outside meanwhile,
                         by `attach_socket`, and by the JVM's own words on how it was `started`
evidence   evidence      the files of all witnesses -> stops, late threads, stacks on one clock
cause      cause         which thread was late, in which line, in which version of its code, in which loop, and why
           loops         the loop around a place, and whether C2 counts it
           slow          what else made it slow: long stops, too few CPUs, our own witnesses, a `hang` of another kind
advice     advice        which flags and which changes of the source help against that cause
           report        the answer as an object and as text; `log_report` makes a page of logs that a user brings
"""
