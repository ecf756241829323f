// See dual_lines.hpp.
#include "many/dual_lines.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/crossing.hpp"
#include "base/least.hpp"
#include "base/simd.hpp"
#include "base/tuning.hpp"
#include "ground/powers.hpp"
#include "points/c_transform.hpp"
#include "solve/point_search.hpp"
#include "solve/route.hpp"

namespace rpw {

using namespace tuning;

namespace {

// least_j = min over i of C_ij + u_i, beside what it was, for each of several lines: their potentials lie `step` apart.
// Row by row, so that what is read again stays in the cache.
RPW_SIMD void lower_to_sums(double* least, const Matrix& costs, const double* u, std::size_t lines, std::size_t step) {
    for (Node i = 0; i < costs.rows; ++i) {
        const double* row = costs.row(i);
        for (std::size_t line = 0; line < lines; ++line) {
            double* own = least + line * costs.columns;
            const double shift = u[line * step + i];
            for (Node j = 0; j < costs.columns; ++j) own[j] = row[j] + shift < own[j] ? row[j] + shift : own[j];
        }
    }
}

RPW_SIMD void subtract_from(double lambda, double* least, std::size_t count) {
    for (std::size_t j = 0; j < count; ++j) least[j] = lambda - least[j] > 0 ? lambda - least[j] : 0;
}

// Odd: pictures have rows of even length.
Node step_of_sample(const Measure& b) { return std::max<Node>(1, b.size() / rows_in_sample) | 1; }

double weighted_sum(std::span<const double> potentials, std::span<const Mass> masses) {
    long double sum = 0;
    for (std::size_t i = 0; i < masses.size(); ++i) sum += static_cast<long double>(potentials[i]) * masses[i];
    return static_cast<double>(sum);
}

}  // namespace

LinesOfOne::LinesOfOne(const Batch& batch, const DualLines& lines, std::size_t s, std::int64_t offset)
    : batch_(batch),
      a_(batch.a[s]),
      multiplier_(lines.multiplier.subspan(lines.start[s], lines.start[s + 1] - lines.start[s])),
      u_(lines.u.subspan(offset, multiplier_.size() * a_.mass.size())) {
    for (std::size_t line = 0; line < count(); ++line) used_.push_back(weighted_sum(potentials(line), a_.mass));
}

std::vector<double> LinesOfOne::transform_over_places(Pulse& pulse) const {
    const auto places = static_cast<std::size_t>(batch_.space.matrix->columns);
    const std::vector<Mass> nothing(places, 0);
    PowerRows rows({batch_.space, a_, {nothing, {}, {}, {}}}, batch_.question.truncation, batch_.question.kappa,
                   batch_.question.p);
    std::vector<double> row(places), v(count() * places, unreachable);
    for (Node i = 0; i < rows.rows(); ++i) {
        rows.fill(i, row.data());
        lower_to_sums(v.data(), {row.data(), 1, rows.columns()}, &u_[i], count(), a_.mass.size());
        pulse.note(places * (1 + count()));
    }
    for (std::size_t line = 0; line < count(); ++line) subtract_from(multiplier_[line], &v[line * places], places);
    return v;
}

double LinesOfOne::bound_by_places(const Measure& b, const double* v) const {
    const Sums sums = sums_with(b);
    double best = 0;
    for (std::size_t line = 0; line < count(); ++line, v += batch_.space.matrix->columns) {
        double used = used_[line];
        for (Node j = 0; j < b.size(); ++j) {
            used += static_cast<double>(b.mass[j]) * v[b.place.empty() ? j : b.place[j]];
        }
        best = std::max(best, crossing_of(multiplier_[line], used, sums));
    }
    return best;
}

double LinesOfOne::bound_by_mixture(const Measure& b, Room& room, Pulse& pulse) const {
    if (count() == 0) return 0;
    const Question& question = batch_.question;
    const Pair pair{batch_.space, a_, b};
    if (begins_with_points(question, pair)) return bound_on_points(b, pulse);
    PowerRows rows(pair, question.truncation, question.kappa, question.p);
    const Powers powers{filled(rows, room.of_size(a_.mass.size() * b.mass.size()), pulse)};
    auto [lambda, u] = mixture_for(b, sample_of(b, powers));
    std::vector<double> v(b.mass.size(), unreachable);
    lower_to_sums(v.data(), powers, u.data(), 1, u.size());
    subtract_from(lambda, v.data(), v.size());
    for (Node i = 0; i < powers.rows; ++i) {
        u[i] = std::max(0.0, lambda - least_sum(powers.row(i), v.data(), powers.columns));
    }
    pulse.note(2 * powers.size());
    return crossing_of(lambda, weighted_sum(u, a_.mass) + weighted_sum(v, b.mass), sums_with(b));
}

double LinesOfOne::bound_on_points(const Measure& b, Pulse& pulse) const {
    const Question& question = batch_.question;
    const PointProblem problem = point_problem({batch_.space, a_, b}, question.kappa, question.p, pulse);
    if (!problem.costs.is_sound()) return 0;
    const Mixture mixture = mixture_for(b, sample_of(b));
    const double lambda = mixture.lambda;
    std::vector<double> u(mixture.u.size());
    for (Node x = 0; x < problem.rows.size(); ++x) u[x] = mixture.u[problem.rows.given(x)];
    std::vector<double> v = least_sums(problem.rows, u, problem.columns, problem.costs, lambda, pulse);
    subtract_from(lambda, v.data(), v.size());
    u = least_sums(problem.columns, v, problem.rows, problem.costs, lambda, pulse);
    subtract_from(lambda, u.data(), u.size());
    const double used = weighted_sum(u, problem.masses.a) + weighted_sum(v, problem.masses.b);
    return crossing_of(lambda, used, sums_with(b));
}

LinesOfOne::Sample LinesOfOne::sample_of(const Measure& b, const Powers& powers) const {
    if (count() <= lines_in_mixture) return {};
    const Node step = step_of_sample(b);
    Sample sample;
    for (Node j = 0; j < b.size(); j += step) sample.masses.push_back(static_cast<double>(b.mass[j]));
    sample.costs.reserve(powers.rows * sample.masses.size());
    for (Node i = 0; i < powers.rows; ++i) {
        for (Node j = 0; j < b.size(); j += step) sample.costs.push_back(powers.at(i, j));
    }
    return sample;
}

// From points.
LinesOfOne::Sample LinesOfOne::sample_of(const Measure& b) const {
    if (count() <= lines_in_mixture) return {};
    const Node step = step_of_sample(b), dimension = b.points.dimension;
    Sample sample;
    std::vector<double> coordinates;
    std::vector<Mass> masses;
    for (Node j = 0; j < b.size(); j += step) {
        masses.push_back(b.mass[j]);
        coordinates.insert(coordinates.end(), b.points.at(j), b.points.at(j) + dimension);
    }
    const auto size = static_cast<Node>(masses.size());
    sample.masses.assign(masses.begin(), masses.end());
    sample.costs.resize(a_.mass.size() * masses.size());
    PowerRows rows({batch_.space, a_, {masses, {coordinates.data(), size, dimension}, {}, {}}}, unreachable,
                   batch_.question.kappa, batch_.question.p);
    for (Node i = 0; i < rows.rows(); ++i) rows.fill(i, &sample.costs[static_cast<std::size_t>(i) * size]);
    return sample;
}

LinesOfOne::Mixture LinesOfOne::mixture_for(const Measure& b, const Sample& sample) const {
    const std::vector<std::size_t> best = best_for(b, sample);
    Mixture mixture{0, std::vector<double>(a_.mass.size(), 0.0)};
    for (const std::size_t line : best) {
        const double part = 1.0 / static_cast<double>(best.size());
        mixture.lambda += part * multiplier_[line];
        for (std::size_t i = 0; i < mixture.u.size(); ++i) mixture.u[i] += part * potentials(line)[i];
    }
    return mixture;
}

// The lines that would bound b best if some of its atoms were all of them.
std::vector<std::size_t> LinesOfOne::best_for(const Measure& b, const Sample& sample) const {
    std::vector<std::size_t> lines(count());
    std::iota(lines.begin(), lines.end(), 0);
    if (count() <= lines_in_mixture) return lines;
    const auto& masses = sample.masses;
    const auto size = static_cast<Node>(masses.size());
    const Sums sums = sums_with(b);
    const double scale = sums.total / std::accumulate(masses.begin(), masses.end(), 0.0);
    std::vector<double> bounds(count()), least(count() * masses.size(), unreachable);
    lower_to_sums(least.data(), {sample.costs.data(), a_.size(), size}, u_.data(), count(), a_.mass.size());
    for (std::size_t line = 0; line < count(); ++line) {
        double* v = &least[line * masses.size()];
        subtract_from(multiplier_[line], v, masses.size());
        const double used = used_[line] + scale * std::inner_product(v, v + size, masses.begin(), 0.0);
        bounds[line] = crossing_of(multiplier_[line], used, sums);
    }
    std::partial_sort(lines.begin(), lines.begin() + lines_in_mixture, lines.end(),
                      [&](std::size_t x, std::size_t y) { return bounds[x] > bounds[y]; });
    lines.resize(lines_in_mixture);
    return lines;
}

LinesOfOne::Sums LinesOfOne::sums_with(const Measure& b) const {
    const auto total = static_cast<double>(Masses{a_.mass, b.mass}.total());
    return {total, std::numeric_limits<double>::epsilon() * (a_.size() + b.size() + b.points.dimension + 8)};
}

// `used` is Σ a u + Σ b v. What is no number bounds nothing.
double LinesOfOne::crossing_of(double lambda, double used, const Sums& sums) const {
    const double height = lambda - used / sums.total - sums.rounding * lambda;
    return height > 0 ? crossing(height, lambda, 1.0, batch_.question.p) : 0;
}

}  // namespace rpw
