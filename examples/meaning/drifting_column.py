"""
Which column has drifted?
=========================

There are two tables, of last month and of this month. Has anything changed, in which column, and by how much?
"""

# %%
# The tables are synthetic. Customers became 5 years older on average, and 3 % of the prices of this month were
# typed without the decimal point. Nothing else has changed.

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import rpw

rng = np.random.default_rng(0)


def month(rows, age):
    return {
        "age": rng.normal(age, 12, rows),
        "income": np.exp(rng.normal(3.2, 0.4, rows)),
        "price": rng.gamma(4, 5, rows),
        "visits": rng.poisson(3, rows).astype(float),
        "city": rng.choice(["Graz", "Linz", "Wien"], rows),
    }


last, this = month(400, age=41), month(400, age=46)
this["price"][:12] *= 100

# %%
# :func:`rpw.stats.drift` tests each column, and all numbers together (here on 200 rows of each table). You need no
# threshold: if nothing has changed, the chance that any column is called drifted is at most 5 %.

found = rpw.stats.drift(last, this, rng=0, most_joint_rows=200)
found

# %%
# Each distance must be compared with what chance gives for its own column. Each column has its own k and unit of
# length, so distances of different columns cannot be compared. The picture divides each distance by the upper end of
# its chance range.

rows = [row for row in found.rows if row.is_test and row.part == "values"]
figure, ax = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
for place, row in enumerate(rows):
    colour, marker = ("#D55E00", "D") if row.is_drifted else ("#0072B2", "o")
    ax.plot(
        [row.floor_low / row.floor_high, 1],
        [place, place],
        color="0.75",
        lw=8,
        solid_capstyle="butt",
    )
    ax.plot(row.distance / row.floor_high, place, marker, color=colour)
ax.set_yticks(
    range(len(rows)), [f"{row.column} (p = {row.adjusted:.2g})" for row in rows]
)
ax.margins(y=0.15)
ax.invert_yaxis()
ax.set(xlabel="distance / upper end of the chance range (no unit)", xlim=(0, None))
ax.set_title(
    "Grey: what chance gives. Diamond: drifted. Dot: not. p: adjusted.", fontsize=10
)
plt.show()

# %%
# **By how much?** A plan between all rows says how far the mass moves along each column. Columns must be on one
# scale, so each number is divided by the width of the middle half of its column, over both tables.
#
# :func:`rpw.transport` moves everything, so its mean move is the difference of the means, typing errors included. The
# plan of :func:`rpw.solve` leaves the farthest rows behind. Its moves are shorter than the shift: the age moves by
# about half as much.

names = ["age", "income", "price", "visits"]
x, y = (np.column_stack([table[name] for name in names]) for table in (last, this))
low, high = np.percentile(np.concatenate([x, y]), [25, 75], axis=0)
width = high - low
x, y = x / width, y / width
everything = rpw.transport(x, y).displacement
most = rpw.solve(x, y, k=1, diameter=rpw.diameter(x, y, quantile=0.9)).displacement
print("mean move, in the units of the column:")
for column, name in enumerate(names):
    print(f"{name:<8} all rows {everything.mean[column] * width[column]:+7.2f}", end="")
    print(
        f"   without what RPW leaves behind {most.mean[column] * width[column]:+6.2f}"
    )

# %%
ax = most.plot()
ax.set_yticks(range(len(names)), names)
ax.set_xlabel("move, in widths of the middle half of the column")
ax.set_title("Moves in the plan of RPW; text: share of the cost", fontsize=10)
plt.show()

# %%
# The age has moved as a whole. The price has moved only if all rows are counted: a few rows have moved far. RPW of
# that column alone leaves these rows behind. Ordinary rows may stay behind too.

delta = rpw.diameter(last["price"], this["price"], quantile=0.9)
result = rpw.solve(last["price"], this["price"], diameter=delta)
behind = np.flatnonzero(result.outliers_b)
print(f"{len(behind)} rows of this month are left behind: {behind.tolist()}")
print(f"Their prices: {np.round(this['price'][behind]).astype(int).tolist()}")
print(f"{np.isin(np.arange(12), behind).sum()} of the 12 typing errors are among them.")

# %%
# The same result can be saved as one page of HTML, with a picture of each column. On the command line, ``rpw drift
# last.csv this.csv --out drift.html`` writes the same page.

with tempfile.TemporaryDirectory() as folder:
    page = Path(folder) / "drift.html"
    found.save_page(page)
    print(
        f"{page.name}: {page.stat().st_size / 1000:.0f} kB, and it needs nothing from outside"
    )

# %%
# The rows must be independent. If a customer has several rows, pass ``groups=`` to keep them together.
#
# **Take away:** ``drift`` says which columns have changed, with one error level for the whole table. The plan says
# how they changed: everything by a little, or a few rows by a lot.
