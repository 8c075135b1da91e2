"""Java source -> class files, the jars that they need, and excerpts of the source."""
