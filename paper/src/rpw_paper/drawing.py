"""What all figures share: one colour and one marker for each distance, and legends that explain every mark."""

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes

COLOURS = ("#0072b2", "#56b4e9", "#777777", "#d55e00", "#e69f00", "#009e73", "#cc79a7")
MARKERS = "osX^vDP"
GUIDE = "0.4"  # the grey of lines to compare with
_STYLE_OF = dict(
    zip(
        ("W1", "W2", "TV", "RPW(2,1)", "RPW(2,0.1)", "ROBOT", "RPW(2,10)"),
        zip(COLOURS, MARKERS, strict=True),
        strict=True,
    )
)
_STYLE_OF["W3"] = (COLOURS[6], MARKERS[6])  # never in one figure with RPW(2,10)


def style_of(name: str) -> tuple[str, str]:
    """The colour and the marker of a distance; λ-ROBOT has the same for every λ."""
    return _STYLE_OF["ROBOT" if name.startswith("ROBOT") else name]


def legend(ax: Axes, *marks: Any, **options: Any) -> None:
    """The legend of the lines that have labels, and of further marks, each an artist with a label."""
    handles, _ = ax.get_legend_handles_labels()
    given: dict[str, Any] = {"fontsize": 8, "framealpha": 0.85, "edgecolor": "none", **options}
    ax.legend(handles=[*handles, *marks], **given)


def finish(ax: Axes, title: str, xlabel: str, ylabel: str, spines: Sequence[str] = ("top", "right")) -> None:
    """Title and labels as plain text for the title (a folder may have any name), a light grid, two spines."""
    ax.set_title(title, fontsize=10.5, parse_math=False)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.grid(alpha=0.25)
    ax.spines[list(spines)].set_visible(False)
