"""Notebook 15, the lesson `faster`: what JDK 13's faster safepoints are worth.

Reaching a safepoint takes less on later JDKs than on JDK 11, even on a few cores. But with many more running threads
than cores, a request for a collection takes several times as long: all threads are woken at once, and handshakes wait
for each of them. So compare JDKs by how long a thread of your own waits.
"""
