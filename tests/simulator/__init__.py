"""Servers over real sockets, with scripted answers and faults."""
