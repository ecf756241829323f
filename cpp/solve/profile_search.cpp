// See profile_search.hpp.
#include "solve/profile_search.hpp"

#include <algorithm>
#include <cmath>

#include "ground/powers.hpp"
#include "solve/chase.hpp"
#include "solve/mixed_plan.hpp"
#include "walk/certificate.hpp"

namespace rpw {

namespace {

// Bounds that agree to this share are one number.
constexpr double same_number = 1e-13;

// Two heights of one line, from different sums.
constexpr double same_height = 4e-16;

// An exact answer whose bounds are further apart is looked for again.
constexpr double unproven = 1e-10;

// The simplex finds costs up to 1e-14 λ: those that are smaller than λ by more than this are looked for again.
constexpr double much_larger = 1e5;

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
constexpr double dearer_towards_end = 8;

// Beyond this ratio of sizes a pivot of the walk may re-label the larger side, and the simplex is alone.
constexpr Node many_per_few = 4;

// Less than this share of an atom of the larger side is not worth aiming at.
constexpr double part_of_atom = 0.5;

// Solves in a row that find nothing new, before the chord is asked.
constexpr int most_stalls = 3;

// A change of log ε below this says nothing about how it goes on.
constexpr double short_stretch = 0.03;

// Passes over the costs, in steps per pair: those of a walk that has just started, and those of the last solves.
constexpr double walk_overhead = 0.6;
constexpr double solve_overhead = 2;

// A walk must look cheaper than half of the next solves, since it is guessed and they get cheaper; one that does not
// may take no more than half of this share of what the simplex has done.
constexpr double half = 0.5;
constexpr double small_share = 0.4;

// A solve that takes so many times what is expected will not end.
constexpr double most_solve = 100;

// Guesses past the goal that fell short, before the bracket is taken as it is.
constexpr int most_past_goal = 6;

constexpr int edges_between_gap_checks = 32;
constexpr int most_jumps = 500;

bool are_few_against_many(const Powers& cost) {
    return std::max(cost.rows, cost.columns) / many_per_few >= std::min(cost.rows, cost.columns);
}

double cold_work(const Powers& cost) {
    const double few = std::min(cost.rows, cost.columns), both = cost.rows + cost.columns;
    return pivots_per_node * both * (steps_per_pivot + steps_per_cost * few);
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
    return land_unfinished();
}

Status ProfileSearch::search(double tol, double cutoff) {
    if (!goal_.is_beyond(1.0, 0.0)) return land_on_left(Status::exact);
    chases_ = strategy_ == Solver::exact && !are_few_against_many(problem_.powers) && pays_to_chase(problem_, goal_);
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
    unfinished_ = std::move(right_);
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
    same_side_ = stalls_ = 0;
    neighbours_.reset();
    Status status = Status::time_limit;
    if (ends_in_time([&] { status = search_on(0, 1); })) return status;
    return land_unfinished();
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
        replace_left(*std::move(right_));
        right_.reset();
        if (further_.empty()) break;
        right_ = std::move(further_.back());
        further_.pop_back();
    }
    simplex_.adopt(left_.basis);
    start_of_solve_ = left_;
}

// Vertices at guesses of λ, and walks from them; nothing if that leads nowhere.
std::optional<Status> ProfileSearch::jump_and_walk(double tol, double cutoff) {
    double lambda = std::min(lambda_to_begin_with(), dearest_path);
    if (chases_ && solves_ == 0) {
        const auto corrected = chase(problem_, goal_, *neighbours_, part_of_one_atom(), cutoff, simplex_, lambda);
        if (!corrected) return land_on_left(Status::beyond_cutoff);
        lambda = *corrected;
    }
    bool is_chord = false;
    for (int jump = 0; jump < most_jumps; ++jump) {
        const double work = simplex_.work();
        const ProfilePoint from = start_of_solve_;
        // Rounding could make pivots go round in circles; this has not been seen, and the walk cannot.
        const double most_work = work + most_solve * cold_work(problem_.powers);
        if (!simplex_.solve(lambda, most_work) || !(is_chord || tighten(most_work))) return std::nullopt;
        ++solves_;
        room_ += simplex_.work() - work;
        Vertex found = vertex();
        start_of_solve_ = found;
        note_rates(from, found, simplex_.work() - work);
        const bool is_old = found.unmoved == left_.unmoved || (right_ && found.unmoved == right_->unmoved);
        if (const auto status = examine(std::move(found), is_chord, is_old, tol, cutoff)) return *status;
        if (!right_ && left_.lambda >= dearest_path) return land_on_left(Status::exact);
        SlopeGuess guess = guess_goal(goal_, bracket(), least_unmoved());
        if (const auto most_work = work_of_walk(guess)) {
            start_walk(*most_work);
            if (const auto status = walk_on(tol, cutoff)) return *status;
            end_walk();
            guess = guess_goal(goal_, bracket(), least_unmoved());
        }
        stalls_ = is_old ? stalls_ + 1 : 0;
        const bool is_past = knows_one_side();
        lambda = is_past ? lambda_past_goal(goal_, bracket(), *neighbours_, part_of_one_atom())
                         : next_lambda(guess, *neighbours_, bracket());
        lambda = std::min(lambda, dearest_path);
        is_chord = right_ && !is_past && wants_chord(lambda);
        if (is_chord) lambda = chord_between_slopes();
        if (right_ && lambda - left_.lambda < right_->lambda - lambda) {
            simplex_.adopt(left_.basis);
            start_of_solve_ = left_;
        }
    }
    return std::nullopt;
}

// Whether all vertices that were found lie on one side of the goal, so that there is nothing to guess between yet.
bool ProfileSearch::knows_one_side() const {
    return chases_ && (!right_ || left_.lambda == 0) && std::abs(same_side_) <= most_past_goal;
}

// The slope on the goal's side of a vertex says more about the way there than the λ that led to it. It is solved again
// there, as a rule without a pivot: what rounding at a far larger λ has hidden is found. False if that does not end.
bool ProfileSearch::tighten(double most_work) {
    const ProfilePoint found = vertex();
    const bool is_left = goal_.is_beyond(found.unmoved, found.cost_p);
    const double tight = is_left ? std::min(simplex_.largest_lambda(), dearest_path) : simplex_.least_lambda();
    return !(tight > 0) || tight == simplex_.lambda() || simplex_.solve(tight, most_work);
}

double ProfileSearch::lambda_to_begin_with() const {
    const Bracket known = bracket();
    if (known.right) return next_lambda(guess_goal(goal_, known, least_unmoved()), *neighbours_, known);
    const double at_goal = neighbours_->slope_at(lower_end());
    return first_lambda(problem_, goal_, *neighbours_, at_goal, known, least_unmoved());
}

// Whether the answer can be trusted. That to a crossing has bounds that agree, and a plan that costs no more than it
// may; a plan between two vertices is held against the best line. A cost must not be lost in the rounding of λ.
bool ProfileSearch::is_sound(Status status) const {
    if (status != Status::exact || walk_) return true;
    if (!goal_.is_crossing()) return lambda() <= much_larger * cost_p() || cost_p() == 0;
    const bool is_paid = root(cost_p(), goal_.p) <= goal_.kappa * unmoved_ * (1 + unproven);
    return is_paid && unmoved_ - proven_ <= unproven * unmoved_;
}

// The first stretch of the walk, and the rest of it where that looks cheaper than a cold solve.
std::optional<Status> ProfileSearch::begin_with_walk(double tol, double cutoff) {
    const double stretch = strategy_ == Solver::walk ? unreachable : std::max(few_steps, first_stretch * size_);
    start_walk(stretch / 2);
    if (const auto status = walk_on(tol, cutoff)) return status;
    note_middle();
    walk_->allow(stretch);
    if (const auto status = walk_on(tol, cutoff)) return status;
    return end_first_walk(tol, cutoff);
}

std::optional<Status> ProfileSearch::end_first_walk(double tol, double cutoff) {
    neighbours_.emplace(problem_, goal_);
    lower_ = std::max(lower_, neighbours_->lower());
    const double walked = -std::log(walk_->unmoved()), all = -std::log(std::max(lower_end(), 1e-300));
    const double rest = walked > 0 ? caution * walk_->work() * (all / walked - 1) : unreachable;
    if (rest < worth_walking * cold_work(problem_.powers)) {
        note_middle();
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
    if (is_left && found.unmoved <= left_.unmoved) replace_left(std::move(found));
    if (!is_left && (!right_ || found.unmoved >= right_->unmoved)) {
        if (right_) further_.push_back(*std::move(right_));
        right_ = std::move(found);
    }
    if (is_there && !is_left && !goal_.with_slope) return land_between(right_->unmoved, Status::exact);
    return end_if_close(tol);
}

// Between points that are almost one, the chord is rounding and nothing else; their slopes are not.
double ProfileSearch::chord_between_slopes() const {
    const auto [low, high] = std::minmax(left_.lambda, right_->lambda);
    return std::clamp(chord(), low, high);
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
    if (chases_) return false;
    return !are_few_against_many(problem_.powers);
}

// Learns from a solve how much work a stretch of the way takes.
void ProfileSearch::note_rates(const ProfilePoint& from, const ProfilePoint& to, double work) {
    if (from.unmoved == 0 || to.unmoved == 0) return;
    const double stretch = std::abs(std::log(from.unmoved / to.unmoved));
    if (stretch > short_stretch) solve_rate_ = work / stretch;
}

// How much a walk from the left may take, if it looks cheaper than more solves.
std::optional<double> ProfileSearch::work_of_walk(const SlopeGuess& guess) const {
    if (!walk_pays() || walk_rate_ == 0) return std::nullopt;
    const double stretch = std::max(0.0, std::log(left_.unmoved / guess.unmoved));
    const double walk = walk_overhead * size_ + walk_rate_ * stretch;
    const double solves = solve_rate_ > 0 ? solve_overhead * size_ + solve_rate_ * stretch : unreachable;
    const double most = half * std::min(room_, std::max(solves, small_share * room_));
    if (strategy_ == Solver::exact && walk > most) return std::nullopt;
    return std::min(2 * walk, std::max(walk, room_));
}

void ProfileSearch::start_walk(double most_work) {
    const double limit = right_ ? right_->lambda * (1 + 1e-9) : unreachable;
    walk_.emplace(problem_, pulse_, left_.basis, left_.lambda, limit);
    walk_->allow(most_work);
    note_middle();
}

// From here on the walk tells how the rest of the way will be.
void ProfileSearch::note_middle() {
    middle_ = {walk_->unmoved(), walk_->cost_p(), walk_->lambda()};
    middle_work_ = walk_->work();
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

// How far into the found edge the goal lies.
double ProfileSearch::part_of_edge(double cost_p, double unmoved) const {
    const Edge& edge = walk_->edge();
    const double whole = walk_->share(edge.amount);
    if (!goal_.is_crossing()) return std::clamp(walk_->unmoved() - unmoved, 0.0, whole);
    if (edge.slope == 0) return whole;  // free: only ε = 0 is reached on such an edge
    const double moved = moved_to_crossing(walk_->unmoved(), cost_p, unmoved, edge.slope, goal_.kappa, goal_.p);
    return std::clamp(moved, 0.0, whole);
}

// Hands the basis of a walk that did not reach the goal over to the simplex.
void ProfileSearch::end_walk() {
    const double stretch = std::log(middle_.unmoved / walk_->unmoved());
    const double dearer = left_.unmoved == 1 ? dearer_towards_end : caution;
    walk_rate_ = stretch > 0 ? dearer * (walk_->work() - middle_work_) / stretch : unreachable;
    room_ -= walk_->work();
    walk_pivots_ += walk_->pivots();
    if (stretch > short_stretch) before_ = middle_;
    left_ = {{walk_->unmoved(), walk_->plan_cost_p(), std::max(walk_->lambda(), left_.lambda)},
             walk_->forest().basis()};
    remember(left_, left_.cost_p + left_.lambda * left_.unmoved);
    simplex_.adopt(left_.basis);
    start_of_solve_ = left_;
    walk_.reset();
}

Bracket ProfileSearch::bracket() const {
    Bracket known{before_, left_, std::nullopt, same_side_};
    if (right_) known.right = *right_;
    return known;
}

// What can be left at the goal, as far as guesses go.
double ProfileSearch::least_unmoved() const { return std::max(lower_end(), part_of_one_atom()); }

double ProfileSearch::part_of_one_atom() const {
    return part_of_atom / std::max(problem_.powers.rows, problem_.powers.columns);
}

// The chord decides where no vertex lies between; so it is for guesses that find nothing new and cannot go further.
bool ProfileSearch::wants_chord(double lambda) const {
    const double width = right_->lambda - left_.lambda;
    if (!(width > 0) || stalls_ >= (chases_ ? 1 : most_stalls)) return true;
    const bool is_halved = std::min(lambda - left_.lambda, right_->lambda - lambda) > 0.499 * width;
    return stalls_ > 0 && is_halved && !spans_many_orders(bracket());
}

ProfileSearch::Vertex ProfileSearch::vertex() const { return {plan_of(simplex_, problem_.masses), simplex_.basis()}; }

void ProfileSearch::replace_left(Vertex found) {
    if (std::log(left_.unmoved / found.unmoved) > short_stretch) before_ = left_;
    left_ = std::move(found);
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
    const bool is_slanted = goal_.is_crossing() && width > 0 && rise > 0;
    double moved = left_.unmoved - unmoved_;
    if (is_slanted) {
        moved = moved_to_crossing(left_.unmoved, left_.cost_p, unmoved_, rise / width, goal_.kappa, goal_.p);
    }
    weight_ = width > 0 ? std::clamp(moved / width, 0.0, 1.0) : rise > 0 ? 0.0 : 1.0;
    return status;
}

Status ProfileSearch::land_on_left(Status status) {
    walk_.reset();
    unmoved_ = left_.unmoved;
    weight_ = 0;
    return status;
}

// When time is up: between any two of the plans that are known, or on one of them, wherever the least is proven.
Status ProfileSearch::land_unfinished() {
    if (pivots() == 0) {  // there was no time at all: nothing is known, whatever was looked at before the clock was
        neighbours_.reset();
        return land_on_left(Status::time_limit);
    }
    if (walk_) {
        end_walk();
    } else {
        add_unfinished_solve();
    }
    if (goal_.is_crossing() && !neighbours_) neighbours_.emplace(problem_, goal_);
    Vertex left = left_;
    std::optional<Vertex> right;
    double least = goal_.is_crossing() ? left_.unmoved : unreachable;
    for (const Vertex* from : {&start_, &left_}) {
        for (const std::optional<Vertex>* to : {&right_, &unfinished_}) {
            if (!*to || !((*to)->unmoved < from->unmoved)) continue;
            const double slope = chord_of(*from, **to), height = from->cost_p + slope * from->unmoved;
            const double bound = goal_.is_crossing() ? goal_.on_line(height, slope) : height - slope * goal_.unmoved;
            if (bound < least) least = bound, left = *from, right = **to;
        }
    }
    left_ = std::move(left);
    right_ = std::move(right);
    return right_ ? land_between(goal_.is_crossing() ? least : goal_.unmoved, Status::time_limit)
                  : land_on_left(Status::time_limit);
}

// The plan of a solve that was cut off is feasible, though not optimal; its potentials may prove more than others do.
void ProfileSearch::add_unfinished_solve() {
    Vertex found = vertex();
    std::vector<double> u, v;
    remember(found, found.lambda - rpw::certify(problem_, Forest(problem_.masses, found.basis), found.lambda, u, v));
    if (!goal_.is_beyond(found.unmoved, found.cost_p)) {
        unfinished_ = std::move(found);
    } else if (found.unmoved < left_.unmoved) {
        left_ = std::move(found);
    }
}

double ProfileSearch::cost_p() const {
    if (walk_) return walk_->plan_cost_p() + walk_->lambda() * partial_;
    return weight_ > 0 ? (1 - weight_) * left_.cost_p + weight_ * right_->cost_p : left_.cost_p;
}

std::vector<PlanEntry> ProfileSearch::plan() const {
    if (walk_) return walk_->plan(partial_);
    const Basis& right = right_ ? right_->basis : left_.basis;
    return mixed_plan(left_.basis, right, weight_, problem_.powers.rows, total_);
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
