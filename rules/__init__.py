"""The shipped rules, one a file. Found by sessionlens.loader."""
