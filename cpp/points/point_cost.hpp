// (distance / scale)^p between points, in two steps: a sum over coordinates, and a growing function of it. The first
// step serves distances to boxes too; the second is often no more than a factor.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/tuning.hpp"
#include "ground/metric.hpp"
#include "ground/powers.hpp"

namespace rpw {

class PointCost {
public:
    // Coordinates are divided by the unit (ground/metric.hpp) beforehand.
    PointCost(Metric metric, double unit, double scale, double p)
        : metric_(metric), p_(p), factor_(unit / scale), form_(form_of(metric, p)) {
        if (form_ == Form::proportional && metric == Metric::euclidean) factor_ *= factor_;
    }

    Metric metric() const { return metric_; }
    // Whether no factor leaves float64.
    bool is_sound() const { return factor_ > 1e-250 && factor_ < 1e250; }

    // From the sum of squares, the sum or the largest of the differences. No sum gives less than a smaller one.
    double of_sum(double sum) const {
        switch (form_) {
            case Form::proportional:
                return std::min(sum * factor_, largest_power);
            case Form::root:
                return std::min(std::sqrt(sum) * factor_, largest_power);
            case Form::square:
                return std::min((sum * factor_) * (sum * factor_), largest_power);
            default:
                return std::min(std::pow(length(sum) * factor_, p_), largest_power);
        }
    }
    // Whether costs grow in proportion to the sum; then this is the factor.
    bool is_proportional() const { return form_ == Form::proportional; }
    double factor() const { return factor_; }

    // What eight costs take, in steps of the simplex.
    double work_of_eight() const {
        return form_ == Form::other ? tuning::work_per_box_of_powers : tuning::work_per_box;
    }

    // Squares below this have lost digits, or vanished: `of_sum` takes them for too long or too short.
    double least_sum() const { return metric_ == Metric::euclidean && !is_proportional() ? 0x1p-960 : 0.0; }
    // Between two points whose coordinates have been divided; those of y lie so many numbers apart.
    double between(const double* x, const double* y, Node step, Node dimension) const {
        double squares = 0, sum = 0, largest = 0;
        for (Node t = 0; t < dimension; ++t) {
            const double difference = std::abs(x[t] - y[t * step]);
            squares += difference * difference;
            sum += difference;
            largest = std::max(largest, difference);
        }
        const double own = metric_ == Metric::euclidean ? squares : metric_ == Metric::cityblock ? sum : largest;
        return own < least_sum() ? of_short(x, y, step, dimension) : of_sum(own);
    }
    // The same without squares.
    double of_short(const double* x, const double* y, Node step, Node dimension) const {
        return std::min(power(euclidean_distance(x, y, step, dimension) * factor_, p_), largest_power);
    }

private:
    enum class Form { proportional, root, square, other };

    static double power(double x, double p) { return p == 1 ? x : std::pow(x, p); }
    static Form form_of(Metric metric, double p) {
        if (metric == Metric::euclidean) return p == 2 ? Form::proportional : p == 1 ? Form::root : Form::other;
        return p == 1 ? Form::proportional : p == 2 ? Form::square : Form::other;
    }
    double length(double sum) const { return metric_ == Metric::euclidean ? std::sqrt(sum) : sum; }

    Metric metric_;
    double p_;
    double factor_;
    Form form_;
};

}  // namespace rpw
