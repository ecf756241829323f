"""The help of every command: one layout for all, with examples, which fits any width of the terminal.

Texts come from where options are declared. A group of options, or of commands, is its ``rich_help_panel``.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterable
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from rpw.cli._layout import folded, terminal_width
from rpw.cli._output import encodable, guarded

__all__ = ["Command", "Group", "add_command", "show_help"]

_NARROW = 72  # from this width on, names and texts stand side by side
_LONGEST_TERM = 26
_GLUE = "~"  # a blank at which no line ends; no text has this sign
_OPTIONS = "Options"  # those without a heading of their own, which come last

Rows = list[tuple[str, str]]


class _WithHelp:
    """What commands and groups share."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """What comes after the name of the command: its arguments, and the options that it needs."""
        params = _shown(self, ctx)
        needed = [_term(each) for each in params if _is_option(each) and each.required]
        more = ["COMMAND ..."] if isinstance(self, TyperGroup) else []
        return ["[OPTIONS]", *(_term(each) for each in params if not _is_option(each)), *needed, *more]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the whole help."""
        formatter.write("\n".join(_lines(self, ctx)) + "\n")


class Command(_WithHelp, TyperCommand):
    """A command with this help."""


class Group(_WithHelp, TyperGroup):
    """A group of commands with this help."""


def add_command(
    app: typer.Typer, name: str, command: Callable[..., None], examples: Iterable[str], group: str | None = None
) -> None:
    """Register a command, with its examples; ``group`` is the heading that it stands under."""
    app.command(name, cls=Command, epilog="\n".join(examples), rich_help_panel=group)(guarded(command))


def show_help(ctx: typer.Context) -> None:
    """For a group that was called without a command: show what there is. As for other wrong usage, the code is 2."""
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())
        raise typer.Exit(2)


def _lines(command: Any, ctx: Any) -> list[str]:
    width = terminal_width()
    usage = " ".join(["Usage:", ctx.command_path, *command.collect_usage_pieces(ctx)])
    lines = textwrap.wrap(usage, width, subsequent_indent=" " * 7, break_on_hyphens=False, break_long_words=False)
    for paragraph in (command.help or "").partition("\f")[0].strip().split("\n\n"):
        lines += ["", *_wrapped(paragraph, width, "  ")]
    params = _shown(command, ctx)
    sections = {"Arguments": [(_term(each), _text(each)) for each in params if not _is_option(each)]}
    sections |= _commands(command, ctx) if isinstance(command, TyperGroup) else {}
    sections |= _options(params)
    for title, rows in sections.items():
        if rows:
            lines += ["", typer.style(f"{title}:", bold=True), *_table(rows, width)]
    if command.epilog:
        lines += ["", typer.style("Examples:", bold=True), *(f"  {line}" for line in command.epilog.split("\n"))]
    return lines


def _shown(command: Any, ctx: Any) -> list[Any]:
    return [each for each in command.get_params(ctx) if not getattr(each, "hidden", False)]


def _commands(group: Any, ctx: Any) -> dict[str, Rows]:
    """The commands under their headings, each with the first sentence about it."""
    sections: dict[str, Rows] = {}
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        if command.hidden:
            continue
        first = " ".join((command.help or "").strip().split("\n\n")[0].split())
        sections.setdefault(getattr(command, "rich_help_panel", None) or "Commands", []).append((name, first))
    return sections


def _options(params: list[Any]) -> dict[str, Rows]:
    """The options under their headings."""
    sections: dict[str, Rows] = {}
    for each in filter(_is_option, params):
        group = getattr(each, "rich_help_panel", None) or _OPTIONS
        sections.setdefault(group, []).append((_term(each), _text(each)))
    return dict(sorted(sections.items(), key=lambda section: section[0] == _OPTIONS))


def _is_option(param: Any) -> bool:
    return bool(param.param_type_name == "option")


def _term(param: Any) -> str:
    """How it is written on the command line."""
    if not _is_option(param):
        name = param.metavar or param.name.upper()
        return f"{name}..." if param.nargs != 1 else name
    names = ", ".join([*param.opts, *param.secondary_opts])
    return names if param.is_flag else f"{names} {param.metavar or 'VALUE'}"


def _text(param: Any) -> str:
    """What it means, and what it is if it is left out."""
    text = " ".join((getattr(param, "help", None) or "").split())
    if not _is_option(param):
        return text
    default, shown = param.default, getattr(param, "show_default", None)
    if param.required:
        return f"{text} [required]"
    if not isinstance(shown, str):
        if not shown or default is None or param.is_flag:
            return text
        shown = f"{default:g}" if isinstance(default, float) else str(default)
    return f"{text} [default:{_GLUE}{shown.replace(' ', _GLUE)}]"


def _table(rows: Rows, width: int) -> list[str]:
    """Names and texts side by side, or below each other if the terminal is narrow, or a name is long."""
    if width < _NARROW:
        return [line for term, text in rows for line in (f"  {term}", *_wrapped(text, width, " " * 6))]
    column = min(max(len(term) for term, _ in rows), _LONGEST_TERM) + 4
    lines = []
    for term, text in rows:
        folded = _wrapped(text, width, " " * column)
        if len(term) + 4 > column:
            lines += [f"  {term}", *folded]
        else:
            lines += [f"  {term}".ljust(column) + folded[0].lstrip() if folded else f"  {term}", *folded[1:]]
    return lines


def _wrapped(text: str, width: int, indent: str) -> list[str]:
    one_line = encodable(" ".join(text.split()), sys.stdout.encoding)
    room = width - len(indent)
    one_line = " ".join(word if len(word) <= room else word.replace(_GLUE, " ") for word in one_line.split(" "))
    return [indent + line.replace(_GLUE, " ") for line in folded(one_line, room)] if one_line else []
