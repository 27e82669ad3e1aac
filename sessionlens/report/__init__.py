"""sessionlens.report."""
