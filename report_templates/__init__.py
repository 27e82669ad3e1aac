"""The page and its parts. Found as package resources by sessionlens.report."""
