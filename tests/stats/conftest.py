"""The corpora of the tests of data sets serve for figures too."""

from tests.curate.conftest import logs, put  # noqa: F401
