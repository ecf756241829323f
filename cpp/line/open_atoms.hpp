// The atoms along the line that have mass left, and which of them can be matched next: neighbours of different kind.
// All walks along a profile on the line take these one after the other, the cheapest first (docs/proofs/line.md, "The
// profile on the line").
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "base/used_up.hpp"
#include "line/atoms.hpp"

namespace rpw {

class OpenAtoms {
public:
    using Index = std::int32_t;  // of an atom in the order of both measures
    static constexpr Index none = -1;

    struct Atom {
        Node rows, columns;   // how many of each lie before it
        Index before, after;  // the neighbours with mass left
        bool is_row;
        // What is unmoved of it, as `Atoms::before` counts it. What has moved are its ends: the first part to its left,
        // the last part to its right.
        Mass from, to;

        Mass left() const { return to - from; }
    };

    // To match two neighbours. Of equals the nearest come first: taken from one end to the other, they would make one
    // block that grows, and is looked at again each time.
    struct Offer {
        double cost;  // at least that much, until it is measured
        Index atom, other;
        bool is_measured;

        Index width() const { return other - atom; }
        bool operator<(const Offer& than) const {
            if (cost != than.cost) return cost > than.cost;
            return width() != than.width() ? width() > than.width() : atom > than.atom;
        }
    };

    explicit OpenAtoms(const LinePair& pair) : pair_(pair), used_up_({pair.x.masses(), pair.y.masses()}) {
        const Atoms &x = pair.x, &y = pair.y;
        atoms_.reserve(pair.atoms());
        for (Node i = 0, j = 0; i < x.size() || j < y.size();) {
            const bool is_row = j == y.size() || (i < x.size() && is_row_next(x.at[i], y.at[j]));
            const Mass* ends = is_row ? &x.before[i] : &y.before[j];
            atoms_.push_back({i, j, size() - 1, size() + 1, is_row, ends[0], ends[1]});
            (is_row ? i : j) += 1;
        }
        atoms_.back().after = none;
    }

    Index size() const { return static_cast<Index>(atoms_.size()); }
    const Atom& operator[](Index atom) const { return atoms_[atom]; }

    // Of an atom and the next one, if they are of different kind.
    void offer(Index atom, double cost, bool is_measured = false) {
        const Index other = atoms_[atom].after;
        if (other == none || atoms_[atom].is_row == atoms_[other].is_row) return;
        offers_.push({cost, atom, other, is_measured});
    }
    // Null if there is none.
    const Offer* best() {
        while (!offers_.empty() && is_stale(offers_.top())) offers_.pop();
        return offers_.empty() ? nullptr : &offers_.top();
    }
    // The best one; there is one.
    Offer take() {
        const Offer taken = *best();
        offers_.pop();
        return taken;
    }

    // From an atom to the next one or back, at this slope (the threshold at p = ∞).
    void move(Index atom, Mass amount, double slope) {
        Atom &first = atoms_[atom], &second = atoms_[first.after];
        first.to -= amount;
        second.from += amount;
        moved_ += amount;
        for (const Atom* each : {&first, &second}) {
            used_up_.note(each->is_row ? each->rows : pair_.x.size() + each->columns, each->left(), slope);
        }
    }

    // An atom of which nothing is left.
    void close(Index atom) {
        Atom& closed = atoms_[atom];
        if (closed.before != none) atoms_[closed.before].after = closed.after;
        if (closed.after != none) atoms_[closed.after].before = closed.before;
        closed.after = atom;  // no offer of it counts any more
    }

    Mass moved() const { return moved_; }

    // When atoms, in the order of the pair, were used up; those at one place together.
    void write_used_up(Curve& curve, double last_slope) {
        used_up_.write(curve, last_slope);
        take_largest_of_equals(pair_.x, curve.used_up_a);
        take_largest_of_equals(pair_.y, curve.used_up_b);
    }

private:
    // At one place rows and columns take turns: all rows before all columns would be matched from the middle outwards,
    // in one block that grows by a pair each time.
    bool is_row_next(double row, double column) const {
        if (row != column) return row < column;
        return atoms_.empty() || !atoms_.back().is_row;
    }
    bool is_stale(const Offer& offer) const { return atoms_[offer.atom].after != offer.other; }

    const LinePair& pair_;
    UsedUp used_up_;
    std::vector<Atom> atoms_;
    std::priority_queue<Offer> offers_;
    Mass moved_ = 0;
};

}  // namespace rpw
