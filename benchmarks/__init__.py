"""Measurements against peers and floors, in one run: `make bench`."""
