// See powers.hpp.
#include "ground/powers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "base/in_words.hpp"
#include "base/simd.hpp"
#include "base/tuning.hpp"

namespace rpw {

RPW_SIMD Range range_of(const double* in, std::size_t size) {
    constexpr std::size_t lanes = 16;  // independent chains, so that the loop vectorises
    constexpr double infinite = std::numeric_limits<double>::infinity();
    double least[lanes], largest[lanes], unsound = 0;  // as wide as the entries, so that no lane has to be converted
    for (std::size_t s = 0; s < lanes; ++s) least[s] = largest[s] = in[0];
    std::size_t e = 0;
    for (; e + lanes <= size; e += lanes) {
        for (std::size_t s = 0; s < lanes; ++s) {
            const double x = in[e + s];
            least[s] = x < least[s] ? x : least[s];
            largest[s] = x > largest[s] ? x : largest[s];
            unsound = x >= 0 && x < infinite ? unsound : 1.0;
        }
    }
    for (; e < size; ++e) {
        least[0] = std::min(least[0], in[e]);
        largest[0] = std::max(largest[0], in[e]);
        unsound = in[e] >= 0 && in[e] < infinite ? unsound : 1.0;
    }
    return {*std::min_element(least, least + lanes), *std::max_element(largest, largest + lanes), unsound == 0};
}

double least_positive(const Matrix& matrix, Pulse& pulse) {
    double least = unreachable;
    for (Node i = 0; i < matrix.rows; ++i) {
        const double* row = matrix.row(i);
        for (Node j = 0; j < matrix.columns; ++j) least = row[j] > 0 && row[j] < least ? row[j] : least;
        pulse.note(static_cast<std::size_t>(matrix.columns));
    }
    return least;
}

namespace {

// Between 0 and the largest power whatever came in, also NaN: another thread may write to the caller's matrix.
inline double as_power(double x) { return x < largest_power ? (x > 0 ? x : 0.0) : largest_power; }

}  // namespace

RPW_SIMD void scaled_powers(const double* in, std::size_t size, double scale, double p, double* out) {
    if (p == 1) {
        for (std::size_t e = 0; e < size; ++e) out[e] = as_power(in[e] / scale);
    } else if (p == 2) {
        for (std::size_t e = 0; e < size; ++e) {
            const double x = in[e] / scale;
            out[e] = as_power(x * x);
        }
    } else {
        for (std::size_t e = 0; e < size; ++e) out[e] = as_power(std::pow(in[e] / scale, p));
    }
}

void check_powers_fit(double least, double largest, double p) {
    if (std::isinf(least)) return;
    if (std::pow(least / largest, p) < std::numeric_limits<double>::min()) {
        throw std::domain_error("the profile cannot be represented: the powers p=" + in_words(p, "%g") +
                                " of distances from " + in_words(least) + " to " + in_words(largest) +
                                " do not fit into float64 together; lower p, or use rpw.solve, which needs no profile");
    }
    const double power = std::pow(least, p);
    if (!std::isfinite(power) || power < std::numeric_limits<double>::min()) {
        throw std::domain_error(
            "cost_p cannot be represented: costs of " + in_words(least) + " to the power p=" + in_words(p, "%g") +
            " are no float64; rescale the points (or cost) and the diameter " + "by the same factor");
    }
}

bool powers_vanish(double length, double scale, double p) {
    return length < scale && p * std::log2(scale / length) > tuning::most_digits;
}

namespace {

Powers powers_into(double* out, const Distances& distances, double scale, double p, Pulse& pulse) {
    constexpr std::size_t block = 1 << 14;
    for (std::size_t begin = 0; begin < distances.size(); begin += block) {
        const std::size_t count = std::min(block, distances.size() - begin);
        scaled_powers(distances.data + begin, count, scale, p, out + begin);
        pulse.note(count);
    }
    return {{out, distances.rows, distances.columns}};
}

}  // namespace

Powers powers_of(const Distances& distances, const Space& space, double scale, double p, Room& room, Pulse& pulse) {
    double* scratch = room.holds(distances.data) ? nullptr : space.matrix->scratch;
    return powers_into(scratch ? scratch : room.of_size(distances.size()), distances, scale, p, pulse);
}

Powers powers_beside(const Distances& distances, double scale, double p, Room& room, Pulse& pulse) {
    return powers_into(room.of_size(distances.size()), distances, scale, p, pulse);
}

namespace {

RPW_SIMD void multiply(double* x, std::size_t size, double factor) {
    for (std::size_t j = 0; j < size; ++j) x[j] *= factor;
}

RPW_SIMD void square_multiples(double* x, std::size_t size, double factor) {
    for (std::size_t j = 0; j < size; ++j) x[j] = (x[j] * factor) * (x[j] * factor);
}

}  // namespace

void PowerRows::fill(Node i, double* out) {
    const auto columns = static_cast<std::size_t>(this->columns());
    const double factor = 1 / scale_;
    if (p_ == 2 && distances_.has_squares()) {
        distances_.fill_squares(i, out);
        if (factor != 1) multiply(out, columns, factor * factor);
        return;
    }
    distances_.fill(i, out);
    if (p_ == 1) multiply(out, columns, factor);
    if (p_ == 2) square_multiples(out, columns, factor);
    if (p_ != 1 && p_ != 2) scaled_powers(out, columns, scale_, p_, out);
}

Price scaled_price(double kappa, double scale) {
    const double plain = kappa / scale;
    if (plain <= largest_power) return {plain, 1};
    return {largest_power, scale * largest_power / kappa};
}

template <class Cost>
void rounded_powers(const double* in, std::size_t size, double scale, double p, double unit, Cost cap, Cost* out) {
    constexpr std::size_t block = 1024;
    double powers[block];
    for (std::size_t begin = 0; begin < size; begin += block) {
        const std::size_t count = std::min(block, size - begin);
        scaled_powers(in + begin, count, scale, p, powers);
        for (std::size_t e = 0; e < count; ++e) {
            const double units = powers[e] / unit;
            // Compared as numbers of units, not after conversion: a large cap is not a float64.
            if (!(units < static_cast<double>(cap) - 1)) {
                out[begin + e] = cap;
                continue;
            }
            const auto whole = static_cast<Cost>(units);
            const bool has_rest = static_cast<double>(whole) < units || (units == 0 && in[begin + e] > 0);
            out[begin + e] = whole + has_rest;  // powers that vanish are not free
        }
    }
}

template void rounded_powers(const double*, std::size_t, double, double, double, std::int32_t, std::int32_t*);
template void rounded_powers(const double*, std::size_t, double, double, double, std::int64_t, std::int64_t*);

}  // namespace rpw
