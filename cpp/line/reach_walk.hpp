// The profile at p = ∞ on the line, walked upwards: mass moves between neighbours that have some left, through what
// lies between them (docs/theory.md, "p = ∞ on the line").
#pragma once

#include <algorithm>
#include <cstdint>
#include <queue>
#include <vector>

#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "base/used_up.hpp"
#include "line/atoms.hpp"
#include "line/tubes.hpp"

namespace rpw {

class ReachWalk {
public:
    ReachWalk(const LinePair& pair, Pulse& pulse);

    // Goes on to the next threshold at which the flow grows; false if it never does again.
    bool next();

    double threshold() const { return threshold_; }
    double unmoved() const { return share_of(total_ - moved_, total_); }
    // The thresholds at which atoms, in the order of the pair, were used up.
    void write_used_up(Curve& curve);

private:
    // An atom with unmoved mass. What has moved of it are its ends: the first part to its left, the last part to its
    // right.
    struct Open {
        Node rows, columns;          // how many of each lie before it
        std::int32_t before, after;  // the neighbours with unmoved mass
        Mass from, to;               // what is unmoved, as `Atoms::before` counts it
        bool is_row;

        Mass left() const { return to - from; }
    };

    // What lies between two neighbours of different kind: atoms of the kind of the first, matched in order with atoms
    // of the kind of the second. Mass `s` of the one with mass `s - offset` of the other.
    struct Block {
        const Atoms& near;  // of the kind of the first
        const Atoms& far;
        const Tubes& near_tubes;
        const Tubes& far_tubes;
        Node first;       // the first neighbour, in `near`
        Node begin, end;  // of the atoms in `far`; the last one is the second neighbour
        Mass offset;

        int levels() const { return std::min(near_tubes.levels(), far_tubes.levels()); }
    };

    // Of equals the shortest block comes first: taken from one end to the other, they would make one block that grows
    // and is looked at again each time.
    struct Offer {
        double length;  // that its block needs; at least that much, until it is measured
        std::int32_t atom, other;
        bool is_measured;

        std::int32_t width() const { return other - atom; }
        bool operator<(const Offer& than) const {
            if (length != than.length) return length > than.length;
            return width() != than.width() ? width() > than.width() : atom > than.atom;
        }
    };

    void link_atoms();
    bool is_stale(const Offer& offer) const { return atoms_[offer.atom].after != offer.other; }
    Block block_after(std::int32_t atom) const;
    void offer(std::int32_t atom);
    void take(const Offer& offer);
    void move(std::int32_t atom);
    void note_used_up(const Open& atom);
    void unlink(std::int32_t atom);
    Node skip_stretch(const Block& block, Node i, Node j, Mass offset, double longest, int level) const;
    Node next_suspect(const Block& block, Node i, Node j, Mass offset, double longest, int& level);
    double reach_needed(const Block& block);
    Mass room_within(const Block& block, Mass most);

    std::vector<Node> place_of_row_, place_of_column_;
    LinePair pair_;  // with one atom for each place
    Tubes tubes_x_, tubes_y_;
    std::vector<Mass> mass_of_rows_, mass_of_columns_;
    Mass grain_;         // of which all masses are multiples,
    bool has_one_mass_;  // or which all of them are
    Pulse& pulse_;
    Mass total_, negligible_, moved_ = 0;
    double threshold_ = 0;
    std::vector<Open> atoms_;
    std::priority_queue<Offer> offers_;
    UsedUp used_up_;
};

}  // namespace rpw
