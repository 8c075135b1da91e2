"""The runs that a page asked for <-> an archive that plays the page on a machine without any JDK."""
