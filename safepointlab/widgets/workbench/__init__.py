"""A program and what the reader chose for it -> its runs, one after the other, and what each change made different.

bench      what is chosen -> the requests it stands for; the session: runs them on a thread, stops them, keeps them
compare    two attempts -> what was changed, and what became different
hints      what the page offers while the reader types: samples, a program's arguments, jars and methods, flags
tabs       an attempt -> the HTML of each tab
view       all of it in a page: an anywidget, whose script is view.js
page       a Java file -> a notebook with the workbench alone, which `safepoint workbench` opens

All but the last two need neither widget nor browser, and are tested without.
"""
