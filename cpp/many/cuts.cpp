// See cuts.hpp.
#include "many/cuts.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/crossing.hpp"
#include "base/least.hpp"
#include "base/simd.hpp"
#include "base/tuning.hpp"
#include "ground/powers.hpp"
#include "points/c_transform.hpp"
#include "points/point_search.hpp"
#include "solve/route.hpp"

namespace rpw {

using namespace tuning;

namespace {

// least_j = min over i of C_ij + u_i, beside what it was, for each of several cuts. The rows are those from `begin` on.
// Row by row, so that what is read again stays in the cache.
void lower_to_cuts(double* least, const Matrix& costs, std::span<const Cut> cuts, Node begin = 0) {
    for (Node i = 0; i < costs.rows; ++i) {
        double* own = least;
        for (const Cut& cut : cuts) {
            lower_to_sums(costs.row(i), cut.u[begin + i], costs.columns, own);
            own += costs.columns;
        }
    }
}

RPW_SIMD void subtract_from(double lambda, double* least, std::size_t count) {
    for (std::size_t j = 0; j < count; ++j) least[j] = lambda - least[j] > 0 ? lambda - least[j] : 0;
}

// Odd: pictures have rows of even length.
Node step_of_sample(const Measure& b) { return std::max<Node>(1, b.size() / rows_in_sample) | 1; }

}  // namespace

CutsOfOne::CutsOfOne(const Batch& batch, std::size_t s, std::span<const Cut> cuts)
    : batch_(batch), a_(batch.a[s]), cuts_(cuts) {
    for (const Cut& cut : cuts) used_.push_back(weighted_sum(a_.mass, cut.u));
}

std::vector<double> CutsOfOne::transform_over_places(Pulse& pulse) const {
    const auto places = static_cast<std::size_t>(batch_.space.matrix->columns);
    const std::vector<Mass> nothing(places, 0);
    PowerRows rows({batch_.space, a_, {nothing, {}, {}, {}}}, batch_.question.truncation, batch_.question.kappa,
                   batch_.question.p);
    std::vector<double> row(places), v(count() * places, unreachable);
    for (Node i = 0; i < rows.rows(); ++i) {
        rows.fill(i, row.data());
        lower_to_cuts(v.data(), {row.data(), 1, rows.columns()}, cuts_, i);
        pulse.note(places * (1 + count()));
    }
    for (std::size_t c = 0; c < count(); ++c) subtract_from(cuts_[c].lambda, &v[c * places], places);
    return v;
}

double CutsOfOne::bound_by_places(const Measure& b, const double* v) const {
    const Sums sums = sums_with(b);
    double best = 0;
    for (std::size_t c = 0; c < count(); ++c, v += batch_.space.matrix->columns) {
        double used = used_[c];
        for (Node j = 0; j < b.size(); ++j) {
            used += static_cast<double>(b.mass[j]) * v[b.place.empty() ? j : b.place[j]];
        }
        best = std::max(best, crossing_of(cuts_[c].lambda, used, sums));
    }
    return best;
}

double CutsOfOne::bound_by_mixture(const Measure& b, Room& room, Pulse& pulse) const {
    if (count() == 0) return 0;
    const Question& question = batch_.question;
    const Pair pair{batch_.space, a_, b};
    if (begins_with_points(question, pair)) return bound_on_points(b, pulse);
    PowerRows rows(pair, question.truncation, question.kappa, question.p);
    const Powers powers{filled(rows, room.of_size(a_.mass.size() * b.mass.size()), pulse)};
    Cut mixture = mixture_for(b, sample_of(b));
    auto& [lambda, u] = mixture;
    std::vector<double> v(b.mass.size(), unreachable);
    lower_to_cuts(v.data(), powers, {&mixture, 1});
    subtract_from(lambda, v.data(), v.size());
    for (Node i = 0; i < powers.rows; ++i) {
        u[i] = std::max(0.0, lambda - least_sum(powers.row(i), v.data(), powers.columns));
    }
    pulse.note(2 * powers.size());
    return crossing_of(lambda, weighted_sum(a_.mass, u) + weighted_sum(b.mass, v), sums_with(b));
}

double CutsOfOne::bound_on_points(const Measure& b, Pulse& pulse) const {
    const Question& question = batch_.question;
    const PointProblem problem = point_problem({batch_.space, a_, b}, question.kappa, question.p, pulse);
    if (!problem.costs.is_sound()) return 0;
    const Cut mixture = mixture_for(b, sample_of(b));
    const double lambda = mixture.lambda;
    std::vector<double> u(mixture.u.size());
    for (Node x = 0; x < problem.rows.size(); ++x) u[x] = mixture.u[problem.rows.given(x)];
    std::vector<double> v = least_sums(problem.rows, u, problem.columns, problem.costs, lambda, pulse);
    subtract_from(lambda, v.data(), v.size());
    u = least_sums(problem.columns, v, problem.rows, problem.costs, lambda, pulse);
    subtract_from(lambda, u.data(), u.size());
    const double used = weighted_sum(problem.masses.a, u) + weighted_sum(problem.masses.b, v);
    return crossing_of(lambda, used, sums_with(b));
}

CutsOfOne::Sample CutsOfOne::sample_of(const Measure& b) const {
    if (count() <= cuts_in_mixture) return {};
    const Node step = step_of_sample(b), dimension = b.points.dimension;
    std::vector<double> coordinates;
    std::vector<std::int32_t> places;
    std::vector<Mass> masses;
    for (Node j = 0; j < b.size(); j += step) {
        masses.push_back(b.mass[j]);
        if (batch_.space.matrix) {
            places.push_back(b.place.empty() ? j : b.place[j]);
        } else {
            coordinates.insert(coordinates.end(), b.points.at(j), b.points.at(j) + dimension);
        }
    }
    const auto size = static_cast<Node>(masses.size());
    Sample sample{{masses.begin(), masses.end()}, std::vector<double>(a_.mass.size() * masses.size())};
    PowerRows rows({batch_.space, a_, {masses, {coordinates.data(), size, dimension}, places, {}}},
                   batch_.question.truncation, batch_.question.kappa, batch_.question.p);
    for (Node i = 0; i < rows.rows(); ++i) rows.fill(i, &sample.costs[static_cast<std::size_t>(i) * size]);
    return sample;
}

Cut CutsOfOne::mixture_for(const Measure& b, const Sample& sample) const {
    const std::vector<std::size_t> best = best_for(b, sample);
    Cut mixture{0, std::vector<double>(a_.mass.size(), 0.0)};
    for (const std::size_t c : best) {
        const double part = 1.0 / static_cast<double>(best.size());
        mixture.lambda += part * cuts_[c].lambda;
        for (std::size_t i = 0; i < mixture.u.size(); ++i) mixture.u[i] += part * cuts_[c].u[i];
    }
    return mixture;
}

// The cuts that would bound b best if some of its atoms were all of them.
std::vector<std::size_t> CutsOfOne::best_for(const Measure& b, const Sample& sample) const {
    std::vector<std::size_t> best(count());
    std::iota(best.begin(), best.end(), 0);
    if (count() <= cuts_in_mixture) return best;
    const auto& masses = sample.masses;
    const auto size = static_cast<Node>(masses.size());
    const Sums sums = sums_with(b);
    const double scale = sums.total / std::accumulate(masses.begin(), masses.end(), 0.0);
    std::vector<double> bounds(count()), least(count() * masses.size(), unreachable);
    lower_to_cuts(least.data(), {sample.costs.data(), a_.size(), size}, cuts_);
    for (std::size_t c = 0; c < count(); ++c) {
        double* v = &least[c * masses.size()];
        subtract_from(cuts_[c].lambda, v, masses.size());
        const double used = used_[c] + scale * std::inner_product(v, v + size, masses.begin(), 0.0);
        bounds[c] = crossing_of(cuts_[c].lambda, used, sums);
    }
    std::partial_sort(best.begin(), best.begin() + cuts_in_mixture, best.end(),
                      [&](std::size_t x, std::size_t y) { return bounds[x] > bounds[y]; });
    best.resize(cuts_in_mixture);
    return best;
}

CutsOfOne::Sums CutsOfOne::sums_with(const Measure& b) const {
    const auto total = static_cast<double>(Masses{a_.mass, b.mass}.total());
    return {total, std::numeric_limits<double>::epsilon() * (a_.size() + b.size() + b.points.dimension + 8)};
}

// `used` is Σ a u + Σ b v. What is no number bounds nothing.
double CutsOfOne::crossing_of(double lambda, double used, const Sums& sums) const {
    const double height = lambda - used / sums.total - sums.rounding * lambda;
    return height > 0 ? crossing(height, lambda, 1.0, batch_.question.p) : 0;
}

}  // namespace rpw
