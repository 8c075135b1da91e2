"""Java source -> class files, the jars beside them, and the lines to show."""
