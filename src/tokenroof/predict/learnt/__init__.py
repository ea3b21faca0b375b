"""Predictions from what a calibration learnt of this machine."""
