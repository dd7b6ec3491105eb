"""Smoothing after the noise: one role, one posterior a file.  Nothing here can see a record."""
