"""``python -m sessionlens``."""

from sessionlens.cli import main

if __name__ == "__main__":
    main()
