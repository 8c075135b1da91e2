"""Notebook 14: who stops a program once a second, and what for?

Up to JDK 22 the VM thread wakes up each second, and stops all threads if there is something to tidy up, such as call
sites that changed. Without these stops, monitors pile up until JDK 14; on JDK 23 and later there are no such stops.
"""
