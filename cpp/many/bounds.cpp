// See bounds.hpp.
#include "many/bounds.hpp"

#include <algorithm>

#include "many/parallel.hpp"

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

std::vector<LinesOfOne> lines_of_each(const Batch& batch, const DualLines& lines) {
    std::vector<LinesOfOne> each;
    std::int64_t offset = 0;
    for (std::size_t s = 0; s < batch.a.size(); ++s) {
        each.emplace_back(batch, lines, s, offset);
        offset += (lines.start[s + 1] - lines.start[s]) * (batch.a.start[s + 1] - batch.a.start[s]);
    }
    return each;
}

}  // namespace

std::vector<double> neighbour_bounds(const Batch& batch, std::span<const std::int64_t> first,
                                     std::span<const std::int64_t> second, const Effort& effort) {
    std::vector<double> bounds(first.size(), 0.0);
    if (batch.question.quantity != Quantity::crossing) return bounds;
    std::vector<PairSolver> solvers;
    for (int worker = 0; worker < effort.threads; ++worker) solvers.emplace_back(batch);
    for_each_chunked(first.size(), 8, effort, [&](int worker, std::size_t e, Pulse& pulse) {
        bounds[e] = solvers[worker].neighbour_bound(first[e], second[e], pulse);
    });
    return bounds;
}

std::vector<double> line_bounds(const Batch& batch, std::span<const std::int64_t> first,
                                std::span<const std::int64_t> second, const DualLines& lines, const Effort& effort) {
    const std::vector<LinesOfOne> each = lines_of_each(batch, lines);
    std::vector<std::vector<double>> v(each.size());
    for_each_chunked(each.size(), 1, effort, [&](int, std::size_t s, Pulse& pulse) {
        if (each[s].count() > 0) v[s] = each[s].transform_over_places(pulse);
    });
    std::vector<double> bounds(first.size(), 0.0);
    for_each_chunked(first.size(), 64, effort, [&](int, std::size_t e, Pulse& pulse) {
        if (v[first[e]].empty()) return;  // no line, or no memory for it
        const Measure b = batch.b[second[e]];
        bounds[e] = each[first[e]].bound_by_places(b, v[first[e]].data());
        pulse.note(b.mass.size());
    });
    return bounds;
}

std::vector<double> mixed_bounds(const Batch& batch, std::span<const std::int64_t> first,
                                 std::span<const std::int64_t> second, const DualLines& lines, const Effort& effort) {
    const std::vector<LinesOfOne> each = lines_of_each(batch, lines);
    std::vector<double> bounds(first.size(), 0.0);
    std::vector<Room> rooms(effort.threads);
    for_each_chunked(first.size(), 1, effort, [&](int worker, std::size_t e, Pulse& pulse) {
        bounds[e] = each[first[e]].bound_by_mixture(batch.b[second[e]], rooms[worker], pulse);
    });
    return bounds;
}

}  // namespace rpw
