// Two measures on the line, in order, and monotone plans between them (docs/proofs/line.md, "The line").
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "base/tuning.hpp"
#include "flow/flow.hpp"
#include "ground/measure.hpp"
#include "line/direction.hpp"
#include "line/power.hpp"

namespace rpw {

// One measure: its points in ascending order, and the mass up to each of them (before[0] = 0).
struct Atoms {
    std::vector<double> at;
    std::vector<Mass> before;
    std::vector<double> rank;  // place in the order of all points, with jitter: breaks ties

    Node size() const { return static_cast<Node>(at.size()); }
    Mass total() const { return before.back(); }
    Mass mass(Node i) const { return before[i + 1] - before[i]; }
    std::vector<Mass> masses() const;
};

struct LinePair {
    Atoms x;
    Atoms y;
    Mass lightest = std::numeric_limits<Mass>::max();  // of the atoms: asked for often

    void rank();  // fills the ranks of x and y
    std::size_t atoms() const { return x.at.size() + y.at.size(); }
    // As `Masses` says them of two measures in any order.
    Mass total() const { return std::min(x.total(), y.total()); }
    Mass negligible() const { return negligible_beside(rounding_of(total(), atoms()), lightest); }
    // What is unmoved where so much is moved.
    double unmoved(Mass moved) const {
        const Mass left = total() - moved;
        return left <= negligible() ? 0.0 : share_of(left, total());
    }
    // 1 if all are 0.
    double largest_distance() const;
    // The least positive distance between the two measures; infinite if there is none.
    double least_distance() const;
    // Whether a matrix is small enough to be asked where an answer of the line is doubtful.
    bool fits_a_matrix() const {
        return static_cast<double>(x.at.size()) * static_cast<double>(y.at.size()) <= tuning::most_pairs_instead;
    }
    // Whether no one unit suits both the largest distance and the least, or this length.
    bool spans_float64(double length) const;
};

// Beyond these, lengths are at the ends of float64.
inline constexpr double huge_length = 0x1p400;
inline constexpr double tiny_length = 0x1p-400;

inline constexpr double accuracy = 5e-13;  // of answers about points on a line that follows no axis

// The pair, sorted, and the way back to the order in which its atoms came.
struct SortedPair {
    LinePair pair;
    std::vector<Node> order_x;
    std::vector<Node> order_y;
    double unit = 1;      // that coordinates have been divided by, a power of 2
    double rounding = 0;  // by how much a distance of the pair may differ from that of the sorted points

    // Whether that is too much for an answer of this length, and a matrix not too large to ask it instead.
    bool is_too_coarse(double length) const { return rounding > accuracy * length && pair.fits_a_matrix(); }

    // Brings coordinates at the ends of float64 to its middle, so that 1 / scale is a float64, and sums of distances.
    void rescale(double scale);
    LineCost cost(double p, double scale) const;
};

// Throws TooFarApart.
SortedPair sorted_pair(const Pair& pair, const Direction& line);

// Values of sorted atoms, for the atoms as they came.
std::vector<double> unsorted(const std::vector<double>& values, const std::vector<Node>& order);

// Gives atoms at the same place the largest of their values.
void take_largest_of_equals(const Atoms& atoms, std::vector<double>& values);

// A monotone partial plan: rows and columns never decrease along it.
using LinePlan = std::vector<FlowEntry>;

// The monotone plan of these masses. Entries as small as the rounding of a weight are left out, as long as all of them
// together are no more than `spare`: both sides lose them, so that what follows stays in step.
LinePlan plan_in_order(const std::vector<Mass>& of_x, const std::vector<Mass>& of_y, Mass spare = 0);

// The monotone plan that moves everything but what rounding left over.
LinePlan monotone_plan(const LinePair& pair);

Mass mass_of(const LinePlan& plan);

double longest_of(const LinePair& pair, const LinePlan& plan);

// Σ γ C, as a share of the total.
double cost_of(const LinePair& pair, const LinePlan& plan, const LineCost& cost);

// A unit near `length`: a power of 2, which rounds nothing, unless p is so large that the factor in between would
// matter.
double scale_near(double length, double p);

}  // namespace rpw
