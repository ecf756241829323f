// See point_tree.hpp.
#include "points/point_tree.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "base/simd.hpp"

namespace rpw {

namespace {

constexpr Node per_leaf = PointTree::per_leaf, per_block = PointTree::per_block;

Node up(Node count, Node parts) { return (count + parts - 1) / parts; }

}  // namespace

// ---------------------------------------------------------------- the geometry

PointTree::PointTree(const Points& points, double unit, Pulse& pulse)
    : dimension_(points.dimension), leaves_(up(points.count, per_leaf)), order_(points.count), first_{0} {
    Node chunk = per_leaf;
    for (Node count = up(leaves_, per_block);; count = up(count, per_block)) {
        first_.push_back(first_.back() + count);
        if (count == 1) break;
        chunk *= per_block;
    }
    std::iota(order_.begin(), order_.end(), 0);
    arrange(points, 0, points.count, chunk, pulse);
    fill_leaves(points, unit);
    fill_boxes();
}

// Sorts a range into chunks that lie apart, of this size and then of those below it.
std::vector<Mass> PointTree::in_order(std::span<const Mass> given) const {
    std::vector<Mass> masses;
    masses.reserve(order_.size());
    for (const Node x : order_) masses.push_back(given[x]);
    return masses;
}

void PointTree::arrange(const Points& points, Node begin, Node end, Node chunk, Pulse& pulse) {
    pulse.note(static_cast<std::size_t>(end - begin) * (dimension_ + 4));
    while (chunk > per_leaf && end - begin <= chunk) chunk /= per_block;
    const Node chunks = up(end - begin, chunk);
    if (chunks <= 1) return;
    const Node middle = begin + up(chunks, 2) * chunk;
    if (middle >= end) return;
    split(points, begin, middle, end);
    arrange(points, begin, middle, chunk, pulse);
    arrange(points, middle, end, chunk, pulse);
}

// Across the longest side of the box around the range.
void PointTree::split(const Points& points, Node begin, Node middle, Node end) {
    Node axis = 0;
    double longest = -1;
    for (Node t = 0; t < dimension_; ++t) {
        double low = unreachable, high = -unreachable;
        for (Node x = begin; x < end; ++x) {
            low = std::min(low, points.at(order_[x])[t]);
            high = std::max(high, points.at(order_[x])[t]);
        }
        if (high - low > longest) longest = high - low, axis = t;
    }
    const auto is_before = [&](Node i, Node j) { return points.at(i)[axis] < points.at(j)[axis]; };
    std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end, is_before);
}

void PointTree::fill_leaves(const Points& points, double unit) {
    coordinates_.assign(static_cast<std::size_t>(leaves_) * dimension_ * per_leaf, 0.0);
    for (Node x = 0; x < size(); ++x) {
        double* leaf = coordinates_.data() + static_cast<std::size_t>(x / per_leaf) * dimension_ * per_leaf;
        for (Node t = 0; t < dimension_; ++t) leaf[t * per_leaf + x % per_leaf] = points.at(order_[x])[t] / unit;
    }
}

void PointTree::fill_boxes() {
    boxes_.assign(static_cast<std::size_t>(blocks()) * dimension_ * 2 * per_block, 0.0);
    for (Node level = 0; level < levels(); ++level) {
        const Node boxes = level == 0 ? leaves_ : first_[level] - first_[level - 1];
        for (Node box = 0; box < boxes; ++box) {
            const Node block = first_[level] + box / per_block, place = box % per_block;
            for (Node t = 0; t < dimension_; ++t) {
                const double *low, *high;
                Node count;
                if (level == 0) {
                    low = high = of_leaf(box, t);
                    count = std::min(per_leaf, size() - box * per_leaf);
                } else {
                    low = of_block(first_[level - 1] + box, t), high = low + per_block;
                    const Node below = level == 1 ? leaves_ : first_[level - 1] - first_[level - 2];
                    count = std::min(per_block, below - box * per_block);
                }
                double* out = boxes_.data() + (static_cast<std::size_t>(block) * dimension_ + t) * 2 * per_block;
                out[place] = *std::min_element(low, low + count);
                out[per_block + place] = *std::max_element(high, high + count);
            }
        }
    }
}

PointGroup::PointGroup(const PointTree& tree, Node first, Node stride)
    : count(std::min(most, up(tree.size() - first, stride))), coordinates(most * tree.dimension()) {
    for (Node g = 0; g < most; ++g) {
        tree.copy_point(first + std::min(g, count - 1) * stride, coordinates.data() + g * tree.dimension());
    }
}

// ---------------------------------------------------------------- weights

WeightedTree::WeightedTree(const PointTree& tree, const PointCost& cost)
    : tree_(&tree),
      cost_(cost),
      weight_(static_cast<std::size_t>(tree.leaves()) * per_leaf, unreachable),
      least_(static_cast<std::size_t>(tree.blocks()) * per_block, unreachable) {}

double WeightedTree::least_of_leaf(Node leaf) const {
    const double* weight = weight_.data() + static_cast<std::size_t>(leaf) * per_leaf;
    return *std::min_element(weight, weight + per_leaf);
}

void WeightedTree::sum_up() {
    for (Node leaf = 0; leaf < tree_->leaves(); ++leaf) least_[leaf] = least_of_leaf(leaf);
    for (Node level = 1; level < tree_->levels(); ++level) {
        const Node first = tree_->first_block(level), below = tree_->first_block(level - 1);
        for (Node box = 0; box < first - below; ++box) {
            const double* children = least_.data() + static_cast<std::size_t>(below + box) * per_block;
            least_[static_cast<std::size_t>(first) * per_block + box] =
                *std::min_element(children, children + per_block);
        }
    }
}

// Up from the leaf, as long as the least weight of a box changes.
void WeightedTree::set(Node x, double weight) {
    if (weight_[x] == weight) return;
    weight_[x] = weight;
    Node box = x / per_leaf;
    double least = least_of_leaf(box);
    for (Node level = 0; level < tree_->levels(); ++level) {
        double& known = least_[static_cast<std::size_t>(tree_->first_block(level)) * per_block + box];
        if (known == least) return;
        known = least;
        box /= per_block;
        const double* siblings =
            least_.data() + (static_cast<std::size_t>(tree_->first_block(level)) + box) * per_block;
        least = *std::min_element(siblings, siblings + per_block);
    }
}

// ---------------------------------------------------------------- the search

namespace {

// As the processor has them, so that loops vectorise.
inline double larger(double x, double y) { return x > y ? x : y; }
inline double smaller(double x, double y) { return x < y ? x : y; }

// Of one point, or of a leaf: left to itself the compiler turns the loop over coordinates into vectors, and shuffles.
using Eight [[gnu::vector_size(per_leaf * sizeof(double))]] = double;
constexpr Node points_at_once = 4;

// By a reference: where a vector is returned depends on the processor.
template <Metric metric, class Number>
[[gnu::always_inline]] inline void lengthen(Number& sum, const Number& difference) {
    if constexpr (metric == Metric::euclidean) {
        sum += difference * difference;
        return;
    }
    const Number length = difference < 0 ? -difference : difference;
    if constexpr (metric == Metric::cityblock) sum += length;
    if constexpr (metric == Metric::chebyshev) sum = sum > length ? sum : length;
}

}  // namespace

double WeightedTree::cost(const double* point, Node x) const {
    return cost_.between(point, tree_->of_leaf(x / per_leaf, 0) + x % per_leaf, per_leaf, tree_->dimension());
}

// One kind of distance, and a number of coordinates (0: any).
template <Metric metric, Node fixed>
class WeightedTree::Search {
public:
    Search(const WeightedTree& self, const double* point)
        : self_(self),
          tree_(*self.tree_),
          point_(point),
          cost_(self.cost_),
          dimension_(fixed > 0 ? fixed : self.tree_->dimension()) {}

    // Depth first, the box with the least bound first.
    [[gnu::always_inline]] NearestPoint least(NearestPoint best, std::size_t& boxes) {
        for (put({0, 0, tree_.levels()}); count_ > 0;) {
            const Waiting next = waiting_[--count_];
            if (!(next.bound < best.cost)) continue;
            ++boxes;
            if (next.level > 0) {
                open(next, best.cost);
                continue;
            }
            double key[per_leaf];
            look_at_leaf(next.box, best.cost, key);
            for (Node c = 0; c < per_leaf; ++c) key[c] += weight_of(next.box)[c];
            for (Node c = 0; c < per_leaf; ++c) {
                if (key[c] < best.cost) best = {key[c], next.box * per_leaf + c};
            }
        }
        return best;
    }

    // Below the bound; of more than `most` the best. They are a heap then, the worst one first, and from there on only
    // what is better counts.
    [[gnu::always_inline]] void gather(double beyond, std::size_t most, std::vector<KeyedPoint>& found,
                                       std::size_t& boxes) {
        bool is_heap = false;
        for (put({0, 0, tree_.levels()}); count_ > 0;) {
            const Waiting next = waiting_[--count_];
            if (!(next.bound < beyond)) continue;
            ++boxes;
            if (next.level > 0) {
                open(next, beyond);
                continue;
            }
            double cost[per_leaf];
            look_at_leaf(next.box, beyond, cost);
            for (Node c = 0; c < per_leaf; ++c) {
                const double key = cost[c] + weight_of(next.box)[c];
                if (!(key < beyond)) continue;
                found.push_back({key, cost[c], next.box * per_leaf + c});
                if (found.size() <= most) continue;
                if (!is_heap) {
                    std::make_heap(found.begin(), found.end());
                    is_heap = true;
                } else {
                    std::push_heap(found.begin(), found.end());
                }
                std::pop_heap(found.begin(), found.end());
                found.pop_back();
                beyond = found.front().key;
            }
        }
    }

    // The costs of the points of a leaf for some points, one after the other in memory, of which this is the first.
    [[gnu::always_inline]] void look_from_some(Node leaf, double (*cost)[per_leaf]) const {
        Eight sum[points_at_once] = {};
        const double* at = tree_.of_leaf(leaf, 0);
        for (Node t = 0; t < dimension_; ++t, at += per_leaf) {
            Eight place;
            std::memcpy(&place, at, sizeof place);
            for (Node g = 0; g < points_at_once; ++g) {
                lengthen<metric>(sum[g], point_[g * dimension_ + t] - place);
            }
        }
        for (Node g = 0; g < points_at_once; ++g) {
            std::memcpy(cost[g], &sum[g], sizeof sum[g]);
            Search(self_, point_ + g * dimension_).make_costs(leaf, unreachable, cost[g]);
        }
    }

private:
    // A box or a leaf that is still to be looked at: of this level (0: leaves), and no point in it costs less.
    struct Waiting {
        double bound;
        Node box;
        Node level;
    };

    const double* weight_of(Node leaf) const {
        return self_.weight_.data() + static_cast<std::size_t>(leaf) * per_leaf;
    }
    void put(const Waiting& waiting) { waiting_[count_++] = waiting; }

    // The costs of the points of a leaf; infinite where the weight alone is beyond the bound.
    [[gnu::always_inline]] void look_at_leaf(Node leaf, double beyond, double* key) const {
        for (Node c = 0; c < per_leaf; ++c) key[c] = 0;
        for (Node t = 0; t < dimension_; ++t) {
            const double *at = tree_.of_leaf(leaf, t), from = point_[t];
            for (Node c = 0; c < per_leaf; ++c) lengthen<metric>(key[c], from - at[c]);
        }
        make_costs(leaf, beyond, key);
    }

    // From sums to costs.
    [[gnu::always_inline]] void make_costs(Node leaf, double beyond, double* key) const {
        if (cost_.is_proportional()) {
            for (Node c = 0; c < per_leaf; ++c) key[c] = smaller(key[c] * cost_.factor(), largest_power);
            return;
        }
        const double* weight = weight_of(leaf);
        for (Node c = 0; c < per_leaf; ++c) {
            if (weight[c] >= beyond) {
                key[c] = unreachable;
            } else if (key[c] < cost_.least_sum()) {
                key[c] = cost_.of_short(point_, tree_.of_leaf(leaf, 0) + c, per_leaf, dimension_);
            } else {
                key[c] = cost_.of_sum(key[c]);
            }
        }
    }

    // Puts the boxes of a block aside that may hold something below the bound, the best one last. The bound of a box is
    // the cost of the way to it plus its least weight.
    [[gnu::always_inline]] void open(const Waiting& parent, double beyond) {
        const Node block = tree_.first_block(parent.level - 1) + parent.box, begin = count_;
        const double* least = self_.least_.data() + static_cast<std::size_t>(block) * per_block;
        double bound[per_block] = {};
        for (Node t = 0; t < dimension_; ++t) {
            const double *low = tree_.of_block(block, t), *high = low + per_block, at = point_[t];
            for (Node c = 0; c < per_block; ++c) {
                lengthen<metric>(bound[c], larger(larger(low[c] - at, at - high[c]), 0.0));
            }
        }
        if (cost_.is_proportional()) {
            for (Node c = 0; c < per_block; ++c) {
                bound[c] = smaller(bound[c] * cost_.factor(), largest_power) + least[c];
            }
        } else {
            for (Node c = 0; c < per_block; ++c) {
                const bool is_far = least[c] >= beyond;
                bound[c] =
                    is_far ? unreachable : (bound[c] < cost_.least_sum() ? 0.0 : cost_.of_sum(bound[c])) + least[c];
            }
        }
        for (Node c = 0; c < per_block; ++c) {
            if (!(bound[c] < beyond)) continue;
            Node place = count_++;
            for (; place > begin && waiting_[place - 1].bound < bound[c]; --place) {
                waiting_[place] = waiting_[place - 1];
            }
            waiting_[place] = {bound[c], parent.box * per_block + c, parent.level - 1};
        }
    }

    const WeightedTree& self_;
    const PointTree& tree_;
    const double* point_;
    const PointCost cost_;
    const Node dimension_;
    Waiting waiting_[12 * per_block];
    Node count_ = 0;
};

// Calls `ask` with the search that suits the metric and the dimension.
template <class Ask>
[[gnu::always_inline]] inline void WeightedTree::with_search(const double* point, const Ask& ask) const {
    const Node dimension = tree_->dimension();
    switch (cost_.metric()) {
        case Metric::euclidean:
            if (dimension == 2) return ask(Search<Metric::euclidean, 2>(*this, point));
            if (dimension == 3) return ask(Search<Metric::euclidean, 3>(*this, point));
            return ask(Search<Metric::euclidean, 0>(*this, point));
        case Metric::cityblock:
            return ask(Search<Metric::cityblock, 0>(*this, point));
        case Metric::chebyshev:
            return ask(Search<Metric::chebyshev, 0>(*this, point));
    }
}

RPW_SIMD NearestPoint WeightedTree::least(const double* point, NearestPoint known, std::size_t& boxes) const {
    with_search(point, [&](auto search) __attribute__((always_inline)) { known = search.least(known, boxes); });
    return known;
}

RPW_SIMD void WeightedTree::gather(const double* point, double beyond, std::size_t most, std::vector<KeyedPoint>& found,
                                   std::size_t& boxes) const {
    with_search(point, [&](auto search) __attribute__((always_inline)) { search.gather(beyond, most, found, boxes); });
}

// Calls visit(point of the group, leaf, costs of its points).
template <class Visit>
[[gnu::always_inline]] inline void WeightedTree::for_each_leaf(const PointGroup& group, const Visit& visit) const {
    double cost[points_at_once][per_leaf];
    for (Node leaf = 0; leaf < tree_->leaves(); ++leaf) {
        for (Node first = 0; first < group.count; first += points_at_once) {
            const double* points = group.coordinates.data() + first * tree_->dimension();
            with_search(points,
                        [&](const auto& search) __attribute__((always_inline)) { search.look_from_some(leaf, cost); });
            const Node count = std::min(points_at_once, group.count - first);
            for (Node g = 0; g < count; ++g) visit(first + g, leaf, cost[g]);
        }
    }
}

RPW_SIMD void WeightedTree::least_of_all(const PointGroup& group, double* least) const {
    for_each_leaf(group, [&](Node g, Node leaf, const double* cost) __attribute__((always_inline)) {
        const double* weight = weight_.data() + static_cast<std::size_t>(leaf) * per_leaf;
        for (Node c = 0; c < per_leaf; ++c) least[g] = smaller(least[g], cost[c] + weight[c]);
    });
}

RPW_SIMD void WeightedTree::gather_from_all(const PointGroup& group, const double* beyond,
                                            std::vector<KeyedPoint>* found) const {
    for_each_leaf(group, [&](Node g, Node leaf, const double* cost) __attribute__((always_inline)) {
        const double* weight = weight_.data() + static_cast<std::size_t>(leaf) * per_leaf;
        double least = unreachable;
        for (Node c = 0; c < per_leaf; ++c) least = smaller(least, cost[c] + weight[c]);
        if (!(least < beyond[g])) return;
        for (Node c = 0; c < per_leaf; ++c) {
            const double key = cost[c] + weight[c];
            if (key < beyond[g]) found[g].push_back({key, cost[c], leaf * per_leaf + c});
        }
    });
}

}  // namespace rpw
