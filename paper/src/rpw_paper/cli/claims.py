"""``rpw-paper reproduce claims``."""

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from rpw_paper.claims import CLAIMS, OTHER_READING, judge, read_hits, verdict_table
from rpw_paper.cli import options
from rpw_paper.cli.output import counted, print_json, print_lines, print_rows, print_table
from rpw_paper.files import write_csv

_HELP = "A folder that holds folders of rpw-paper reproduce retrieval."
Runs = Annotated[Path, typer.Argument(metavar="DIR", parser=options.path, help=_HELP)]
Out = Annotated[Path | None, options.folder("--out", "Folder for the table.", "DIR")]
PlainQueries = Annotated[
    bool, typer.Option("--plain-queries", help="Judge the runs that were made with --plain-queries.")
]


def claims(runs: Runs, plain_queries: PlainQueries = False, out: Out = None, as_json: options.Json = False) -> None:
    """Which claims of the paper about retrieval hold in finished runs.

    Compares the hits of the runs query by query, with one correction for all claims together. Writes claims.csv, or
    claims-plain.csv with --plain-queries.
    """
    judged = judge(read_hits(runs, plain_queries), OTHER_READING if plain_queries else CLAIMS)
    header, rows = verdict_table(judged)
    table = write_csv((out or runs) / f"claims{'-plain' * plain_queries}.csv", header, rows)
    if as_json:
        print_json({"claims": [dict(zip(header, row, strict=True)) for row in rows], "files": {"claims": table}})
        return
    shown = []
    for each in judged:
        claim, found = each.claim, each.difference
        cells = [f"{found.mean:+.3f}", f"{found.low:+.3f} to {found.high:+.3f}"] if found else ["", ""]
        shown.append([claim.dataset, claim.scenario, claim.text, *cells, each.verdict])
    print_table(["data", "scenario", "claim", "by", "95 % interval", "verdict"], shown)
    verdicts = Counter(each.verdict for each in judged)
    print_lines([f"{counted(len(judged), 'claim')}: {', '.join(f'{n} {name}' for name, n in verdicts.items())}."])
    print_rows([("table", str(table))])
