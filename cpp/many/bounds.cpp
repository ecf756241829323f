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

// Pairs with the same first measure. If they have many atoms at places they share, lines are transformed over all
// places once.
struct Run {
    std::size_t begin;
    std::size_t end;
    std::size_t since;      // no bound is older
    std::vector<double> v;  // empty where each pair is bounded by itself
};

std::vector<Run> runs_of(std::span<const std::int64_t> first, std::span<const std::int64_t> since) {
    std::vector<Run> runs;
    for (std::size_t begin = 0, end = 0; begin < first.size(); begin = end) {
        while (end < first.size() && first[end] == first[begin]) ++end;
        const auto oldest = *std::min_element(since.begin() + begin, since.begin() + end);
        runs.push_back({begin, end, static_cast<std::size_t>(oldest), {}});
    }
    return runs;
}

bool share_places(const Batch& batch, std::span<const std::int64_t> second) {
    if (!batch.space.matrix || batch.b.place.empty()) return false;
    std::int64_t atoms = 0;
    for (const auto t : second) atoms += batch.b.start[t + 1] - batch.b.start[t];
    return atoms >= batch.space.matrix->columns;
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
                                std::span<const std::int64_t> second, std::span<const std::int64_t> since,
                                const DualLines& lines, const Effort& effort) {
    const std::vector<LinesOfOne> each = lines_of_each(batch, lines);
    std::vector<Run> runs = runs_of(first, since);
    for_each_chunked(runs.size(), 1, effort, [&](int, std::size_t r, Pulse& pulse) {
        Run& run = runs[r];
        if (!share_places(batch, second.subspan(run.begin, run.end - run.begin))) return;
        run.v = each[first[run.begin]].transform_over_places(run.since, pulse);
    });
    std::vector<const Run*> run_of(first.size());
    for (const Run& run : runs) std::fill(run_of.begin() + run.begin, run_of.begin() + run.end, &run);
    std::vector<double> bounds(first.size(), 0.0);
    std::vector<Room> rooms(effort.threads);
    for_each_chunked(first.size(), batch.space.matrix ? 64 : 1, effort, [&](int worker, std::size_t e, Pulse& pulse) {
        const Run& run = *run_of[e];
        const LinesOfOne& own = each[first[e]];
        const Measure b = batch.b[second[e]];
        if (run.v.empty()) {
            bounds[e] = own.bound_by_mixture(b, rooms[worker], pulse);
        } else {
            const std::size_t older = (since[e] - run.since) * batch.space.matrix->columns;
            bounds[e] = own.bound_by_places(b, since[e], run.v.data() + older);
        }
        pulse.note(b.mass.size());
    });
    return bounds;
}

}  // namespace rpw
