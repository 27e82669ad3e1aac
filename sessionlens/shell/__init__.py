"""sessionlens.shell."""
