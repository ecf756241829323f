// See direction.hpp.
#include "line/direction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rpw {

namespace {

constexpr double float_step = std::numeric_limits<double>::epsilon();
// How far beside the line a point may lie, as a share of what the points extend: the rounding of its coordinates.
constexpr long double most_aside = 4 * float_step;
// Some points are looked at first. They extend less than all, so more is allowed.
constexpr Node points_in_sample = 8;
constexpr long double most_aside_in_sample = 1e-6L;

constexpr Node several_axes = -1;

// The one coordinate in which the points differ from the first one.
Node varying_axis(const Points& points, const double* first, Node axis) {
    for (Node i = 0; i < points.count; ++i) {
        const double* point = points.at(i);
        for (Node t = 0; t < points.dimension; ++t) {
            if (point[t] == first[t] || t == axis) continue;
            if (axis >= 0) return several_axes;
            axis = t;
        }
    }
    return axis;
}

Node axis_of(const Points& x, const Points& y) {
    if (x.dimension == 1) return 0;
    constexpr Node none_yet = -2;
    const double* first = x.at(0);
    Node axis = varying_axis(x, first, none_yet);
    if (axis != several_axes) axis = varying_axis(y, first, axis);
    return axis == none_yet ? 0 : axis;  // all points may be one
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

// Turns the ray to the farthest of every `step`-th point.
void aim_at_farthest(Ray& ray, const Points& x, const Points& y, Node step_x, Node step_y) {
    const double* farthest = nullptr;
    long double largest = 0;
    const auto look = [&](const Points& points, Node step) {
        for (Node i = 0; i < points.count; i += step) {
            const long double distance = ray.distance(points.at(i));
            if (distance > largest) largest = distance, farthest = points.at(i);
        }
    };
    look(x, step_x);
    look(y, step_y);
    if (farthest) ray.aim_at(farthest);
}

// The largest distance from the line among every `step`-th point; infinite once it is more than allowed.
long double farthest_aside(const Ray& ray, const Points& points, Node step, long double allowed) {
    long double largest = 0;
    for (Node i = 0; i < points.count; i += step) {
        largest = std::max(largest, ray.aside(points.at(i)));
        if (!(largest <= allowed)) return unreachable;
    }
    return largest;
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

bool is_bent_at_first_sight(const Points& x, const Points& y) {
    const Node step_x = 1 + (x.count - 1) / points_in_sample, step_y = 1 + (y.count - 1) / points_in_sample;
    Ray ray(x.at(0), x.dimension, 1);
    aim_at_farthest(ray, x, y, step_x, step_y);
    const long double allowed = most_aside_in_sample * ray.length();
    return ray.length() > 0 &&
           (farthest_aside(ray, x, step_x, allowed) > allowed || farthest_aside(ray, y, step_y, allowed) > allowed);
}

std::optional<Direction> slanted_direction(const Points& x, const Points& y, Metric metric) {
    const double unit = length_unit(x, y);
    if (unit == unreachable) return {};
    Ray ray(x.at(0), x.dimension, unit);
    aim_at_farthest(ray, x, y, 1, 1);
    const long double allowed = most_aside * ray.length();
    const long double aside = std::max(farthest_aside(ray, x, 1, allowed), farthest_aside(ray, y, 1, allowed));
    if (!(aside <= allowed)) return {};
    Direction direction;
    direction.unit = unit;
    direction.origin.assign(x.at(0), x.at(0) + x.dimension);
    direction.weights = weights_of(ray.toward(), metric);
    const double spread = std::sqrt(static_cast<double>(x.dimension));  // between the norms of a vector
    direction.rounding =
        unit * spread * (float_step * static_cast<double>(ray.length()) + 2 * static_cast<double>(aside));
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
    const Node axis = axis_of(x, y);
    if (axis != several_axes) return Direction{axis};
    if (x.count + y.count < 3 || is_bent_at_first_sight(x, y)) return {};
    return slanted_direction(x, y, metric);
}

}  // namespace rpw
