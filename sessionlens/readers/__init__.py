"""sessionlens.readers."""
