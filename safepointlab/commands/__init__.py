"""One sub-command of `safepoint` a file: its words -> what it does; `cli` knows which there are."""
