"""Notebook 03, the lesson `compilers`: javac tests a loop at its top, Eclipse's compiler at its bottom.

So OSR enters one source's loop at different places, and C2 leaves a poll in one of the two versions only. With Serial,
Eclipse's class then hangs where javac's exits; the post's own program is late today if `main` returns early.
"""
