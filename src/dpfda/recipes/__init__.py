"""The staged defaults: short sequences of looks at the data, each charged, over public rules alone."""
