// What goes from one group of atoms to another, split between their atoms, one after the other. Groups are the cells of
// a tree, or the atoms at one place (docs/proofs/points.md, "Coarse to fine" and "Equal points").
#pragma once

#include <algorithm>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/masses.hpp"
#include "base/tuning.hpp"

namespace rpw {

// The atoms of each group, and what they have still to give: masses, which are exact, or shares of all mass. An atom
// stays the next one of its group until more is asked for, so that all that a group gives meets in some atom.
template <class Number>
class Groups {
public:
    // label(x) is the group of an atom; within a group atoms keep their order.
    template <class Label>
    Groups(std::vector<Number> rest, Node groups, const Label& label)
        : rest_(std::move(rest)), order_(rest_.size()), rounding_(groups, 0), end_(groups, 0) {
        const auto atoms = static_cast<Node>(rest_.size());
        for (Node x = 0; x < atoms; ++x) {
            ++end_[label(x)];
            if constexpr (std::is_floating_point_v<Number>) {
                rounding_[label(x)] += tuning::rounding_of_shares * rest_[x];
            }
        }
        for (Node group = 1; group < groups; ++group) end_[group] += end_[group - 1];
        next_ = end_;
        for (Node x = atoms; x-- > 0;) order_[--next_[label(x)]] = x;
    }

    Node at(Node group) const { return order_[next_[group]]; }
    Number rest(Node atom) const { return rest_[atom]; }
    // Of so much, what the next atom has. What is left over or missing by rounding makes no part of its own.
    Number part(Node group, Number wanted) const {
        const Number rest = rest_[at(group)], rounding = rounding_[group];
        return rest <= rounding ? 0 : wanted <= rest + rounding ? wanted : rest;
    }
    void take(Node group, Number part) { rest_[at(group)] -= part; }
    // False if the next atom was the last.
    bool go_on(Node group) {
        if (next_[group] + 1 == end_[group]) return false;
        ++next_[group];
        return true;
    }

private:
    std::vector<Number> rest_;  // of each atom
    std::vector<Node> order_;   // the atoms of one group after those of the other
    std::vector<Number> rounding_;
    std::vector<Node> next_, end_;
};

// Calls visit(atom of the row, atom of the column, part). What flows between groups makes a tree of its atoms; parts of
// 0 keep that together. What the atoms do not have, by rounding, is left out.
template <class Number, class Visit>
void split(Groups<Number>& rows, Node row, Groups<Number>& columns, Node column, Number flow, const Visit& visit) {
    for (bool goes_on = true; goes_on;) {
        const Number from_row = rows.part(row, flow), part = std::min(from_row, columns.part(column, flow));
        visit(rows.at(row), columns.at(column), part);
        rows.take(row, part);
        columns.take(column, part);
        if (part == flow) return;
        flow -= part;
        goes_on = from_row == part ? rows.go_on(row) : columns.go_on(column);
    }
}

inline std::vector<double> shares_of(std::span<const Mass> masses, Mass total) {
    std::vector<double> shares(masses.size());
    std::transform(masses.begin(), masses.end(), shares.begin(), [&](Mass mass) { return share_of(mass, total); });
    return shares;
}

}  // namespace rpw
