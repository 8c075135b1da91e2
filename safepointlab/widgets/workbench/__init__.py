"""A program and what the reader chose for it -> its runs, one after the other, and what each change made different.

choice      what is chosen -> the requests it stands for, and the same as a line of code
attempt     a choice on one JDK -> its run, or one sentence on why there is none
bench       the session: runs choices on a thread, one JVM at a time; stops them; keeps the history
compare     two attempts -> what was changed, and what became different
programs    the samples, and a Java file of one's own: its template, its arguments, its jars, its methods
flag_help   a half-typed line of flags -> whole lines; a line of flags -> one line about each on this JDK
tabs        an attempt -> the HTML of each tab
view        all of it in a page: an anywidget, whose script is view.js
page        a Java file -> a notebook with the workbench alone, which `safepoint workbench` opens

All but the last two need neither widget nor browser, and are tested without.
"""
