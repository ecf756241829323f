// See distinct.hpp.
#include "ground/distinct.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace rpw {

namespace {

std::uint64_t hash_of(const double* point, Node dimension) {
    std::uint64_t hash = 0;
    for (Node t = 0; t < dimension; ++t) {
        hash ^= std::bit_cast<std::uint64_t>(point[t] + 0.0);  // -0.0 + 0.0 is 0.0
        hash *= 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return hash * 0x9e3779b97f4a7c15u;
}

}  // namespace

Labels label_points(const Points& x, const Points& y, Pulse& pulse) {
    const Node points = x.count + y.count, dimension = x.dimension;
    const auto at = [&](Node i) { return i < x.count ? x.at(i) : y.at(i - x.count); };
    const int bits = std::bit_width(static_cast<std::size_t>(points)) + 1;  // at most half of the slots are taken
    std::vector<Node> first_at(std::size_t{1} << bits, -1);
    const std::size_t last_slot = first_at.size() - 1;
    Labels labels{std::vector<std::int64_t>(points), 0};
    for (Node i = 0; i < points; ++i) {
        pulse.note(8 * static_cast<std::size_t>(dimension));  // a slot is seldom in the cache
        const double* point = at(i);
        std::size_t slot = hash_of(point, dimension) >> (64 - bits);
        while (first_at[slot] >= 0 && !std::equal(point, point + dimension, at(first_at[slot]))) {
            slot = (slot + 1) & last_slot;
            pulse.note(8);  // long only where points were made to meet
        }
        if (first_at[slot] < 0) {
            first_at[slot] = i;
            labels.of_point[i] = labels.count++;
        } else {
            labels.of_point[i] = labels.of_point[first_at[slot]];
        }
    }
    return labels;
}

DistinctMeasure::DistinctMeasure(const Measure& given, std::span<const std::int64_t> label, Node labels)
    : given_(given) {
    std::vector<Node> atom_of_label(labels, -1);
    std::vector<Node> first;  // atom of each merged one
    for (Node i = 0; i < given.size(); ++i) {
        Node& atom = atom_of_label[label[i]];
        if (atom < 0) {
            atom = count_++;
            first.push_back(i);
        }
        merged_atom_.push_back(atom);
    }
    if (!has_equal()) return;
    mass_.assign(count_, 0);
    for (Node i = 0; i < given.size(); ++i) mass_[merged_atom_[i]] += given.mass[i];
    coordinates_.reserve(first.size() * given.points.dimension);
    for (const Node i : first) {
        const double* point = given.points.at(i);
        coordinates_.insert(coordinates_.end(), point, point + given.points.dimension);
    }
}

Measure DistinctMeasure::merged() const {
    if (!has_equal()) return given_;
    return {mass_, {coordinates_.data(), count_, given_.points.dimension}, {}, {}};
}

std::vector<double> DistinctMeasure::as_given(const std::vector<double>& of_merged) const {
    if (!has_equal() || of_merged.empty()) return of_merged;
    std::vector<double> numbers(given_.size());
    for (Node i = 0; i < given_.size(); ++i) numbers[i] = of_merged[merged_atom_[i]];
    return numbers;
}

}  // namespace rpw
