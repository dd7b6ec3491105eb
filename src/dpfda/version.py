"""The version, in one place; every release file carries it."""

__version__ = "0.1.0"
