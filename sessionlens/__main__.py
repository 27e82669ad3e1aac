"""``python -m sessionlens``, and what the ``sessionlens`` script runs."""

import gc
import sys

_WITHOUT = ("--no-redact", "--jobs", "--schema", "--help", "-h")
"""Options of ``audit`` with which this process scans nothing, or may not."""


def main() -> None:
    """Run the command line. Ends the process."""
    # What is imported lives as long as the process. The command line says from when on, and how often, to collect.
    gc.disable()
    command, *options = sys.argv[1:] or [""]
    if command == "audit" and not any(one.startswith(_WITHOUT) for one in options):
        from sessionlens import scanners

        # Loading takes longer than all else about a small session, and another core can do it: before all else.
        scanners.warm()
    from sessionlens import cli

    cli.main()


if __name__ == "__main__":
    main()
