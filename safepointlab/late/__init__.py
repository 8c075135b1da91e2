"""Any Java command line -> which thread holds its safepoints up, and in which line.

words      the command line as typed -> its JDK, its flags, and where ours go
witness    what each JDK can be asked to tell -> flags and files
command    runs it; `foreground` leaves it stdin, stdout and Ctrl-C, `watch` looks on from outside with `agent`
evidence   all that was told -> stops, late threads, stacks on one clock
culprits   which thread was late, in which line, in which version of its code (`compiled`) and which `loops`
cures      why such code comes late, and which flags help
report     the answer as an object; `text` is the answer to read
"""
