// See metric.hpp.
#include "ground/metric.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "base/simd.hpp"

namespace rpw {

namespace {

// Squares of shorter differences lose digits, or vanish.
constexpr double shortest = 0x1p-480;

// The columns of y lie next to each other, so that the loops over points vectorise; the order of the sum over
// coordinates is the same for every instruction set. A row tells how many of its distances are too short to be right.
RPW_SIMD void squares_row(const double* x, const double* y, Node count, Node dimension, double* out) {
    for (Node j = 0; j < count; ++j) out[j] = 0;
    for (Node t = 0; t < dimension; ++t, y += count) {
        for (Node j = 0; j < count; ++j) {
            const double difference = x[t] - y[j];
            out[j] += difference * difference;
        }
    }
}

RPW_SIMD std::uint64_t euclidean_row(const double* x, const double* y, Node count, Node dimension, double* out) {
    squares_row(x, y, count, dimension, out);
    std::uint64_t too_short = 0;
    for (Node j = 0; j < count; ++j) {
        out[j] = std::sqrt(out[j]);
        too_short += out[j] < shortest;
    }
    return too_short;
}

RPW_SIMD std::uint64_t cityblock_row(const double* x, const double* y, Node count, Node dimension, double* out) {
    for (Node j = 0; j < count; ++j) out[j] = 0;
    for (Node t = 0; t < dimension; ++t, y += count) {
        for (Node j = 0; j < count; ++j) out[j] += std::abs(x[t] - y[j]);
    }
    return 0;
}

RPW_SIMD std::uint64_t chebyshev_row(const double* x, const double* y, Node count, Node dimension, double* out) {
    for (Node j = 0; j < count; ++j) out[j] = 0;
    for (Node t = 0; t < dimension; ++t, y += count) {
        for (Node j = 0; j < count; ++j) out[j] = std::max(out[j], std::abs(x[t] - y[j]));
    }
    return 0;
}

// The switches have no default: the compiler names a metric that is missing, and none is taken for another.
[[noreturn]] void refuse() { throw std::logic_error("a metric without an implementation"); }

auto kernel_of(Metric metric) -> decltype(&euclidean_row) {
    switch (metric) {
        case Metric::euclidean:
            return euclidean_row;
        case Metric::cityblock:
            return cityblock_row;
        case Metric::chebyshev:
            return chebyshev_row;
    }
    refuse();
}

// The diameter of a box that gets one more side.
double longer_by(double diameter, double side, Metric metric) {
    switch (metric) {
        case Metric::euclidean:
            return std::hypot(diameter, side);
        case Metric::cityblock:
            return diameter + side;
        case Metric::chebyshev:
            return std::max(diameter, side);
    }
    refuse();
}

}  // namespace

double euclidean_distance(const double* x, const double* y, Node step, Node dimension) {
    double longest = 0, sum = 0;
    for (Node t = 0; t < dimension; ++t) longest = std::max(longest, std::abs(x[t] - y[t * step]));
    if (longest == 0) return 0;
    for (Node t = 0; t < dimension; ++t) {
        const double difference = (x[t] - y[t * step]) / longest;
        sum += difference * difference;
    }
    return longest * std::sqrt(sum);
}

double length_unit(const Points& x, const Points& y) {
    double low = unreachable, high = -unreachable;
    for (const Points* points : {&x, &y}) {
        for (std::size_t e = 0; e < points->size(); ++e) {
            low = std::min(low, points->data[e]);
            high = std::max(high, points->data[e]);
        }
    }
    const double extent = high - low;
    if (extent == 0 || (extent > 1e-100 && extent < 1e100)) return 1;
    if (!std::isfinite(extent * x.dimension)) return unreachable;
    return std::exp2(std::floor(std::log2(extent)));
}

double box_diameter(const Points& x, const Points& y, Metric metric) {
    std::vector<double> low(x.dimension, unreachable), high(x.dimension, -unreachable);
    for (const Points* points : {&x, &y}) {
        for (Node i = 0; i < points->count; ++i) {
            const double* point = points->at(i);
            for (Node t = 0; t < x.dimension; ++t) {
                low[t] = std::min(low[t], point[t]);
                high[t] = std::max(high[t], point[t]);
            }
        }
    }
    double diameter = 0;
    for (Node t = 0; t < x.dimension; ++t) {
        const double side = high[t] - low[t];
        diameter = longer_by(diameter, side, metric);
    }
    return diameter;
}

double distance_between(const double* x, const double* y, Node dimension, Metric metric) {
    double sum = 0;
    switch (metric) {
        case Metric::euclidean:
            for (Node t = 0; t < dimension; ++t) sum += (x[t] - y[t]) * (x[t] - y[t]);
            sum = std::sqrt(sum);
            return sum < shortest ? euclidean_distance(x, y, 1, dimension) : sum;
        case Metric::cityblock:
            for (Node t = 0; t < dimension; ++t) sum += std::abs(x[t] - y[t]);
            return sum;
        case Metric::chebyshev:
            for (Node t = 0; t < dimension; ++t) sum = std::max(sum, std::abs(x[t] - y[t]));
            return sum;
    }
    refuse();
}

PointRows::PointRows(const Points& y, Metric metric, double unit)
    : kernel_(kernel_of(metric)), y_(y), unit_(metric == Metric::euclidean ? unit : 1), point_(y.dimension) {
    double* columns = columns_.of_size(y.size());
    for (Node j = 0; j < y.count; ++j) {
        for (Node t = 0; t < y.dimension; ++t) {
            columns[static_cast<std::size_t>(t) * y.count + j] = y.at(j)[t] / unit_;
        }
    }
}

void PointRows::fill_squares(const double* x, double* out) const {
    squares_row(x, columns_.data(), y_.count, y_.dimension, out);
}

void PointRows::fill(const double* x, double* out) {
    const double unit = unit_;  // a copy: the loop vectorises
    for (Node t = 0; t < y_.dimension; ++t) point_[t] = x[t] / unit;
    const bool has_short = kernel_(point_.data(), columns_.data(), y_.count, y_.dimension, out) > 0;
    if (unit != 1) {
        for (Node j = 0; j < y_.count; ++j) out[j] *= unit;
    }
    if (!has_short) return;
    for (Node j = 0; j < y_.count; ++j) {
        if (out[j] < shortest * unit) out[j] = euclidean_distance(x, y_.at(j), 1, y_.dimension);
    }
}

}  // namespace rpw
