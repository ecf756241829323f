// See point_tree.hpp.
#include "points/point_tree.hpp"

#include <algorithm>
#include <cmath>
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

// ---------------------------------------------------------------- weights

WeightedTree::WeightedTree(const PointTree& tree, const PointCost& cost)
    : tree_(&tree),
      cost_(cost),
      search_(search_for(cost.metric(), tree.dimension())),
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

template <Metric metric>
inline double longer_by(double sum, double difference) {
    if constexpr (metric == Metric::euclidean) return sum + difference * difference;
    if constexpr (metric == Metric::cityblock) return sum + std::abs(difference);
    if constexpr (metric == Metric::chebyshev) return larger(sum, std::abs(difference));
}

// In a unit of its own: squares would vanish.
double short_length(const double* x, const double* y, Node step, Node dimension) {
    double longest = 0, sum = 0;
    for (Node t = 0; t < dimension; ++t) longest = std::max(longest, std::abs(x[t] - y[t * step]));
    if (longest == 0) return 0;
    for (Node t = 0; t < dimension; ++t) {
        const double difference = (x[t] - y[t * step]) / longest;
        sum += difference * difference;
    }
    return longest * std::sqrt(sum);
}

// A box or a leaf that is still to be looked at: of this level (0: leaves), and no point in it costs less.
struct Waiting {
    double bound;
    Node box;
    Node level;
};

}  // namespace

double WeightedTree::cost(const double* point, Node x) const {
    const double* other = tree_->of_leaf(x / per_leaf, 0) + x % per_leaf;
    const Node dimension = tree_->dimension();
    double sum = 0;
    for (Node t = 0; t < dimension; ++t) {
        const double difference = point[t] - other[t * per_leaf];
        switch (cost_.metric()) {
            case Metric::euclidean:
                sum = longer_by<Metric::euclidean>(sum, difference);
                break;
            case Metric::cityblock:
                sum = longer_by<Metric::cityblock>(sum, difference);
                break;
            case Metric::chebyshev:
                sum = longer_by<Metric::chebyshev>(sum, difference);
                break;
        }
    }
    if (sum < cost_.least_sum()) return cost_.of_length(short_length(point, other, per_leaf, dimension));
    return cost_.of_sum(sum);
}

// Depth first, the box with the least bound first. A bound is the cost of the way to the box plus its least weight.
template <Metric metric, Node fixed>
[[gnu::always_inline]] inline NearestPoint WeightedTree::search(const WeightedTree& self, const double* point,
                                                                NearestPoint best, std::size_t& boxes) {
    const PointTree& tree = *self.tree_;
    const Node dimension = fixed > 0 ? fixed : tree.dimension();
    const PointCost cost = self.cost_;
    const double factor = cost.factor(), shortest = cost.least_sum();
    const bool is_proportional = cost.is_proportional();
    Waiting waiting[20 * per_block];
    Node count = 0;
    waiting[count++] = {0, 0, tree.levels()};
    while (count > 0) {
        const Waiting next = waiting[--count];
        if (!(next.bound < best.cost)) continue;
        ++boxes;
        if (next.level == 0) {
            double key[per_leaf] = {};
            for (Node t = 0; t < dimension; ++t) {
                const double* at = tree.of_leaf(next.box, t);
                for (Node c = 0; c < per_leaf; ++c) key[c] = longer_by<metric>(key[c], point[t] - at[c]);
            }
            const double* weight = self.weight_.data() + static_cast<std::size_t>(next.box) * per_leaf;
            if (is_proportional) {
                for (Node c = 0; c < per_leaf; ++c) key[c] = smaller(key[c] * factor, largest_power) + weight[c];
            } else {
                for (Node c = 0; c < per_leaf; ++c) {
                    if (weight[c] >= best.cost) {
                        key[c] = unreachable;
                    } else if (key[c] < shortest) {
                        const double* other = tree.of_leaf(next.box, 0) + c;
                        key[c] = cost.of_length(short_length(point, other, per_leaf, dimension)) + weight[c];
                    } else {
                        key[c] = cost.of_sum(key[c]) + weight[c];
                    }
                }
            }
            for (Node c = 0; c < per_leaf; ++c) {
                if (key[c] < best.cost) best = {key[c], next.box * per_leaf + c};
            }
            continue;
        }
        const Node block = tree.first_block(next.level - 1) + next.box;
        double bound[per_block] = {};
        for (Node t = 0; t < dimension; ++t) {
            const double *low = tree.of_block(block, t), *high = low + per_block;
            const double at = point[t];
            for (Node c = 0; c < per_block; ++c) {
                const double below = low[c] - at, above = at - high[c];
                const double way = larger(larger(below, above), 0.0);
                bound[c] = longer_by<metric>(bound[c], way);
            }
        }
        const double* least = self.least_.data() + static_cast<std::size_t>(block) * per_block;
        if (is_proportional) {
            for (Node c = 0; c < per_block; ++c) bound[c] = smaller(bound[c] * factor, largest_power) + least[c];
        } else {
            for (Node c = 0; c < per_block; ++c) {
                if (least[c] >= best.cost) {
                    bound[c] = unreachable;
                } else {
                    bound[c] = (bound[c] < shortest ? 0.0 : cost.of_sum(bound[c])) + least[c];
                }
            }
        }
        const Node begin = count;
        for (Node c = 0; c < per_block; ++c) {
            if (!(bound[c] < best.cost)) continue;
            Node place = count++;
            for (; place > begin && waiting[place - 1].bound < bound[c]; --place) waiting[place] = waiting[place - 1];
            waiting[place] = {bound[c], next.box * per_block + c, next.level - 1};
        }
    }
    return best;
}

// One function for each instruction set, with all of the search in it.
RPW_SIMD NearestPoint WeightedTree::in_plane(const WeightedTree& t, const double* x, NearestPoint k, std::size_t& n) {
    return search<Metric::euclidean, 2>(t, x, k, n);
}
RPW_SIMD NearestPoint WeightedTree::in_space(const WeightedTree& t, const double* x, NearestPoint k, std::size_t& n) {
    return search<Metric::euclidean, 3>(t, x, k, n);
}
RPW_SIMD NearestPoint WeightedTree::euclidean(const WeightedTree& t, const double* x, NearestPoint k, std::size_t& n) {
    return search<Metric::euclidean, 0>(t, x, k, n);
}
RPW_SIMD NearestPoint WeightedTree::cityblock(const WeightedTree& t, const double* x, NearestPoint k, std::size_t& n) {
    return search<Metric::cityblock, 0>(t, x, k, n);
}
RPW_SIMD NearestPoint WeightedTree::chebyshev(const WeightedTree& t, const double* x, NearestPoint k, std::size_t& n) {
    return search<Metric::chebyshev, 0>(t, x, k, n);
}

WeightedTree::Search WeightedTree::search_for(Metric metric, Node dimension) {
    switch (metric) {
        case Metric::euclidean:
            return dimension == 2 ? &in_plane : dimension == 3 ? &in_space : &euclidean;
        case Metric::cityblock:
            return &cityblock;
        case Metric::chebyshev:
            return &chebyshev;
    }
    return nullptr;
}

NearestPoint WeightedTree::least(const double* point, NearestPoint known, std::size_t& boxes) const {
    return search_(*this, point, known, boxes);
}

}  // namespace rpw
