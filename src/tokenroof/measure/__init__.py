"""Measuring: prompts, the quiet machine, the campaign.

What is measured and when it counts is described in docs/method.md.
"""
