// See bounds.hpp.
#include "many/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/crossing.hpp"
#include "ground/distances.hpp"
#include "ground/powers.hpp"
#include "line/on_line.hpp"
#include "many/parallel.hpp"
#include "points/c_transform.hpp"
#include "points/point_lengths.hpp"
#include "search/own_ways.hpp"
#include "solve/route.hpp"

namespace rpw {

namespace {

// body(worker, e, pulse) for each e below `count`, in chunks. What a pair throws is left to its solve, which has more
// to say; here it has no bound.
template <class Body>
void for_each_chunked(std::size_t count, std::size_t chunk, const Effort& effort, const Body& body) {
    const std::size_t chunks = (count + chunk - 1) / chunk;
    for_each_parallel(
        chunks, effort.threads, effort.seconds,
        [&](int worker, std::size_t c, Pulse& pulse) {
            for (std::size_t e = c * chunk; e < std::min(count, (c + 1) * chunk); ++e) {
                try {
                    body(worker, e, pulse);
                } catch (const std::range_error&) {
                } catch (const std::bad_alloc&) {
                }
            }
        },
        [&](std::size_t done) { effort.report(std::min(count, done * chunk)); });
}

// Where "everybody to the nearest" crosses.
double one_way(std::span<const Mass> masses, std::vector<double> lengths, const Question& question) {
    if (std::isinf(question.p)) return crossing_of_long_ways(masses, lengths, question.kappa);
    for (double& length : lengths) length = std::min(power(length / question.kappa, question.p), largest_power);
    return own_ways(masses, lengths, {1, question.p}).at_goal;
}

// Nothing where that would take longer than a solve.
std::optional<Nearest> nearest_of(const Pair& pair, const Question& question, Room& room, Pulse& pulse) {
    Nearest nearest;
    const bool is_truncated = question.truncation != unreachable;
    if (!is_truncated && nearest_on_line(pair, nearest.of_row, nearest.of_column)) return nearest;
    if (is_truncated || !begins_with_points(question, pair)) {
        return nearest_partners(distances_of(pair, question.truncation, room, pulse), pulse);
    }
    const bool has_plain_unit = length_unit(pair.a.points, pair.b.points) == 1;
    if (!has_plain_unit || !searches_pay(pair.a.points.dimension)) return {};
    const PointTrees trees(pair, 0, pulse);
    return nearest_partners(PointLengths(trees), pulse);
}

double neighbour_bound(const Pair& pair, const Question& question, Room& room, Pulse& pulse) {
    const std::optional<Nearest> nearest = nearest_of(pair, question, room, pulse);
    if (!nearest) return 0;
    return std::max(one_way(pair.a.mass, nearest->of_row, question),
                    one_way(pair.b.mass, nearest->of_column, question));
}

// Of each first measure s, the cuts from skipped(s) on.
template <class Skipped>
std::vector<CutsOfOne> cuts_of_each(const Batch& batch, const Cuts& cuts, const Skipped& skipped) {
    std::vector<CutsOfOne> each;
    for (std::size_t s = 0; s < batch.a.size(); ++s) each.emplace_back(batch, s, cuts.of(s).subspan(skipped(s)));
    return each;
}

}  // namespace

std::vector<double> neighbour_bounds(const Batch& batch, const Pairs& pairs, const Effort& effort) {
    std::vector<double> bounds(pairs.size(), 0.0);
    if (batch.question.quantity != Quantity::crossing) return bounds;
    std::vector<Room> rooms(effort.threads);
    for_each_chunked(pairs.size(), 8, effort, [&](int worker, std::size_t e, Pulse& pulse) {
        bounds[e] = neighbour_bound(pairs.of(batch, e), batch.question, rooms[worker], pulse);
    });
    return bounds;
}

std::vector<double> cut_bounds(const Batch& batch, const Pairs& pairs, const Cuts& cuts,
                               std::span<const std::int64_t> since, const Effort& effort) {
    const auto each = cuts_of_each(batch, cuts, [&](std::size_t s) { return since[s]; });
    std::vector<std::vector<double>> v(each.size());
    for_each_chunked(each.size(), 1, effort, [&](int, std::size_t s, Pulse& pulse) {
        if (each[s].count() > 0) v[s] = each[s].transform_over_places(pulse);
    });
    std::vector<double> bounds(pairs.size(), 0.0);
    for_each_chunked(pairs.size(), 64, effort, [&](int, std::size_t e, Pulse& pulse) {
        const std::int64_t s = pairs.first[e];
        if (v[s].empty()) return;  // no cut, or no memory for it
        const Measure b = batch.b[pairs.second[e]];
        bounds[e] = each[s].bound_by_places(b, v[s].data());
        pulse.note(b.mass.size());
    });
    return bounds;
}

std::vector<double> mixed_bounds(const Batch& batch, const Pairs& pairs, const Cuts& cuts, std::size_t most,
                                 const Effort& effort) {
    const auto each = cuts_of_each(batch, cuts, [&](std::size_t s) { return std::max(cuts.count(s), most) - most; });
    std::vector<double> bounds(pairs.size(), 0.0);
    std::vector<Room> rooms(effort.threads);
    for_each_chunked(pairs.size(), 1, effort, [&](int worker, std::size_t e, Pulse& pulse) {
        bounds[e] = each[pairs.first[e]].bound_by_mixture(batch.b[pairs.second[e]], rooms[worker], pulse);
    });
    return bounds;
}

}  // namespace rpw
