"""What is protected and how much: influences, bodies, the lattice they agree on, events and the budget."""
