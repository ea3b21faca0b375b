"""Predictions from published figures: physics, coefficients, and what devices have in common."""
