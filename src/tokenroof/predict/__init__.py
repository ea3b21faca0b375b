"""Ceilings and estimates: what a model could do on a device, before it is measured."""
