// Where two plans on the line differ (docs/proofs/line.md, "The search").
#pragma once

#include <algorithm>
#include <span>

#include "line/atoms.hpp"

namespace rpw {

// So many atoms of x and of y lie before it.
struct Corner {
    Node rows;
    Node columns;
};

// The places between two entries of a plan at which it falls apart: nobody before is matched with anybody behind.
struct Seam {
    Corner first, last;

    bool is_open() const { return first.rows <= last.rows && first.columns <= last.columns; }
    bool has_atoms() const { return first.rows < last.rows || first.columns < last.columns; }
};

inline Seam seam_before(const LinePair& pair, const LinePlan& plan, std::size_t entry) {
    Seam seam{{0, 0}, {pair.x.size(), pair.y.size()}};
    if (entry > 0) seam.first = {plan[entry - 1].row + 1, plan[entry - 1].column + 1};
    if (entry < plan.size()) seam.last = {plan[entry].row, plan[entry].column};
    return seam;
}

inline Seam in_common(const Seam& a, const Seam& b) {
    return {{std::max(a.first.rows, b.first.rows), std::max(a.first.columns, b.first.columns)},
            {std::min(a.last.rows, b.last.rows), std::min(a.last.columns, b.last.columns)}};
}

inline bool are_equal(std::span<const FlowEntry> p, std::span<const FlowEntry> q) {
    return std::equal(p.begin(), p.end(), q.begin(), q.end(), [](const FlowEntry& a, const FlowEntry& b) {
        return a.row == b.row && a.column == b.column && a.mass == b.mass;
    });
}

// Calls `keep(entries)` where the plans agree and `differ(from, to)` where not, from left to right. A plan at a λ
// between theirs is cut at atoms that both leave behind, and next to parts where they agree; not between two parts
// where both happen to fall apart and differ.
template <class Keep, class Differ>
void compare_plans(const LinePair& pair, const LinePlan& p, const LinePlan& q, const Keep& keep, const Differ& differ) {
    Corner from{0, 0}, to{0, 0};  // of the part that differs
    const auto end_part = [&] {
        if (from.rows < to.rows || from.columns < to.columns) differ(from, to);
    };
    std::size_t from_g = 0, from_h = 0, g = 0, h = 0;
    while (true) {
        const Seam seam = in_common(seam_before(pair, p, g), seam_before(pair, q, h));
        if (seam.is_open()) {
            const auto of_p = std::span(p).subspan(from_g, g - from_g), of_q = std::span(q).subspan(from_h, h - from_h);
            const bool agree = are_equal(of_p, of_q);
            if (!agree) to = seam.first;
            if (agree || seam.has_atoms()) {
                end_part();
                if (agree) keep(of_p);
                from = to = seam.last;
            }
            from_g = g, from_h = h;
        }
        if (g == p.size() && h == q.size()) return end_part();
        const bool is_p_next = h == q.size() || (g < p.size() && p[g].row < q[h].row);
        ++(is_p_next ? g : h);
    }
}

}  // namespace rpw
