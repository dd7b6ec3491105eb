"""What leaves the house: frozen arrays and a guarantee, and all that may be done with them for free."""
