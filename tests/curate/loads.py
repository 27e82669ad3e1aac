"""A module that processes load before they are forked; it tells by whom, and that, it was loaded."""

import os
from pathlib import Path

BY = os.getpid()
Path(os.environ["LOADED"]).write_text(str(BY), "utf-8")
