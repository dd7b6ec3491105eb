"""Made-up data to try things on.  Nobody's curves."""
