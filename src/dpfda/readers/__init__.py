"""Files and frames in, a plain table of curves out.  Frame libraries are touched only when one is given."""
