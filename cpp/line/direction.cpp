// See direction.hpp.
#include "line/direction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/tuning.hpp"

namespace rpw {

namespace {

constexpr double float_step = std::numeric_limits<double>::epsilon();
// How far beside the line a point may lie, as a share of what the points extend: the rounding of its coordinates.
constexpr long double most_aside = 4 * float_step;
// Some points are looked at first. They extend less than all, so more is allowed.
constexpr long double most_aside_in_sample = 1e-6L;

// The one coordinate in which the points differ, 0 if there is none; nothing if there are several.
std::optional<Node> axis_of(const Points& x, const Points& y) {
    if (x.dimension == 1) return 0;
    std::optional<Node> axis;
    for (const Points* points : {&x, &y}) {
        for (Node i = 0; i < points->count; ++i) {
            for (Node t = 0; t < x.dimension; ++t) {
                if (points->at(i)[t] == x.at(0)[t] || t == axis) continue;
                if (axis) return {};
                axis = t;
            }
        }
    }
    return axis.value_or(0);
}

// A straight line from one point towards another.
class Ray {
public:
    Ray(const double* origin, Node dimension, double unit)
        : origin_(origin), dimension_(dimension), unit_(unit), toward_(dimension) {}

    void aim_at(const double* point) {
        length_ = distance(point);
        for (Node t = 0; t < dimension_; ++t) toward_[t] = difference(point, t) / length_;
    }

    long double distance(const double* point) const {
        long double sum = 0;
        for (Node t = 0; t < dimension_; ++t) sum += difference(point, t) * difference(point, t);
        return std::sqrt(sum);
    }

    // How far beside the line the point lies.
    long double aside(const double* point) const {
        long double along = 0, sum = 0;
        for (Node t = 0; t < dimension_; ++t) along += toward_[t] * difference(point, t);
        for (Node t = 0; t < dimension_; ++t) {
            const long double rest = difference(point, t) - along * toward_[t];
            sum += rest * rest;
        }
        return std::sqrt(sum);
    }

    long double length() const { return length_; }
    const std::vector<long double>& toward() const { return toward_; }

private:
    long double difference(const double* point, Node t) const {
        return static_cast<long double>(point[t] / unit_) - origin_[t] / unit_;
    }

    const double* origin_;
    Node dimension_;
    double unit_;
    std::vector<long double> toward_;
    long double length_ = 0;
};

// The ray from the first point to the farthest, and how far beside it some point lies; nothing where that is more than
// this share of its length. Looks at every so many-th point.
struct Fit {
    Ray ray;
    long double aside;
};

std::optional<Fit> fitting_ray(const Points& x, const Points& y, double unit, long double most_aside, Node count) {
    Fit fit{{x.at(0), x.dimension, unit}, 0};
    const auto for_all = [&](const auto& look) {
        for (const Points* points : {&x, &y}) {
            const Node step = 1 + (points->count - 1) / count;
            for (Node i = 0; i < points->count; i += step) look(points->at(i));
        }
    };
    const double* farthest = nullptr;
    long double largest = 0;
    for_all([&](const double* point) {
        const long double distance = fit.ray.distance(point);
        if (distance > largest) largest = distance, farthest = point;
    });
    if (!farthest) return fit;
    fit.ray.aim_at(farthest);
    for_all([&](const double* point) { fit.aside = std::max(fit.aside, fit.ray.aside(point)); });
    return fit.aside <= most_aside * largest ? std::optional(fit) : std::nullopt;
}

// The length of a vector along the line, of Euclidean length 1, under the metric is Σ weights · vector.
std::vector<long double> weights_of(const std::vector<long double>& toward, Metric metric) {
    std::vector<long double> weights = toward;
    const auto sign = [](long double t) { return t > 0 ? 1.0L : t < 0 ? -1.0L : 0.0L; };
    if (metric == Metric::cityblock) std::transform(weights.begin(), weights.end(), weights.begin(), sign);
    if (metric == Metric::chebyshev) {
        const auto longest = std::max_element(toward.begin(), toward.end(),
                                              [](long double s, long double t) { return std::abs(s) < std::abs(t); });
        std::fill(weights.begin(), weights.end(), 0.0L);
        weights[longest - toward.begin()] = sign(*longest);
    }
    return weights;
}

std::optional<Direction> slanted_direction(const Points& x, const Points& y, Metric metric) {
    if (!fitting_ray(x, y, 1, most_aside_in_sample, tuning::points_in_sample)) return {};
    const double unit = length_unit(x, y);
    if (unit == unreachable) return {};
    const auto fit = fitting_ray(x, y, unit, most_aside, std::max(x.count, y.count));
    if (!fit) return {};
    Direction direction;
    direction.unit = unit;
    direction.origin.assign(x.at(0), x.at(0) + x.dimension);
    direction.weights = weights_of(fit->ray.toward(), metric);
    const double spread = std::sqrt(static_cast<double>(x.dimension));  // between the norms of a vector
    const auto length = static_cast<double>(fit->ray.length()), aside = static_cast<double>(fit->aside);
    direction.rounding = unit * spread * (float_step * length + 2 * aside);
    if (direction.rounding < std::numeric_limits<double>::min()) return {};  // places would be rounded more than that
    return direction;
}

}  // namespace

double Direction::place(const double* point) const {
    if (!is_slanted()) return point[axis];
    long double sum = 0;
    for (std::size_t t = 0; t < weights.size(); ++t) {
        sum += weights[t] * (static_cast<long double>(point[t] / unit) - origin[t] / unit);
    }
    return unit * static_cast<double>(sum);
}

std::optional<Direction> direction_of(const Points& x, const Points& y, Metric metric) {
    if (const auto axis = axis_of(x, y)) return Direction{*axis};
    if (x.count + y.count < 3) return {};
    return slanted_direction(x, y, metric);
}

}  // namespace rpw
