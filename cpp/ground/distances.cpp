// See distances.hpp.
#include "ground/distances.hpp"

#include <algorithm>

namespace rpw {

namespace {

Node place_of(const Measure& measure, Node atom) { return measure.place.empty() ? atom : measure.place[atom]; }

}  // namespace

bool is_whole_matrix(const Pair& pair) {
    const auto& matrix = pair.space.matrix;
    return matrix && matrix->is_row_major() && pair.a.place.empty() && pair.b.place.empty();
}

DistanceRows::DistanceRows(const Pair& pair, double truncation)
    : pair_(pair),
      truncation_(truncation),
      rows_(pair.a.size()),
      columns_(pair.b.size()),
      work_per_row_(static_cast<std::size_t>(columns_)) {
    if (pair.space.matrix) return;
    const double unit = length_unit(pair.a.points, pair.b.points);
    if (unit == unreachable) throw TooFarApart();
    from_points_.emplace(pair.b.points, pair.space.metric, unit);
    has_squares_ = pair.space.metric == Metric::euclidean && unit == 1 && truncation == unreachable;
    work_per_row_ *= static_cast<std::size_t>(pair.b.points.dimension);
}

void DistanceRows::fill(Node i, double* out) {
    if (from_points_) {
        from_points_->fill(pair_.a.points.at(i), out);
    } else {
        const PlaceMatrix& matrix = *pair_.space.matrix;
        const double* row = matrix.row(place_of(pair_.a, i));
        if (pair_.b.place.empty()) {
            for (Node j = 0; j < columns_; ++j) out[j] = row[j * matrix.column_step];
        } else {
            for (Node j = 0; j < columns_; ++j) out[j] = row[pair_.b.place[j] * matrix.column_step];
        }
    }
    if (truncation_ < unreachable) {
        for (Node j = 0; j < columns_; ++j) out[j] = std::min(out[j], truncation_);
    }
}

Distances distances_of(const Pair& pair, double truncation, Room& room, Pulse& pulse) {
    if (is_whole_matrix(pair) && truncation == unreachable) {
        return {{pair.space.matrix->data, pair.a.size(), pair.b.size()}};
    }
    DistanceRows rows(pair, truncation);
    double* scratch = is_whole_matrix(pair) ? pair.space.matrix->scratch : nullptr;
    double* out = scratch ? scratch : room.of_size(pair.a.mass.size() * pair.b.mass.size());
    return {filled(rows, out, pulse)};
}

}  // namespace rpw
