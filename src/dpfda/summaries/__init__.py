"""What is learned: per-record maps into public sets, integer tallies, and the way back from noisy integers."""
