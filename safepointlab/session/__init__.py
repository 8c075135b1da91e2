"""How much to run, how far along it is, on which machine and when; what the reader chose and answered."""
