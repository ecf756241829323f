// See reach_walk.hpp.
//
// Neighbours with unmoved mass and of different kind can move some if every pair of the block between them, shifted a
// little, is short enough. Places and masses ascend on both sides, so a search for the longest pair need not look at
// all: while it is known that some pair is as long as `longest`, no pair is longer before the first atom that is
// further than `longest` from the partner of this one.
#include "line/reach_walk.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace rpw {

namespace {

constexpr std::int32_t none = -1;

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
    place.resize(atoms.at.size());
    for (Node i = 0; i < atoms.size(); ++i) {
        if (merged.at.empty() || atoms.at[i] != merged.at.back()) {
            merged.at.push_back(atoms.at[i]);
            merged.before.push_back(0);
        }
        merged.before.back() = atoms.before[i + 1];
        place[i] = merged.size() - 1;
    }
    return merged;
}

std::vector<Mass> masses_of(const Atoms& atoms) {
    std::vector<Mass> masses(atoms.at.size());
    for (Node i = 0; i < atoms.size(); ++i) masses[i] = atoms.mass(i);
    return masses;
}

// The largest mass of which all others are multiples.
Mass common_grain(const std::vector<Mass>& rows, const std::vector<Mass>& columns) {
    Mass grain = 0;
    for (const auto* masses : {&rows, &columns}) {
        for (const Mass mass : *masses) grain = std::gcd(grain, mass);
    }
    return grain;
}

}  // namespace

ReachWalk::ReachWalk(const LinePair& pair, Pulse& pulse)
    : pair_{merged(pair.x, place_of_row_), merged(pair.y, place_of_column_)},
      tubes_x_(pair_.x),
      tubes_y_(pair_.y),
      mass_of_rows_(masses_of(pair_.x)),
      mass_of_columns_(masses_of(pair_.y)),
      grain_(common_grain(mass_of_rows_, mass_of_columns_)),
      has_one_mass_(pair_.x.total() == grain_ * pair_.x.size() && pair_.y.total() == grain_ * pair_.y.size()),
      pulse_(pulse),
      total_(pair.total()),
      negligible_(pair.negligible()),
      used_up_({mass_of_rows_, mass_of_columns_}) {
    link_atoms();
    for (std::int32_t atom = 0; atom < static_cast<std::int32_t>(atoms_.size()); ++atom) offer(atom);
}

void ReachWalk::link_atoms() {
    const Atoms &x = pair_.x, &y = pair_.y;
    atoms_.reserve(pair_.atoms());
    for (Node i = 0, j = 0; i < x.size() || j < y.size();) {
        const bool is_row = j == y.size() || (i < x.size() && x.at[i] <= y.at[j]);
        const auto place = static_cast<std::int32_t>(atoms_.size());
        const Mass* before = is_row ? &x.before[i] : &y.before[j];
        atoms_.push_back({i, j, place - 1, place + 1, before[0], before[1], is_row});
        (is_row ? i : j) += 1;
    }
    atoms_.back().after = none;
}

bool ReachWalk::next() {
    const Mass before = moved_;
    while (moved_ < total_ && !offers_.empty()) {
        const Offer best = offers_.top();
        if (!is_stale(best)) {
            if (moved_ > before && best.length > threshold_) break;
            threshold_ = std::max(threshold_, best.length);
        }
        offers_.pop();
        if (!is_stale(best)) take(best);
    }
    return moved_ > before;
}

void ReachWalk::take(const Offer& offer) {
    const double needed = offer.is_measured ? offer.length : reach_needed(block_after(offer.atom));
    if (needed > threshold_) {
        offers_.push({needed, offer.atom, offer.other, true});
    } else {
        move(offer.atom);
    }
}

// As much as the threshold allows, from an atom to its neighbour or back.
void ReachWalk::move(std::int32_t atom) {
    const std::int32_t other = atoms_[atom].after;
    Open &first = atoms_[atom], &second = atoms_[other];
    const Mass amount = room_within(block_after(atom), std::min(first.left(), second.left()));
    first.to -= amount;
    second.from += amount;
    moved_ += amount;
    if (total_ - moved_ <= negligible_) moved_ = total_;
    note_used_up(first);
    note_used_up(second);
    const std::int32_t left = first.left() > 0 ? atom : first.before;
    if (second.left() == 0) unlink(other);
    if (first.left() == 0) unlink(atom);
    if (left != none) offer(left);
}

void ReachWalk::note_used_up(const Open& atom) {
    used_up_.note(atom.is_row ? atom.rows : pair_.x.size() + atom.columns, atom.left(), threshold_);
}

void ReachWalk::unlink(std::int32_t atom) {
    Open& closed = atoms_[atom];
    if (closed.before != none) atoms_[closed.before].after = closed.after;
    if (closed.after != none) atoms_[closed.after].before = closed.before;
    closed.after = atom;  // no offer of it counts any more
}

ReachWalk::Block ReachWalk::block_after(std::int32_t atom) const {
    const Open &one = atoms_[atom], &two = atoms_[one.after];
    if (one.is_row) {
        return {pair_.x,  pair_.y,     tubes_x_,        tubes_y_,
                one.rows, one.columns, two.columns + 1, one.to - pair_.y.before[one.columns]};
    }
    return {pair_.y,     pair_.x,  tubes_y_,     tubes_x_,
            one.columns, one.rows, two.rows + 1, one.to - pair_.x.before[one.rows]};
}

// No block needs less than the threshold so far. It is measured when its turn comes: by then it may have become part of
// a longer one, and only that is looked at.
void ReachWalk::offer(std::int32_t atom) {
    const std::int32_t other = atoms_[atom].after;
    if (other == none || atoms_[atom].is_row == atoms_[other].is_row) return;
    offers_.push({threshold_, atom, other, false});
}

// Whether no pair is longer than that from where atom j of `far` begins, in or at the end of atom i of `near`, up to
// the atom of `far` that is returned; j if there is doubt.
Node ReachWalk::skip_stretch(const Block& block, Node i, Node j, Mass offset, double longest, int level) const {
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

// The next atom of `far` after j that may be further than `longest` from its partner. Stretches are tried that double
// in length as long as they can be skipped.
Node ReachWalk::next_suspect(const Block& block, Node i, Node j, Mass offset, double longest, int& level) {
    constexpr Node worth_a_stretch = 4;
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

// The threshold at which the block can be shifted at all: every atom of `far` then begins at the atom of `near` whose
// end it begins at now, or within which it begins.
double ReachWalk::reach_needed(const Block& block) {
    constexpr Node at_once = 32;
    const Atoms &near = block.near, &far = block.far;
    double longest = threshold_;
    Node i = block.first;
    int level = -1;
    for (Node j = block.begin; j < block.end;) {
        // Where nothing can be skipped, and atoms are matched one by one, many are looked at together.
        const Node more = has_one_mass_ && level < 0 ? std::min(at_once, block.end - j) - 1 : 0;
        for (Node k = 0; k <= more; ++k) longest = std::max(longest, far.at[j + k] - near.at[i + k]);
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
Mass ReachWalk::room_within(const Block& block, Mass most) {
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

void ReachWalk::write_used_up(Curve& curve) {
    Curve of_places;
    used_up_.write(of_places, threshold_);
    for (const Node place : place_of_row_) curve.used_up_a.push_back(of_places.used_up_a[place]);
    for (const Node place : place_of_column_) curve.used_up_b.push_back(of_places.used_up_b[place]);
}

}  // namespace rpw
