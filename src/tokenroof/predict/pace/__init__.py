"""Seconds of a step at every depth, and of a prompt on top of one, whatever they rest on."""
