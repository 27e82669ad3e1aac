"""sessionlens.narrative."""
