"""What each student of a class predicted and measured -> files without a name in one folder -> tables of the class."""
