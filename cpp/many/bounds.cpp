// See bounds.hpp.
#include "many/bounds.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/crossing.hpp"
#include "base/simd.hpp"
#include "ground/distances.hpp"
#include "ground/powers.hpp"
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
        [&](std::size_t done) { effort.report(done * chunk); });
}

RPW_SIMD void lower_to_sums(double* least, const double* row, double shift, Node count) {
    for (Node j = 0; j < count; ++j) least[j] = std::min(least[j], row[j] + shift);
}

// The lines of one first measure.
class LinesOfOne {
public:
    LinesOfOne(const Batch& batch, const DualLines& lines, std::size_t s, std::int64_t offset)
        : batch_(batch),
          a_(batch.a[s]),
          multiplier_(lines.multiplier.subspan(lines.start[s], lines.start[s + 1] - lines.start[s])),
          u_(lines.u.subspan(offset, multiplier_.size() * a_.mass.size())) {
        for (std::size_t line = 0; line < count(); ++line) used_.push_back(used_by_rows(line));
    }

    std::size_t count() const { return multiplier_.size(); }

    // v_j = max(0, max_i λ - C_ij - u_i) at every atom of b, for each line from `since` on, one line after the other.
    void transform(const Measure& b, std::size_t since, std::vector<double>& v, Pulse& pulse) const {
        const Question& question = batch_.question;
        DistanceRows rows({batch_.space, a_, b}, question.truncation);
        const Node columns = b.size();
        std::vector<double> row(columns);
        v.assign((count() - since) * columns, unreachable);
        for (Node i = 0; i < rows.rows(); ++i) {
            rows.fill(i, row.data());
            scaled_powers(row.data(), row.size(), question.kappa, question.p, row.data());
            for (std::size_t line = since; line < count(); ++line) {
                lower_to_sums(&v[(line - since) * columns], row.data(), u_[line * a_.mass.size() + i], columns);
            }
            pulse.note(rows.work_per_row() + columns * (count() - since));
        }
        for (std::size_t line = since; line < count(); ++line) {
            const auto begin = v.begin() + static_cast<std::ptrdiff_t>((line - since) * columns);
            std::for_each(begin, begin + columns, [&](double& x) { x = std::max(0.0, multiplier_[line] - x); });
        }
    }

    // Where the best line from `since` on crosses, if atom j of b has the potentials v[at(j)], v[at(j) + columns] and
    // so on.
    template <class At>
    double best_bound(const Measure& b, std::size_t since, const double* v, std::size_t columns, const At& at) const {
        const auto total = static_cast<double>(Masses{a_.mass, b.mass}.total());
        // No term is larger than λ, so neither is what rounding takes from a sum of them, times their number.
        const double rounding = std::numeric_limits<double>::epsilon() * (a_.size() + b.size() + 8);
        double best = 0;
        for (std::size_t line = since; line < count(); ++line, v += columns) {
            double used = used_[line];
            for (Node j = 0; j < b.size(); ++j) used += static_cast<double>(b.mass[j]) * v[at(j)];
            const double lambda = multiplier_[line], height = lambda - used / total - rounding * lambda;
            best = std::max(best, crossing(height, lambda, 1.0, batch_.question.p));
        }
        return best;
    }

private:
    double used_by_rows(std::size_t line) const {
        long double used = 0;
        for (Node i = 0; i < a_.size(); ++i) {
            used += static_cast<long double>(u_[line * a_.mass.size() + i]) * a_.mass[i];
        }
        return static_cast<double>(used);
    }

    const Batch& batch_;
    Measure a_;
    std::span<const double> multiplier_;
    std::span<const double> u_;
    std::vector<double> used_;
};

// The lines of every first measure that occurs; one without is left empty.
std::vector<LinesOfOne> lines_of_each(const Batch& batch, const DualLines& lines) {
    std::vector<LinesOfOne> each;
    std::int64_t offset = 0;
    for (std::size_t s = 0; s < batch.a.size(); ++s) {
        each.emplace_back(batch, lines, s, offset);
        offset += (lines.start[s + 1] - lines.start[s]) * (batch.a.start[s + 1] - batch.a.start[s]);
    }
    return each;
}

// Whether the measures have so many atoms at places they share that it is less work to transform lines over all places.
bool share_places(const Batch& batch, std::span<const std::int64_t> second) {
    if (!batch.space.matrix || batch.b.place.empty()) return false;
    std::int64_t atoms = 0;
    for (const auto t : second) atoms += batch.b.start[t + 1] - batch.b.start[t];
    return atoms >= batch.space.matrix->columns;
}

// One for each run of pairs with the same first measure.
struct Run {
    std::size_t begin;
    std::size_t end;
    std::size_t since;
    bool is_shared;
    std::vector<double> v;  // at all places, where they are shared
};

std::vector<Run> runs_of(const Batch& batch, std::span<const std::int64_t> first, std::span<const std::int64_t> second,
                         std::span<const std::int64_t> since) {
    std::vector<Run> runs;
    for (std::size_t begin = 0, end; begin < first.size(); begin = end) {
        end =
            std::find_if(first.begin() + begin, first.end(), [&](auto s) { return s != first[begin]; }) - first.begin();
        const auto least = *std::min_element(since.begin() + begin, since.begin() + end);
        const bool is_shared = share_places(batch, second.subspan(begin, end - begin));
        runs.push_back({begin, end, static_cast<std::size_t>(least), is_shared, {}});
    }
    return runs;
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
    std::vector<Run> runs = runs_of(batch, first, second, since);
    const auto columns = batch.space.matrix ? static_cast<std::size_t>(batch.space.matrix->columns) : 0;
    const std::vector<Mass> nothing(columns, 0);
    const Measure all_places{nothing, {}, {}, {}};
    for_each_chunked(runs.size(), 1, effort, [&](int, std::size_t r, Pulse& pulse) {
        if (runs[r].is_shared) each[first[runs[r].begin]].transform(all_places, runs[r].since, runs[r].v, pulse);
    });
    std::vector<const Run*> run_of(first.size());
    for (const Run& run : runs) std::fill(run_of.begin() + run.begin, run_of.begin() + run.end, &run);
    std::vector<double> bounds(first.size(), 0.0);
    std::vector<std::vector<double>> rooms(effort.threads);
    for_each_chunked(first.size(), columns > 0 ? 64 : 1, effort, [&](int worker, std::size_t e, Pulse& pulse) {
        const Run& run = *run_of[e];
        const LinesOfOne& own = each[first[e]];
        const Measure b = batch.b[second[e]];
        const auto from = static_cast<std::size_t>(since[e]);
        if (run.is_shared) {
            const double* v = &run.v[(from - run.since) * columns];
            bounds[e] = own.best_bound(b, from, v, columns, [&](Node j) { return b.place[j]; });
        } else {
            own.transform(b, from, rooms[worker], pulse);
            bounds[e] = own.best_bound(b, from, rooms[worker].data(), b.mass.size(), [](Node j) { return j; });
        }
        pulse.note(b.mass.size());
    });
    return bounds;
}

}  // namespace rpw
