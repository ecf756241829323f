// See board.hpp.
#include "browser/board.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/crossing.hpp"
#include "ground/distances.hpp"
#include "ground/leading_column.hpp"
#include "solve/solve.hpp"

namespace rpw::browser {

namespace {

constexpr double mass_units = 1152921504606846976.0;  // 2^60, as in src/rpw/pair/atoms.py
constexpr double same_number = 1e-9;                  // as in src/rpw/pair/solvers.py
constexpr double rounding_of_one = 0x1p-53;

// From so many pairs on, trees are asked for by name. Without AVX a matrix is slow: 1,000 points at p = 2 took 154 ms
// by matrix and 57 by trees.
constexpr double many_pairs = 250'000;

Question question_of(Quantity quantity, const Parameters& asked, bool by_trees) {
    Question question;
    if (by_trees && !std::isinf(asked.p)) question.solver = Solver::points;
    question.quantity = quantity;
    question.p = asked.p;
    question.kappa = asked.kappa;
    question.tol = asked.tol;
    question.need = Need::plan;
    return question;
}

// Flows at p = ∞ may move more than is asked for. Entries come with growing lengths, and the last are cut.
void trim(Reading& answer, double mass) {
    double excess = std::accumulate(answer.mass.begin(), answer.mass.end(), 0.0) - mass;
    while (excess > 0 && !answer.mass.empty()) {
        double& last = answer.mass.back();
        if (last > excess) {
            last -= excess;
            return;
        }
        excess -= last;
        answer.row.pop_back(), answer.column.pop_back(), answer.mass.pop_back();
    }
}

// Bounds that differ by the rounding of masses alone agree.
std::pair<double, bool> lower_bound(const Outcome& outcome, bool is_share) {
    const double gap = outcome.upper - outcome.lower;
    const bool is_exact = outcome.status == Status::exact;
    if (!is_exact || gap <= same_number * outcome.upper) return {outcome.lower, is_exact};
    if (is_share && gap <= rounding_of_one) return {outcome.upper, true};
    return {outcome.lower, false};
}

}  // namespace

bool Board::has_many() const { return a.is_plane() && static_cast<double>(a.size()) * b.size() >= many_pairs; }

double* Cloud::resize(Node count, Node dimension) {
    count_ = count, dimension_ = dimension;
    written_.assign(static_cast<std::size_t>(count) * (dimension + 1), 0.0);
    return written_.data();
}

void Cloud::read() {
    const std::span<const double> given(written_.data() + static_cast<std::size_t>(count_) * dimension_, count_);
    const double largest = given.empty() ? 0 : *std::max_element(given.begin(), given.end());
    if (!(largest > 0)) throw std::invalid_argument("a cloud needs a point with a weight");
    weight_.assign(given.begin(), given.end());
    for (double& weight : weight_) weight /= largest;
    long double sum = 0;
    for (const double weight : weight_) sum += weight;
    kept_.clear(), mass_.clear(), coordinates_.clear();
    for (Node i = 0; i < count_; ++i) {
        weight_[i] /= static_cast<double>(sum);
        const auto mass = static_cast<Mass>(std::nearbyint(weight_[i] * mass_units));
        if (mass == 0) continue;
        kept_.push_back(i), mass_.push_back(mass);
        const double* point = written_.data() + static_cast<std::size_t>(i) * dimension_;
        coordinates_.insert(coordinates_.end(), point, point + dimension_);
    }
}

std::vector<double> Cloud::rest(std::span<const double> atom, std::span<const double> mass) const {
    std::vector<double> moved(count_, 0.0);
    for (std::size_t e = 0; e < atom.size(); ++e) moved[static_cast<std::size_t>(atom[e])] += mass[e];
    std::vector<double> left(count_);
    for (Node i = 0; i < count_; ++i) left[i] = std::max(weight_[i] - moved[i], 0.0);
    return left;
}

template <class Ask>
auto Board::ask(const Parameters& asked, const Ask& ask) {
    a.read(), b.read();
    const Space space{asked.metric, std::nullopt};
    const Pair pair{space, a.measure(), b.measure()};
    Pulse pulse(nullptr, asked.seconds);
    return ask(pair, room_, pulse);
}

Reading Board::crossing(const Parameters& asked) {
    const auto quantity = asked.kappa == 0 ? Quantity::shared : Quantity::crossing;
    return solved(question_of(quantity, asked, has_many()), asked);
}

Reading Board::transport(const Parameters& asked) {
    return solved(question_of(Quantity::mass, asked, has_many()), asked);
}

Reading Board::place(const Parameters& asked) {
    Question question = question_of(Quantity::crossing, asked, has_many());
    question.need = Need::bounds;
    return solved(question, asked);
}

Reading Board::leading_column() {
    a.read(), b.read();
    const auto column = rpw::leading_column(a.measure().points, b.measure().points);
    Reading answer;
    answer.numbers = {column ? static_cast<double>(*column) : -1};
    return answer;
}

Reading Board::solved(const Question& question, const Parameters& asked) {
    const Outcome outcome =
        ask(asked, [&](const Pair& pair, Room& room, Pulse& pulse) { return solve(pair, question, room, pulse); });
    const bool is_share = question.quantity != Quantity::mass;
    Reading answer;
    for (const PlanEntry& entry : outcome.plan) {
        answer.row.push_back(a.given_atom(entry.row));
        answer.column.push_back(b.given_atom(entry.column));
        answer.mass.push_back(entry.mass);
    }
    double cost = is_share ? outcome.cost : outcome.value;
    if (!outcome.lengths.empty()) {
        trim(answer, is_share ? 1 - outcome.value : 1);
        if (is_share) cost = answer.mass.empty() ? 0 : outcome.lengths[answer.mass.size() - 1];
    }
    const auto [lower, is_exact] = lower_bound(outcome, is_share);
    const double moved = is_share ? 1 - outcome.value : 1;
    answer.numbers = {outcome.value, lower, outcome.upper, cost, moved, is_exact ? 1.0 : 0.0};
    answer.unmatched_a = a.rest(answer.row, answer.mass);
    answer.unmatched_b = b.rest(answer.column, answer.mass);
    return answer;
}

Reading Board::whole_profile(const Parameters& asked) {
    const Question question = question_of(Quantity::profile, asked, false);
    const Band band = ask(asked, [&](const Pair& pair, Room& room, Pulse& pulse) {
        return rpw::whole_profile(pair, question, room, pulse);
    });
    const Curve& curve = band.upper;
    Reading answer;
    for (std::size_t s = 0; s < curve.unmoved.size(); ++s) {
        answer.alpha.push_back(1 - curve.unmoved[s]);
        answer.cost.push_back(std::isinf(asked.p) ? curve.cost[s] : curve.scale * root(curve.cost[s], asked.p));
    }
    return answer;
}

}  // namespace rpw::browser
