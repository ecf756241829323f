"""What every room uses and what uses none: checks of arguments, types for checkers, deadlines, memory, HTML."""
