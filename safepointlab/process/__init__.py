"""A command -> a child that has ended, and the folder with all that it wrote."""
