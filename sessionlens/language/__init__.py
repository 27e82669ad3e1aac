"""sessionlens.language."""
