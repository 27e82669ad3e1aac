"""sessionlens: judges the log of a coding agent's session, with evidence for every statement."""

__version__ = "0.1.0"
