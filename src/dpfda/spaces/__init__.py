"""Public mathematics: domains, cells and the functions drawn through them.  Nothing here ever sees data."""
