"""Integers in, integers out: exact noise from the operating system's bits, and a float stand-in for studies.

`bits`, `bernoulli`, `geometric`, `laplace` and `cube` hold no float that decides anything and accept no seed.
`simulate` draws the same laws with a numpy Generator, for utility studies alone.
"""
