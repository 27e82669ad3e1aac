"""Figures over many sessions: rates with intervals, times, and comparisons of two corpora."""
