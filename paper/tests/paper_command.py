"""``rpw-paper``, run as users run it: in a process of its own, or in a fork that has the imports behind it."""

from children import forked, run

COMMAND = ("-m", "rpw_paper")


def run_command(*arguments, **options):
    """In a process of its own."""
    return run(*COMMAND, *arguments, **options)


def forked_command(*arguments, **options):
    """The same, without the time for the library's imports."""
    return forked(*COMMAND, *arguments, **options)
