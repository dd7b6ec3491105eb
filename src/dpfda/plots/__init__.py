"""Drawing: arrays in, axes out.  matplotlib is imported when something is drawn, not before."""
