// Measures, and the space that they lie in.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "ground/metric.hpp"

namespace rpw {

// Distances between places, in whatever order they lie in memory.
struct PlaceMatrix {
    const double* data;
    Node rows;
    Node columns;
    std::int64_t row_step;
    std::int64_t column_step;
    double* scratch;  // the same as data where it was made for one pair and may be overwritten; else null

    const double* row(Node i) const { return data + i * row_step; }
    bool is_row_major() const { return column_step == 1 && row_step == columns; }
};

// What the ground distance is: a metric on coordinates or, where there is a matrix, its entries.
struct Space {
    Metric metric = Metric::euclidean;
    std::optional<PlaceMatrix> matrix{};
};

// One measure: masses of atoms that have coordinates, or places in the matrix of their space.
struct Measure {
    std::span<const Mass> mass;
    Points points;
    std::span<const std::int32_t> place;  // empty where atom i is at place i
    std::span<const std::int64_t> label;  // the same for equal points; only where total variation is asked for

    Node size() const { return static_cast<Node>(mass.size()); }
};

// Many measures, their atoms one after the other.
struct Measures {
    std::span<const std::int64_t> start;  // of each measure, and the end
    std::span<const Mass> mass;
    std::span<const double> coordinates{};
    Node dimension = 0;
    std::span<const std::int32_t> place{};
    std::span<const std::int64_t> label{};

    std::size_t size() const { return start.size() - 1; }
    Measure operator[](std::size_t s) const {
        const std::int64_t count = start[s + 1] - start[s];
        const auto part = [&](auto all, std::int64_t width = 1) {
            return all.empty() ? all : all.subspan(start[s] * width, count * width);
        };
        const Points own{part(coordinates, dimension).data(), static_cast<Node>(count), dimension};
        return {part(mass), own, part(place), part(label)};
    }
};

// Two measures in one space: what every question is about.
struct Pair {
    const Space& space;
    Measure a;
    Measure b;

    Masses masses() const { return {a.mass, b.mass}; }
};

}  // namespace rpw
