// See threshold_walk.hpp.
//
// Neighbours with unmoved mass and of different kind can move some if every pair of the block between them, shifted a
// little, is short enough. Places and masses ascend on both sides, so a search for the longest pair need not look at
// all: while it is known that some pair is as long as `longest`, no pair is longer before the first atom that is
// further than `longest` from the partner of this one.
#include "line/threshold_walk.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/steps.hpp"
#include "base/tell_profile.hpp"
#include "base/tuning.hpp"
#include "line/open_atoms.hpp"
#include "line/tubes.hpp"

namespace rpw {

using namespace tuning;

namespace {

// The first of begin … end - 1 at which `is_beyond` is true, where it stays true from then on; near the beginning it is
// found quickly.
template <class Beyond>
Node first_from(Node begin, Node end, const Beyond& is_beyond) {
    Node step = 1;
    while (step < end - begin && !is_beyond(begin + step - 1)) {
        begin += step;
        step *= 2;
    }
    end = std::min(end, begin + step);
    while (begin < end) {
        const Node middle = begin + (end - begin) / 2;
        if (is_beyond(middle)) {
            end = middle;
        } else {
            begin = middle + 1;
        }
    }
    return begin;
}

// One atom for each place. Tells of each atom where it went.
Atoms merged(const Atoms& atoms, std::vector<Node>& place) {
    Atoms merged;
    merged.before.push_back(0);
    for (Node i = 0; i < atoms.size(); ++i) {
        if (i == 0 || atoms.at[i] != atoms.at[i - 1]) {
            merged.at.push_back(atoms.at[i]);
            merged.before.push_back(0);
        }
        merged.before.back() = atoms.before[i + 1];
        place.push_back(merged.size() - 1);
    }
    return merged;
}

// The largest mass of which all others are multiples.
Mass common_grain(const LinePair& pair) {
    Mass grain = 0;
    for (const Atoms* atoms : {&pair.x, &pair.y}) {
        for (const Mass before : atoms->before) grain = std::gcd(grain, before);
    }
    return grain;
}

// A loop by itself: the compiler takes several at a time then.
double longest_of(const double* far, const double* near, Node count) {
    double longest = far[0] - near[0];
    for (Node k = 1; k < count; ++k) longest = std::max(longest, far[k] - near[k]);
    return longest;
}

class ThresholdWalk {
public:
    using Index = OpenAtoms::Index;

    ThresholdWalk(const LinePair& pair, Pulse& pulse)
        : given_(pair),
          pair_{merged(pair.x, place_of_row_), merged(pair.y, place_of_column_)},
          grain_(common_grain(pair_)),
          has_one_mass_(pair_.x.total() == grain_ * pair_.x.size() && pair_.y.total() == grain_ * pair_.y.size()),
          tubes_x_(pair_.x),
          tubes_y_(pair_.y),
          pulse_(pulse),
          open_(pair_) {
        for (Index atom = 0; atom < open_.size(); ++atom) open_.offer(atom, 0);
    }

    // Goes on to the next threshold at which the flow grows; false if it never does again.
    bool next() {
        const double before = unmoved();
        while (unmoved() > 0) {
            const OpenAtoms::Offer* best = open_.best();
            if (!best || (unmoved() < before && best->cost > threshold_)) break;
            threshold_ = std::max(threshold_, best->cost);
            take(open_.take());
        }
        return unmoved() < before;
    }

    double threshold() const { return threshold_; }
    double unmoved() const { return given_.unmoved(open_.moved()); }

    // The thresholds at which atoms, in the order of the pair, were used up.
    void write_used_up(Curve& curve) {
        Curve of_places;
        open_.write_used_up(of_places, threshold_);
        for (const Node place : place_of_row_) curve.used_up_a.push_back(of_places.used_up_a[place]);
        for (const Node place : place_of_column_) curve.used_up_b.push_back(of_places.used_up_b[place]);
    }

private:
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

    // It is measured when its turn comes: by then its block may have become part of a longer one, and only that is
    // looked at.
    void take(const OpenAtoms::Offer& offer) {
        const double needed = offer.is_measured ? offer.cost : threshold_needed(block_after(offer.atom));
        if (needed > threshold_) {
            open_.offer(offer.atom, needed, true);
        } else {
            move(offer.atom, offer.other);
        }
    }

    // As much as the threshold allows, from an atom to its neighbour or back.
    void move(Index atom, Index other) {
        const Mass most = std::min(open_[atom].left(), open_[other].left());
        open_.move(atom, room_within(block_after(atom), most), threshold_);
        const Index first = open_[atom].left() > 0 ? atom : open_[atom].before;
        for (const Index each : {other, atom}) {
            if (open_[each].left() == 0) open_.close(each);
        }
        if (first != OpenAtoms::none) open_.offer(first, threshold_);  // no block needs less
    }

    Block block_after(Index atom) const {
        const OpenAtoms::Atom &one = open_[atom], &two = open_[one.after];
        if (one.is_row) {
            return {pair_.x,  pair_.y,     tubes_x_,        tubes_y_,
                    one.rows, one.columns, two.columns + 1, one.to - pair_.y.before[one.columns]};
        }
        return {pair_.y,     pair_.x,  tubes_y_,     tubes_x_,
                one.columns, one.rows, two.rows + 1, one.to - pair_.x.before[one.rows]};
    }

    // Whether no pair is longer than that from where atom j of `far` begins, in or at the end of atom i of `near`, up
    // to the atom of `far` that is returned; j if there is doubt.
    Node skip_stretch(const Block& block, Node i, Node j, Mass offset, double longest, int level) const {
        constexpr double rounding = 1e-14;
        const Atoms &near = block.near, &far = block.far;
        const Tube &low = block.near_tubes.at(level, i), &high = block.far_tubes.at(level, j);
        const Mass from = far.before[j], to = std::min(far.before[high.end], near.before[low.end] - offset);
        const Mass before_low = near.before[low.begin] - offset, before_high = far.before[high.begin];
        const double apart = far.at[high.begin] - near.at[low.begin], width = high.upper - low.lower;
        const auto excess_at = [&](Mass mass) {
            const double rise = high.slope * static_cast<double>(mass - before_high);
            const double fall = low.slope * static_cast<double>(mass - before_low);
            return apart + width + rise - fall + rounding * (std::abs(apart) + width + std::abs(rise) + std::abs(fall));
        };
        if (!(excess_at(from) <= longest && excess_at(to) <= longest)) return j;
        return first_from(j + 1, high.end, [&](Node k) { return far.before[k] > to; });
    }

    // The next atom of `far` after j that may be further than `longest` from its partner. Stretches are tried that
    // double in length as long as they can be skipped.
    Node next_suspect(const Block& block, Node i, Node j, Mass offset, double longest, int& level) {
        pulse_.note(8);
        for (; level >= 0; --level) {
            const Node next = skip_stretch(block, i, j, offset, longest, level);
            if (next == j) continue;
            level = std::min(level + 1, block.levels() - 1);
            return next;
        }
        const double from = block.near.at[i];
        const Node next = first_from(j + 1, block.end, [&](Node k) { return block.far.at[k] - from > longest; });
        level = next - j < worth_a_stretch ? -1 : std::min(0, block.levels() - 1);
        return next;
    }

    // The threshold at which the block can be shifted at all: every atom of `far` then begins at the atom of `near`
    // whose end it begins at now, or within which it begins.
    double threshold_needed(const Block& block) {
        const Atoms &near = block.near, &far = block.far;
        double longest = threshold_;
        Node i = block.first;
        int level = -1;
        for (Node j = block.begin; j < block.end;) {
            // Where nothing can be skipped, and atoms are matched one by one, many are looked at together.
            const Node more = has_one_mass_ && level < 0 ? std::min(pairs_at_once, block.end - j) - 1 : 0;
            longest = std::max(longest, longest_of(&far.at[j], &near.at[i], more + 1));
            i += more;
            j += more;
            j = next_suspect(block, i, j, block.offset, longest, level);
            if (j >= block.end) break;
            const Mass start = far.before[j] + block.offset;
            i = first_from(i + 1, near.size(), [&](Node k) { return near.before[k] >= start; }) - 1;
        }
        return longest;
    }

    // How far the block can be shifted, up to `most`.
    Mass room_within(const Block& block, Mass most) {
        if (most == grain_) return most;  // a block that can be shifted at all can be shifted by that
        const Atoms &near = block.near, &far = block.far;
        Mass shift = most;
        Node i = block.first;
        int level = -1;
        for (Node j = block.begin; j < block.end;) {
            const Mass start = far.before[j] + block.offset;
            i = first_from(i + 1, near.size(), [&](Node k) { return near.before[k] > start - shift; }) - 1;
            if (far.at[j] - near.at[i] > threshold_) {
                i = first_from(i + 1, near.size(), [&](Node k) { return far.at[j] - near.at[k] <= threshold_; });
                shift = start - near.before[i];
            }
            j = next_suspect(block, i, j, block.offset - shift, threshold_, level);
        }
        return shift;
    }

    const LinePair& given_;
    std::vector<Node> place_of_row_, place_of_column_;
    LinePair pair_;      // with one atom for each place
    Mass grain_;         // of which all masses are multiples,
    bool has_one_mass_;  // or which all of them are
    Tubes tubes_x_, tubes_y_;
    Pulse& pulse_;
    double threshold_ = 0;
    OpenAtoms open_;
};

}  // namespace

Band walk_thresholds(const LinePair& pair, double tol, Pulse& pulse) {
    ThresholdWalk walk(pair, pulse);
    Steps steps(Solver::line, tol);
    while (walk.next()) {
        steps.add(walk.threshold(), walk.threshold(), walk.unmoved());
        tell_profile(pulse, walk.unmoved(), walk.threshold(), 0, static_cast<long>(steps.size()));
    }
    Band band = steps.take();
    walk.write_used_up(band.upper);
    return band;
}

}  // namespace rpw
