"""The version of the package, which the wheel and every exchanged file carry."""

__version__ = "0.1.0"
