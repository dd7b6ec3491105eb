"""What users call: words in, nouns inside, a release out."""
