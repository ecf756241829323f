// p-th powers of scaled distances: as floating-point costs for the exact walk, or rounded up to whole units for LMR.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/matrix.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "ground/distances.hpp"

namespace rpw {

// Stands for powers beyond float64; sums of it stay finite. What an answer could move at such a price per unit of mass
// has no float64 either, so it moves nothing: a path is that dear if it costs more than `dearest_path`.
inline constexpr double largest_power = 1e290;
inline constexpr double dearest_path = 1e280;

// The least and the largest of some numbers, in one pass; `is_sound` if they are finite and none is negative.
struct Range {
    double least;
    double largest;
    bool is_sound;
};
Range range_of(const double* in, std::size_t size);

// The least positive entry; +inf if all are 0.
double least_positive(const Matrix& matrix, Pulse& pulse);

// Whether the p-th power of a length is lost beside that of the scale. Up to `small_p` only lengths below 1e-75 of the
// scale are, and that is ignored (docs/proofs/rounding.md, "Rounding").
inline constexpr double small_p = 4;
bool powers_vanish(double length, double scale, double p);

// Throws std::domain_error where the p-th power of a positive distance would vanish: beside the largest one, or by
// itself. A profile spans all costs, so no one scale suits every k, as it does for one distance.
void check_powers_fit(double least, double largest, double p);

// out = min((in / scale)^p, largest_power), and 0 or `largest_power` where that is no such number.
void scaled_powers(const double* in, std::size_t size, double scale, double p, double* out);

// The powers of a matrix of distances. They take its place where it may be overwritten, because it lies in `room` or is
// the pair's scratch; the user's own matrix stays as it is. They are never the user's own entries, which another thread
// may change while they are read again and again.
Powers powers_of(const Distances& distances, const Space& space, double scale, double p, Room& room, Pulse& pulse);

// The same in a room of their own: the distances stay.
Powers powers_beside(const Distances& distances, double scale, double p, Room& room, Pulse& pulse);

// (distance / scale)^p row by row, without a matrix, and where it can without a root: they differ from those of
// `powers_of` by rounding.
class PowerRows {
public:
    PowerRows(const Pair& pair, double truncation, double scale, double p)
        : distances_(pair, truncation), scale_(scale), p_(p) {}

    Node rows() const { return distances_.rows(); }
    Node columns() const { return distances_.columns(); }
    std::size_t work_per_row() const { return distances_.work_per_row(); }
    void fill(Node i, double* out);

private:
    DistanceRows distances_;
    double scale_;
    double p_;
};

// κ in units of the scale. Where that would be no float64, every ε is below 1e-290, and F(1 - ε) is F(1): then ε is
// F(1)^(1/p) / κ, in proportion to any smaller price, and `shrink` is that proportion.
struct Price {
    double kappa;
    double shrink;  // of the answers at `kappa`: 1 unless κ had to be lowered

    // Only an answer shrinks: a plan that leaves more behind than that has not paid for all of F(1) yet.
    double share(double unmoved, Status status) const { return status == Status::exact ? shrink * unmoved : unmoved; }
    double tol(double asked) const { return shrink < 1 ? 0 : asked; }
};
Price scaled_price(double kappa, double scale);

// out = min(ceil((in / scale)^p / unit), cap).
template <class Cost>
void rounded_powers(const double* in, std::size_t size, double scale, double p, double unit, Cost cap, Cost* out);

}  // namespace rpw
