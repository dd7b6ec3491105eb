"""The command line: one command a job, one flag a parameter, of the same name."""
