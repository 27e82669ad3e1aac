"""sessionlens.cli."""
