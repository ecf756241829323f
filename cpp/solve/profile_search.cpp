// See profile_search.hpp.
#include "solve/profile_search.hpp"

#include <algorithm>
#include <cmath>

#include "ground/powers.hpp"
#include "walk/certificate.hpp"

namespace rpw {

namespace {

// Bounds that agree to this share are one number.
constexpr double same_number = 1e-13;

// Two heights of one line, from different sums.
constexpr double same_height = 4e-16;

// An exact answer whose bounds are further apart is looked for again.
constexpr double unproven = 1e-10;

// A walk from mass 0 that has taken this many steps per pair says enough about its rate.
constexpr double first_stretch = 1.5;

// A problem that a walk of so many steps solves is not worth a second thought.
constexpr double few_steps = 20000;

// Pivots per node and steps per pivot of a cold solve, as measured; used to guess its work.
constexpr double pivots_per_node = 3.5;
constexpr double steps_per_pivot = 100;
constexpr double steps_per_cost = 0.6;

// The walk goes on if its rest, guessed high, costs less than this share of a cold solve.
constexpr double worth_walking = 0.8;
constexpr double caution = 1.5;

// Towards the end of the profile trees are larger, and the same stretch costs so many times what it did at the start.
constexpr double dearer_towards_end = 4;

// Beyond this ratio of sizes a pivot of the walk may re-label the larger side, and the simplex is alone.
constexpr Node many_per_few = 4;

// How much steeper the profile is than that of the neighbours, if nothing else is known.
constexpr double steeper_than_neighbours = 1.3;

// A bracket of λ that is so much wider is halved by orders of magnitude: potentials at its upper end cannot tell apart
// what is cheap at its lower one.
constexpr double many_orders = 1e4;

constexpr int edges_between_gap_checks = 32;
constexpr int most_jumps = 500;

double least_positive(const Powers& cost) {
    double least = unreachable;
    for (std::size_t e = 0; e < cost.size(); ++e) {
        if (cost.data[e] > 0) least = std::min(least, cost.data[e]);
    }
    return least;
}

double cold_work(const Powers& cost) {
    const double few = std::min(cost.rows, cost.columns), both = cost.rows + cost.columns;
    return pivots_per_node * both * (steps_per_pivot + steps_per_cost * few);
}

// Adds `weight` of the plan of a basis.
void add_entries(std::vector<PlanEntry>& entries, const Basis& basis, Node rows, double weight, Mass total) {
    for (Node x = 0; x < static_cast<Node>(basis.size()); ++x) {
        const BasisNode& node = basis[x];
        if (node.parent < 0 || node.flow == 0) continue;
        entries.push_back(
            {std::min(x, node.parent), std::max(x, node.parent) - rows, weight * share_of(node.flow, total)});
    }
}

// Sums the masses of equal pairs.
void merge(std::vector<PlanEntry>& entries) {
    std::sort(entries.begin(), entries.end(), [](const PlanEntry& x, const PlanEntry& y) {
        return x.row < y.row || (x.row == y.row && x.column < y.column);
    });
    std::size_t kept = 0;
    for (const PlanEntry& entry : entries) {
        const bool is_same = kept > 0 && entries[kept - 1].row == entry.row && entries[kept - 1].column == entry.column;
        if (is_same) {
            entries[kept - 1].mass += entry.mass;
        } else {
            entries[kept++] = entry;
        }
    }
    entries.resize(kept);
}

}  // namespace

ProfileSearch::ProfileSearch(const PowerProblem& problem, const Goal& goal, Solver strategy, Pulse& pulse)
    : problem_(problem),
      goal_(goal),
      strategy_(strategy),
      pulse_(pulse),
      total_(problem.masses.total()),
      size_(static_cast<double>(problem.powers.size())),
      simplex_(problem, pulse) {
    left_.basis = simplex_.basis();
    start_ = proof_ = left_;
}

Status ProfileSearch::run(double tol, double cutoff) {
    Status status = Status::time_limit;
    if (ends_in_time([&] { status = search(tol, cutoff); })) return status;
    if (walk_) end_walk();
    return land_on_left(Status::time_limit);
}

Status ProfileSearch::search(double tol, double cutoff) {
    if (!goal_.is_beyond(1.0, 0.0)) return land_on_left(Status::exact);
    if (walk_pays()) {
        if (const auto status = begin_with_walk(tol, cutoff)) return *status;
    }
    return search_from_bracket(tol, cutoff);
}

Status ProfileSearch::search_from_bracket(double tol, double cutoff) {
    if (!neighbours_) neighbours_.emplace(problem_, goal_);
    lower_ = std::max(lower_, neighbours_->lower());
    if (const auto status = jump_and_walk(tol, cutoff); status && is_sound(*status)) return *status;
    // Rounding at a large λ can hide what is cheap, and has never been seen to do worse. The walk does not know λ.
    walk_.reset();
    right_.reset();
    further_.clear();
    left_ = start_;
    strategy_ = Solver::walk;
    start_walk(unreachable);
    return walk_on(tol, cutoff).value();
}

// Along the profile the crossings come in the order of κ: what was found on the way to the last one bounds the next.
Status ProfileSearch::go_on(const Goal& goal) {
    goal_ = goal;
    lower_ = 0;
    proven_ = -1;
    same_side_ = 0;
    neighbours_.reset();
    Status status = Status::time_limit;
    if (ends_in_time([&] { status = search_on(0, 1); })) return status;
    if (walk_) end_walk();
    return land_on_left(Status::time_limit);
}

Status ProfileSearch::search_on(double tol, double cutoff) {
    if (walk_) {
        if (walk_->edge().amount > 0) {
            if (const auto status = land_on_edge()) return *status;
            walk_->take_edge();
        }
        if (const auto status = walk_on(tol, cutoff)) return *status;
        if (solves_ == 0) {
            if (const auto status = end_first_walk(tol, cutoff)) return *status;
        } else {
            end_walk();
        }
    }
    move_bracket();
    return search_from_bracket(tol, cutoff);
}

// Puts the vertices that are known on the sides of a new goal on which they lie.
void ProfileSearch::move_bracket() {
    const auto look_at = [this](const Vertex& vertex) {
        remember(vertex, vertex.cost_p + vertex.lambda * vertex.unmoved);
    };
    look_at(left_);
    while (right_) {
        look_at(*right_);
        if (!goal_.is_beyond(right_->unmoved, right_->cost_p)) break;
        left_ = *std::move(right_);
        right_.reset();
        if (further_.empty()) break;
        right_ = std::move(further_.back());
        further_.pop_back();
    }
    simplex_.adopt(left_.basis);
}

// Vertices at guesses of λ, and walks from them; nothing if that leads nowhere.
std::optional<Status> ProfileSearch::jump_and_walk(double tol, double cutoff) {
    double lambda = next_lambda();
    bool is_chord = false;
    for (int jump = 0; jump < most_jumps; ++jump) {
        const double work = simplex_.work();
        simplex_.solve(lambda);
        ++solves_;
        room_ += simplex_.work() - work;
        Vertex found = vertex();
        const bool is_old = found.unmoved == left_.unmoved || (right_ && found.unmoved == right_->unmoved);
        if (const auto status = examine(std::move(found), is_chord, is_old, tol, cutoff)) return *status;
        if (const double rest = rest_of_walk(); walk_pays() && rest < room_) {
            start_walk(std::min(0.5 * room_, 2 * rest));
            if (const auto status = walk_on(tol, cutoff)) return *status;
            end_walk();
        }
        if (!right_ && left_.lambda >= dearest_path) return land_on_left(Status::exact);
        is_chord = right_ && !is_chord && wants_chord(is_old);
        lambda = is_chord ? chord() : next_lambda();
        if (right_ && lambda - left_.lambda < right_->lambda - lambda) simplex_.adopt(left_.basis);
    }
    return std::nullopt;
}

// Whether the bounds agree where they must. A plan between two vertices is held against the best line.
bool ProfileSearch::is_sound(Status status) const {
    if (status != Status::exact || walk_ || !goal_.is_crossing()) return true;
    return unmoved_ - proven_ <= unproven * unmoved_;
}

// The first stretch of the walk, and the rest of it where that looks cheaper than a cold solve.
std::optional<Status> ProfileSearch::begin_with_walk(double tol, double cutoff) {
    start_walk(strategy_ == Solver::walk ? unreachable : std::max(few_steps, first_stretch * size_));
    if (const auto status = walk_on(tol, cutoff)) return status;
    return end_first_walk(tol, cutoff);
}

std::optional<Status> ProfileSearch::end_first_walk(double tol, double cutoff) {
    neighbours_.emplace(problem_, goal_);
    lower_ = std::max(lower_, neighbours_->lower());
    const double walked = -std::log(walk_->unmoved()), all = -std::log(std::max(lower_end(), 1e-300));
    const double rest = walked > 0 ? caution * walk_->work() * (all / walked - 1) : unreachable;
    if (rest < worth_walking * cold_work(problem_.powers)) {
        walk_->allow(walk_->work() + 2 * rest + size_);
        if (const auto status = walk_on(tol, cutoff)) return status;
    }
    end_walk();
    room_ = 0;
    return std::nullopt;
}

// Takes a new vertex in; the status if that ends the search.
std::optional<Status> ProfileSearch::examine(Vertex found, bool is_chord, bool is_old, double tol, double cutoff) {
    const double lambda = found.lambda, height = found.cost_p + lambda * found.unmoved;
    remember(found, height);
    if (is_chord) {
        const double on_chord = left_.cost_p + lambda * left_.unmoved;
        if (is_old || height >= on_chord * (1 - same_height)) {
            if (goal_.with_slope) proof_ = std::move(found);
            return land_between(goal_.on_line(on_chord, lambda), Status::exact);
        }
    }
    if (goal_.is_crossing() && lower_ > cutoff) return land_on_left(Status::beyond_cutoff);
    const bool is_left = goal_.is_beyond(found.unmoved, found.cost_p);
    same_side_ = is_left == (same_side_ > 0) ? same_side_ + (is_left ? 1 : -1) : (is_left ? 1 : -1);
    const bool is_there = goal_.is_crossing() ? found.unmoved == 0 && found.cost_p == 0
                                              : std::abs(found.unmoved - goal_.unmoved) <= smallest_step;
    // A vertex found at a λ far beyond the costs of the goal carries the rounding of that λ: it must not push the
    // bracket apart.
    if (is_left && found.unmoved <= left_.unmoved) left_ = std::move(found);
    if (!is_left && (!right_ || found.unmoved >= right_->unmoved)) {
        if (right_) further_.push_back(*std::move(right_));
        right_ = std::move(found);
    }
    if (is_there && !is_left && !goal_.with_slope) return land_between(right_->unmoved, Status::exact);
    return end_if_close(tol);
}

// Ends the search where the bounds agree, or are within tol.
std::optional<Status> ProfileSearch::end_if_close(double tol) {
    if (!goal_.is_crossing()) return std::nullopt;
    const double upper = right_ ? goal_.on_line(left_.cost_p + chord() * left_.unmoved, chord()) : left_.unmoved;
    const double gap = upper - proven_;
    if (!(gap <= std::max(tol * (1 - 1e-9), same_number * upper))) return std::nullopt;
    const Status status = gap <= same_number * upper ? Status::exact : Status::tolerance;
    return right_ ? land_between(upper, status) : land_on_left(status);
}

bool ProfileSearch::walk_pays() const {
    if (strategy_ != Solver::exact) return strategy_ == Solver::walk;
    const Node n = problem_.powers.rows, m = problem_.powers.columns;
    return std::max(n, m) / many_per_few < std::min(n, m);
}

// The work of the rest of the way, at the rate of the walks so far and with one pass over the costs.
double ProfileSearch::rest_of_walk() const {
    if (lower_end() == 0 || walk_rate_ == 0) return unreachable;
    const double stretch = std::log(left_.unmoved / lower_end());
    return 0.5 * size_ + dearer_towards_end * walk_rate_ * stretch;
}

void ProfileSearch::start_walk(double most_work) {
    const double limit = right_ ? right_->lambda * (1 + 1e-9) : unreachable;
    walk_.emplace(problem_, pulse_, left_.basis, left_.lambda, limit);
    walk_->allow(most_work);
}

// Walks as long as there is room; the status if that ends the search.
std::optional<Status> ProfileSearch::walk_on(double tol, double cutoff) {
    const double cutoff_p = cutoff < 1 ? power(goal_.kappa * cutoff, goal_.p) : unreachable;
    for (int edges = 1; walk_->find_edge(); ++edges) {
        const Edge edge = walk_->edge();
        const double before = walk_->unmoved();
        if (const auto status = land_on_edge()) return status;
        if (goal_.is_crossing()) {
            // F lies above the line through this edge: if that is still too dear at the cutoff, so is F.
            const double at_cutoff = walk_->cost_p() + edge.slope * (before - cutoff);
            if (at_cutoff > cutoff_p) return land_on_walk(before, 0, Status::beyond_cutoff);
        }
        walk_->take_edge();
        if (tol > 0 && edges % edges_between_gap_checks == 0) {
            const double lower = goal_.on_line(walk_->cost_p() + edge.slope * walk_->unmoved(), edge.slope);
            if (walk_->unmoved() - lower <= tol) return land_on_walk(walk_->unmoved(), 0, Status::tolerance);
        }
    }
    if (walk_->moved() == walk_->total()) return land_on_walk(0, 0, Status::exact);
    return std::nullopt;
}

// Ends the search if the goal lies on the edge that the walk has found.
std::optional<Status> ProfileSearch::land_on_edge() {
    const Edge edge = walk_->edge();
    const double before = walk_->unmoved();
    const double after = walk_->share(walk_->total() - walk_->moved() - edge.amount);
    if (goal_.is_beyond(after, walk_->cost_p() + edge.slope * walk_->share(edge.amount))) return std::nullopt;
    if (edge.slope > dearest_path && goal_.is_crossing()) return land_on_walk(before, 0, Status::exact);
    const double cost_p = walk_->plan_cost_p();
    const double unmoved = std::clamp(goal_.on_line(cost_p + edge.slope * before, edge.slope), after, before);
    return land_on_walk(unmoved, part_of_edge(cost_p, unmoved), Status::exact);
}

// How far into the found edge the goal lies. For the crossing it comes from the cost, not as a difference of masses,
// which would cancel where almost nothing is moved.
double ProfileSearch::part_of_edge(double cost_p, double unmoved) const {
    const Edge& edge = walk_->edge();
    const double whole = walk_->share(edge.amount);
    if (!goal_.is_crossing()) return std::clamp(walk_->unmoved() - unmoved, 0.0, whole);
    if (edge.slope == 0) return whole;  // free: only ε = 0 is reached on such an edge
    return std::clamp((power(goal_.kappa * unmoved, goal_.p) - cost_p) / edge.slope, 0.0, whole);
}

// Hands the basis of a walk that did not reach the goal over to the simplex.
void ProfileSearch::end_walk() {
    const double stretch = std::log(left_.unmoved / walk_->unmoved());
    if (walk_rate_ == 0 && stretch > 0) walk_rate_ = walk_->work() / stretch;
    room_ -= walk_->work();
    walk_pivots_ += walk_->pivots();
    left_ = {walk_->unmoved(), walk_->plan_cost_p(), std::max(walk_->lambda(), left_.lambda), walk_->forest().basis()};
    remember(left_, left_.cost_p + left_.lambda * left_.unmoved);
    simplex_.adopt(left_.basis);
    walk_.reset();
}

double ProfileSearch::next_lambda() const {
    if (!right_) return std::min(lambda_without_right(), dearest_path);
    const double low = left_.lambda, width = right_->lambda - low;
    const double least = std::max({low, neighbours_->first_slope(), right_->lambda * 1e-30});
    if (right_->lambda > many_orders * least) return std::sqrt(least) * std::sqrt(right_->lambda);
    return low + std::clamp(by_interpolation() - low - 0.03 * width, 0.01 * width, 0.99 * width);
}

// From below. Slopes are counted from the least one, so that it does not matter how far apart the measures lie.
double ProfileSearch::lambda_without_right() const {
    const double first = neighbours_->first_slope(), rise = left_.lambda - first;
    const double at_goal = neighbours_->slope_at(lower_end()) - first;
    const double plain = steeper_than_neighbours * at_goal;
    if (rise > 0) {  // as much steeper at the goal as it was up to here
        const double here = neighbours_->slope_at(left_.unmoved) - first;
        const double guess = here > 0 ? 0.9 * rise * at_goal / here : 2 * rise;
        return first + std::max(plain, std::clamp(guess, 1.15 * rise, 4 * rise));
    }
    if (first + plain > left_.lambda) return first + plain;
    if (first > 0) return 1.15 * first;  // all neighbours are equally near, and at their own price nothing moves
    const double least = least_positive(problem_.powers);
    return least < unreachable ? least / 2 : 1;
}

// The slope at the goal of the cubic through both vertices with their slopes.
double ProfileSearch::by_interpolation() const {
    const Vertex &l = left_, &r = *right_;
    const double width = l.unmoved - r.unmoved;
    // Where all mass is moved, every larger λ gives the same vertex; its slope is then that of a parabola.
    const double right_slope = r.unmoved > 0 ? r.lambda : std::min(r.lambda, 2 * chord() - l.lambda);
    const auto cubic = [&](double t) {
        const double s = 1 - t;
        return r.cost_p * (1 + 2 * t) * s * s - width * right_slope * t * s * s + l.cost_p * t * t * (3 - 2 * t) +
               width * l.lambda * t * t * s;
    };
    double low = 0, high = 1;
    for (int step = 0; step < 40; ++step) {
        const double t = (low + high) / 2;
        (goal_.is_beyond(r.unmoved + t * width, std::max(0.0, cubic(t))) ? high : low) = t;
    }
    const double t = high;
    return 6 * t * (1 - t) * (r.cost_p - l.cost_p) / width + right_slope * (1 - 4 * t + 3 * t * t) +
           l.lambda * (3 * t * t - 2 * t);
}

// The chord decides where no vertex lies between, and helps where guesses fall on one side again and again.
bool ProfileSearch::wants_chord(bool is_old) const {
    if (!is_old && right_->lambda > many_orders * left_.lambda) return false;
    return is_old || std::abs(same_side_) >= 3 || !(right_->lambda > left_.lambda);
}

ProfileSearch::Vertex ProfileSearch::vertex() const {
    const Mass left = total_ - simplex_.moved();
    const double unmoved = left <= problem_.masses.negligible() ? 0.0 : share_of(left, total_);
    return {unmoved, static_cast<double>(simplex_.cost() / total_), simplex_.lambda(), simplex_.basis()};
}

// Keeps a vertex if its line is the best lower bound.
void ProfileSearch::remember(const Vertex& vertex, double height) {
    const bool crosses = goal_.is_crossing();
    const double proven = crosses ? goal_.on_line(height, vertex.lambda) : height - vertex.lambda * goal_.unmoved;
    if (proven < proven_) return;
    proven_ = proven;
    proof_ = vertex;
    if (crosses) lower_ = std::max(lower_, proven);
}

Status ProfileSearch::land_on_walk(double unmoved, double partial, Status status) {
    unmoved_ = unmoved;
    partial_ = partial;
    return status;
}

Status ProfileSearch::land_between(double unmoved, Status status) {
    walk_.reset();
    const double width = left_.unmoved - right_->unmoved, rise = right_->cost_p - left_.cost_p;
    unmoved_ = std::clamp(unmoved, right_->unmoved, left_.unmoved);
    // For the crossing from the cost, as in `part_of_edge`.
    const double by_mass = width > 0 ? (left_.unmoved - unmoved_) / width : 1.0;
    const double by_cost = (power(goal_.kappa * unmoved_, goal_.p) - left_.cost_p) / rise;
    weight_ = goal_.is_crossing() && rise > 0 ? std::clamp(by_cost, 0.0, 1.0) : by_mass;
    return status;
}

Status ProfileSearch::land_on_left(Status status) {
    walk_.reset();
    unmoved_ = left_.unmoved;
    weight_ = 0;
    return status;
}

double ProfileSearch::cost_p() const {
    if (walk_) return walk_->plan_cost_p() + walk_->lambda() * partial_;
    return weight_ > 0 ? (1 - weight_) * left_.cost_p + weight_ * right_->cost_p : left_.cost_p;
}

std::vector<PlanEntry> ProfileSearch::plan() const {
    if (walk_) return walk_->plan(partial_);
    std::vector<PlanEntry> entries;
    if (weight_ < 1) add_entries(entries, left_.basis, problem_.powers.rows, 1 - weight_, total_);
    if (weight_ > 0) add_entries(entries, right_->basis, problem_.powers.rows, weight_, total_);
    merge(entries);
    return entries;
}

double ProfileSearch::certify(std::vector<double>& u, std::vector<double>& v) const {
    if (walk_) return lambda() - rpw::certify(problem_, walk_->forest(), lambda(), u, v);
    return lambda() - rpw::certify(problem_, Forest(problem_.masses, proof_.basis), lambda(), u, v);
}

std::vector<double> ProfileSearch::row_potentials() const {
    if (walk_) return rpw::row_potentials(walk_->forest(), lambda());
    return rpw::row_potentials(Forest(problem_.masses, proof_.basis), lambda());
}

}  // namespace rpw
