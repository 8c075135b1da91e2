"""The name of a demo -> its steps on a speaker's terminal, live or recorded; a notebook -> its deck of slides."""
