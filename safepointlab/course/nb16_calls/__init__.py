"""Notebook 16: which ordinary calls stop all threads of a JVM, which stop one, and which stop none.

A call stops all threads if it needs the whole heap, or all the stacks, as they are at one moment. What needs one thread
at a time became a handshake over the years, but the management interface still stops all for the stack of one.
"""
