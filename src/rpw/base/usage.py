"""Mistakes that have nothing to do with the data."""

__all__ = ["UsageError"]


class UsageError(ValueError):
    """What was asked for makes no sense, whatever the files hold: the command line ends with code 2, and not with 1."""
