// See c_transform.hpp.
#include "points/c_transform.hpp"

#include <algorithm>

#include "base/tuning.hpp"

namespace rpw {

namespace {

std::size_t search_all(const WeightedTree& from, const PointTree& to, std::vector<double>& least, Pulse& pulse) {
    std::vector<double> point(to.dimension());
    std::size_t boxes = 0;
    for (Node y = 0; y < to.size(); ++y) {
        std::size_t work = 0;
        to.copy_point(y, point.data());
        least[y] = from.least(point.data(), {least[y], -1}, work).cost;
        pulse.note(16 * work);
        boxes += work;
    }
    return boxes;
}

std::size_t scan_all(const WeightedTree& from, Node count, const PointTree& to, std::vector<double>& least,
                     Pulse& pulse) {
    for (Node begin = 0; begin < to.size(); begin += PointGroup::most) {
        const PointGroup group(to, begin);
        from.least_of_all(group, least.data() + begin);
        pulse.note(group.coordinates.size() * count);
    }
    return static_cast<std::size_t>(to.size()) * from.leaves();
}

}  // namespace

bool searches_pay(Node dimension) { return dimension <= tuning::most_searched_dimensions; }

std::vector<double> least_sums(const PointTree& from, const std::vector<double>& weight, const PointTree& to,
                               const PointCost& costs, double bound, Pulse& pulse, std::size_t* boxes) {
    WeightedTree weighted(from, costs);
    weighted.set_all([&](Node x) { return weight[x]; });
    std::vector<double> least(to.size(), bound);
    const std::size_t seen = searches_pay(to.dimension()) ? search_all(weighted, to, least, pulse)
                                                          : scan_all(weighted, from.size(), to, least, pulse);
    if (boxes) *boxes += seen;
    return least;
}

std::vector<double> transformed(const PointTree& from, const std::vector<double>& potential, const PointTree& to,
                                const PointCost& costs, double lambda, Pulse& pulse, std::size_t* boxes) {
    std::vector<double> found = least_sums(from, potential, to, costs, lambda, pulse, boxes);
    for (double& number : found) number = lambda - number;
    return found;
}

}  // namespace rpw
