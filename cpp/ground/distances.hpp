// From a pair of measures to the matrix of distances between their atoms: the only place where such a matrix is made.
#pragma once

#include <optional>
#include <stdexcept>
#include <vector>

#include "base/matrix.hpp"
#include "base/pulse.hpp"
#include "ground/measure.hpp"

namespace rpw {

// A distance of the pair is no float64.
struct TooFarApart : std::range_error {
    TooFarApart() : std::range_error("the points are too far apart: their distance is not a float64") {}
};

// Whether the matrix of the space is the matrix of this pair.
bool is_whole_matrix(const Pair& pair);

// The rows of a pair's matrix of distances, one at a time, cut off at `truncation`.
class DistanceRows {
public:
    // Throws TooFarApart.
    DistanceRows(const Pair& pair, double truncation);

    Node rows() const { return rows_; }
    Node columns() const { return columns_; }
    std::size_t work_per_row() const { return work_per_row_; }
    void fill(Node i, double* out);

    // Squares of the distances, for less than the distances, where that is possible.
    bool has_squares() const { return has_squares_; }
    void fill_squares(Node i, double* out) const { from_points_->fill_squares(pair_.a.points.at(i), out); }

private:
    Pair pair_;
    double truncation_;
    Node rows_;
    Node columns_;
    std::size_t work_per_row_;
    std::optional<PointRows> from_points_;
    bool has_squares_ = false;
};

// Writes all rows of DistanceRows, or of rows like them.
template <class Rows>
Matrix filled(Rows& rows, double* out, Pulse& pulse) {
    for (Node i = 0; i < rows.rows(); ++i) {
        rows.fill(i, out + static_cast<std::size_t>(i) * rows.columns());
        pulse.note(rows.work_per_row());
    }
    return {out, rows.rows(), rows.columns()};
}

// All of them: in `room`, or the user's own matrix where it holds just these distances.
Distances distances_of(const Pair& pair, double truncation, Room& room, Pulse& pulse);

// Calls visit(i, distances) for every row, without ever holding more than one.
template <class Visit>
void for_each_row(const Pair& pair, double truncation, Pulse& pulse, const Visit& visit) {
    DistanceRows rows(pair, truncation);
    std::vector<double> row(rows.columns());
    for (Node i = 0; i < rows.rows(); ++i) {
        rows.fill(i, row.data());
        visit(i, row.data());
        pulse.note(rows.work_per_row());
    }
}

}  // namespace rpw
