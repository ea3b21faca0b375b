"""Where the parts of a model go, and whether they fit: what an engine sets aside on each device."""
