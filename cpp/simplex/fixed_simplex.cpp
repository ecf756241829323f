// See fixed_simplex.hpp.
#include "simplex/fixed_simplex.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace rpw {

using namespace tuning;

namespace {

// How far the next bundle lies from the last one, so that all have their turn and neighbours lie far apart in time:
// between points that are given in order, a price would otherwise spread by one neighbour at a time.
Node scattering_step(Node bundles) {
    constexpr double golden_section = 0.382;  // whose multiples fill a circle evenly
    auto step = static_cast<Node>(golden_section * bundles);
    while (step > 1 && std::gcd(step, bundles) > 1) --step;
    return std::max<Node>(1, step);
}

}  // namespace

template <class Strips>
FixedSimplexOver<Strips>::FixedSimplexOver(const Problem& problem, Pulse& pulse)
    : costs_(problem),
      masses_(problem.masses),
      pulse_(pulse),
      rows_(static_cast<Node>(masses_.a.size())),
      root_(rows_ + static_cast<Node>(masses_.b.size())),
      strips_(costs_.are_columns() ? root_ - rows_ : rows_),
      first_strip_(costs_.are_columns() ? rows_ : 0),
      kept_count_(root_ - strips_),
      first_kept_(costs_.are_columns() ? 0 : rows_),
      strips_per_bundle_(costs_.per_bundle()),
      bundles_((strips_ + strips_per_bundle_ - 1) / strips_per_bundle_),
      step_(kept_count_ == 1 ? 1 : scattering_step(bundles_)),
      nodes_(root_ + std::size_t{1}, TreeNode{0, 0, root_}),
      next_(root_ + std::size_t{1}, static_cast<std::uint32_t>(root_)),
      depth_(root_ + std::size_t{1}, 0),
      potential_(root_, unreachable) {
    for (Node i = 0; i < rows_; ++i) nodes_[i].flow = masses_.a[i];
    for (Node j = rows_; j < root_; ++j) nodes_[j].flow = masses_.b[j - rows_];
    nodes_[root_].previous = root_;
    for (Node x = first_kept_; x < first_kept_ + kept_count_; ++x) list(x);
}

template <class Strips>
void FixedSimplexOver<Strips>::adopt(const Basis& basis) {
    for (Node x = 0; x < root_; ++x) {
        const BasisNode& node = basis[x];
        nodes_[x] = {node.flow, node.arc_cost, node.parent < 0 ? root_ : node.parent};
        depth_[x] = 0;
    }
    join(root_, root_);
    for (Node x = first_kept_; x < first_kept_ + kept_count_; ++x) list_with_ancestors(x);
}

template <class Strips>
Basis FixedSimplexOver<Strips>::basis() const {
    Basis basis(root_);
    for (Node x = 0; x < root_; ++x) {
        const TreeNode& node = nodes_[x];
        basis[x] = {node.parent == root_ ? -1 : node.parent, node.flow, node.arc_cost};
    }
    return basis;
}

template <class Strips>
ProfilePoint FixedSimplexOver<Strips>::point() const {
    const Mass total = masses_.total();
    Mass left = total;
    long double cost = 0;
    for (Node x = 0; x < root_; ++x) {
        if (hangs_from_root(x)) continue;
        left -= nodes_[x].flow;
        cost += static_cast<long double>(nodes_[x].flow) * nodes_[x].arc_cost;
    }
    const double unmoved = left <= masses_.negligible() ? 0.0 : share_of(left, total);
    return {unmoved, static_cast<double>(cost / total), lambda_};
}

// Tight on the arc to the parent: C + u + v = λ, and 0 on the arc to the root.
template <class Strips>
double FixedSimplexOver<Strips>::strip_potential(Node x) const {
    const TreeNode& node = nodes_[x];
    return node.parent == root_ ? 0.0 : lambda_ - node.arc_cost - potential_[node.parent];
}

// One round over all strips after the last pivot finds nothing: the basis is optimal, if the potentials are what the
// basis says. Those that were computed across a dear arc, which has left since, carry its rounding.
template <class Strips>
bool FixedSimplexOver<Strips>::solve(double lambda, double most_work) {
    start_at(lambda);
    do {
        price_kept_slacks();
        for (Node idle = 0; idle < bundles_; ++idle) {
            if (work_ > most_work) return false;
            if (price_next()) idle = -1;
        }
    } while (changes_when_relabelled());
    return true;
}

template <class Strips>
void FixedSimplexOver<Strips>::start_at(double lambda) {
    lambda_ = lambda;
    tolerance_ = rounding_of_lambda * lambda;
    relabel_all();
}

// Lets the best arc of the next strips enter, if there is one that gains; true if so.
template <class Strips>
bool FixedSimplexOver<Strips>::price_next() {
    const Node begin = first_strip_ + place_ * strips_per_bundle_;
    const Node end = std::min(begin + strips_per_bundle_, first_strip_ + strips_);
    if ((place_ += step_) >= bundles_) place_ -= bundles_;
    pulse_.note(static_cast<std::size_t>(strips_per_bundle_) * costs_.degree(begin - first_strip_) / 4 + 4);
    if (pulse_.is_asked()) pulse_.tell_moved(1 - point().unmoved, pivots());
    Entering best{-1, -1, 0, tolerance_};
    for (Node strip = begin; strip < end; ++strip) price_strip(strip, best);
    if (best.strip < 0) return false;
    if (is_row(best.strip)) {
        pivot(best.strip, best.partner, best.cost, best.gain);
    } else {
        pivot(best.partner, best.strip, best.cost, best.gain);
    }
    price_kept_slacks();
    return true;
}

// Computes all potentials afresh; true if that tells more than rounding.
template <class Strips>
bool FixedSimplexOver<Strips>::changes_when_relabelled() {
    before_.assign(kept(), kept() + kept_count_);
    relabel_all();
    for (Node k = 0; k < kept_count_; ++k) {
        if (std::abs(kept()[k] - before_[k]) > tolerance_) return true;
    }
    return false;
}

// Looks for an arc that gains more than the best one so far.
template <class Strips>
void FixedSimplexOver<Strips>::price_strip(Node strip, Entering& best) {
    const double potential = strip_potential(strip);
    const double least = costs_.least(strip - first_strip_, kept());
    work_ += work_of_strip(strip);
    const double gain = lambda_ - potential - least;
    if (-potential > best.gain && -potential >= gain) {
        best = {strip, root_, 0, -potential};
    } else if (gain > best.gain) {
        const StripArc arc = costs_.arc_of_least(strip - first_strip_, kept(), least);
        best = {strip, first_kept_ + arc.kept, arc.cost, gain};
    }
}

template <class Strips>
void FixedSimplexOver<Strips>::price_kept_slacks() {
    while (!negative_.empty()) {
        const Node x = negative_.back();
        negative_.pop_back();
        const double gain = -potential_[x];
        if (gain <= tolerance_) continue;
        is_row(x) ? pivot(x, root_, 0, gain) : pivot(root_, x, 0, gain);
        pulse_.note(64);
    }
}

// The arc from `row` to `column` enters; one of the two may be the root.
template <class Strips>
void FixedSimplexOver<Strips>::pivot(Node row, Node column, double cost, double gain) {
    ++pivots_;
    const Cycle cycle = find_cycle(row, column);
    if (cycle.leaving.amount > 0) push(row, column, cycle);
    if (cycle.on_row_side) {
        rehang(row, column, cycle.leaving, cost, gain);
    } else {
        rehang(column, row, cycle.leaving, cost, gain);
    }
    work_ += work_per_pivot;
}

// Climbs from both ends to their lowest common ancestor. Mass goes round the cycle apex → … → row → column → … → apex.
// It is taken from the arcs of rows on the way down and of columns on the way up; among equal bottlenecks the last one
// leaves (docs/proofs/walk.md, "Finiteness").
template <class Strips>
auto FixedSimplexOver<Strips>::find_cycle(Node row, Node column) const -> Cycle {
    Leaving down{std::numeric_limits<Mass>::max(), root_}, up = down;
    Node x = row, y = column, above = depth_of(x) - depth_of(y);
    const auto climb_from_row = [&] {
        if (is_row(x) && nodes_[x].flow < down.amount) down = {nodes_[x].flow, x};
        x = nodes_[x].parent;
    };
    const auto climb_from_column = [&] {
        if (!is_row(y) && nodes_[y].flow <= up.amount) up = {nodes_[y].flow, y};
        y = nodes_[y].parent;
    };
    for (; above > 0; --above) climb_from_row();
    for (; above < 0; ++above) climb_from_column();
    while (x != y) {
        climb_from_row();
        climb_from_column();
    }
    const bool on_row_side = down.amount < up.amount;
    return {x, on_row_side ? down : up, on_row_side};
}

template <class Strips>
void FixedSimplexOver<Strips>::push(Node row, Node column, const Cycle& cycle) {
    const Mass amount = cycle.leaving.amount;
    for (Node x = row; x != cycle.apex; x = nodes_[x].parent) nodes_[x].flow += is_row(x) ? -amount : amount;
    for (Node x = column; x != cycle.apex; x = nodes_[x].parent) nodes_[x].flow += is_row(x) ? amount : -amount;
}

// Hangs the subtree below the leaving arc from `parent` by its node `top`, whose potential grows by the gain.
template <class Strips>
void FixedSimplexOver<Strips>::rehang(Node top, Node parent, const Leaving& leaving, double entering_cost,
                                      double gain) {
    if (!is_listed(top)) {
        if (top == leaving.node) {  // a strip without children
            nodes_[top] = {leaving.amount, entering_cost, parent};
            return;
        }
        list(top);
    }
    if (!is_listed(parent)) list(parent);
    const Node old_parent = move_subtree(top, parent, leaving, entering_cost, is_strip(top) ? -gain : gain);
    if (is_strip(leaving.node)) unlist_if_leaf(leaving.node);
    if (is_strip(old_parent)) unlist_if_leaf(old_parent);
}

// Turns the arcs from `top` up to the leaving one around: the subtree of each node on that stem loses that of the one
// before and follows it. Returns the parent that the subtree had.
template <class Strips>
Node FixedSimplexOver<Strips>::move_subtree(Node top, Node parent, const Leaving& leaving, double entering_cost,
                                            double change) {
    Mass flow = leaving.amount;
    double cost = entering_cost;
    Node depth = depth_[parent], last = -1;
    for (Node x = top, above = parent;;) {
        TreeNode& node = nodes_[x];
        const Node old_parent = node.parent, before = node.previous;
        if (last >= 0) join(last, x);
        const Node rest = shift(x, ++depth - depth_[x], change, last);
        join(before, rest);
        node.parent = above;
        std::swap(node.flow, flow);
        std::swap(node.arc_cost, cost);
        if (x == leaving.node) {
            const Node next = next_of(parent);
            join(parent, top);
            join(last, next);
            return old_parent;
        }
        above = x;
        x = old_parent;
    }
}

// Adds to the depths and the potentials of a subtree. Returns what follows it, and its last node.
template <class Strips>
Node FixedSimplexOver<Strips>::shift(Node top, Node deeper, double change, Node& last) {
    const std::uint32_t* const following = next_.data();  // copies: the loop's writes do not touch them
    Node* const depths = depth_.data();
    double* const potential = potential_.data();
    const double least = -tolerance_;
    const Node depth = depths[top];
    std::uint32_t x = static_cast<std::uint32_t>(top), before;
    Node next_depth = depth, count = 0;
    do {
        const std::uint32_t next = following[x];
        depths[x] = next_depth + deeper;
        const double shifted = potential[x] + change;
        potential[x] = shifted;
        if (shifted < least) negative_.push_back(static_cast<Node>(x));
        before = x;
        x = next;
        next_depth = depths[x];
        ++count;
    } while (next_depth > depth);
    last = static_cast<Node>(before);
    work_ += count;
    return static_cast<Node>(x);
}

template <class Strips>
void FixedSimplexOver<Strips>::relabel_all() {
    negative_.clear();
    for (Node x = next_of(root_); x != root_; x = next_of(x)) {
        if (is_strip(x)) continue;
        const TreeNode& node = nodes_[x];
        potential_[x] = node.parent == root_ ? 0.0 : lambda_ - node.arc_cost - strip_potential(node.parent);
        if (potential_[x] < -tolerance_) negative_.push_back(x);
    }
    work_ += kept_count_;
}

template <class Strips>
void FixedSimplexOver<Strips>::note_sides() {
    hangs_from_row_.resize(root_);
    const auto note = [this](Node x) {
        const Node parent = nodes_[x].parent;
        hangs_from_row_[x] = parent == root_ ? static_cast<char>(is_row(x)) : hangs_from_row_[parent];
    };
    for (Node x = next_of(root_); x != root_; x = next_of(x)) note(x);
    for (Node x = first_strip_; x < first_strip_ + strips_; ++x) note(x);
}

// In a tree that hangs from the root by a row, potentials of columns grow with λ, and those of rows do not; in others
// it is the other way round. So what lies between two that grow is the first to hurt when λ falls, with those
// potentials themselves, and what lies between two that do not when it rises.
template <class Strips>
double FixedSimplexOver<Strips>::least_slack(bool of_growing) {
    note_sides();
    double least = unreachable;
    before_.assign(kept(), kept() + kept_count_);
    for (Node k = 0; k < kept_count_; ++k) {
        if (grows_with_lambda(first_kept_ + k) != of_growing) {
            before_[k] = unreachable;
        } else if (of_growing) {
            least = std::min(least, before_[k]);
        }
    }
    for (Node strip = first_strip_; strip < first_strip_ + strips_; ++strip) {
        if (grows_with_lambda(strip) != of_growing) continue;
        const double potential = strip_potential(strip);
        if (of_growing) least = std::min(least, potential);
        const double of_arcs = costs_.least(strip - first_strip_, before_.data()) + potential - lambda_;
        least = std::min(least, of_arcs);
        work_ += work_of_strip(strip);
        pulse_.note(static_cast<std::size_t>(costs_.degree(strip - first_strip_)) / 4 + 4);
    }
    return std::max(0.0, least);
}

// Places a node right behind its parent.
template <class Strips>
void FixedSimplexOver<Strips>::list(Node x) {
    const Node parent = nodes_[x].parent, next = next_of(parent);
    depth_[x] = depth_[parent] + 1;
    join(parent, x);
    join(x, next);
}

template <class Strips>
void FixedSimplexOver<Strips>::list_with_ancestors(Node x) {
    stack_.clear();
    for (; !is_listed(x); x = nodes_[x].parent) stack_.push_back(x);
    for (; !stack_.empty(); stack_.pop_back()) list(stack_.back());
}

template <class Strips>
void FixedSimplexOver<Strips>::unlist_if_leaf(Node x) {
    const Node next = next_of(x);
    if (depth_[next] > depth_[x]) return;
    join(nodes_[x].previous, next);
    depth_[x] = 0;
}

template class FixedSimplexOver<MatrixStrips>;
template class FixedSimplexOver<ListedStrips>;

}  // namespace rpw
