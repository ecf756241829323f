// The source of the bounds' kernel, run on the host against their definition; meant for -fsanitize=address,undefined.
// Every parallel loop runs forwards and backwards: what depends on the order would give different bits.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <neighbours.cu>  // of src/rpw/many/backends/cuda
#include <numeric>
#include <random>
#include <vector>

namespace {

using rpw_cuda::Mass;

std::mt19937_64 engine(5);
double uniform() { return std::uniform_real_distribution<double>(0, 1)(engine); }
int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine); }

constexpr int dimension = RPW_DIM > 0 ? RPW_DIM : 3;
constexpr double total_units = 1152921504606846976.0;  // 2^60, as in Python

struct Side {
    std::vector<double> points;  // coordinate by coordinate
    std::vector<Mass> mass;
    std::vector<long long> start;
    Mass total = 0;

    explicit Side(int size) : points(static_cast<std::size_t>(size * dimension)), start{0, size} {
        const bool is_grid = below(2) == 0;  // with many ties, and points that coincide
        for (double& coordinate : points) coordinate = is_grid ? below(3) / 2.0 : uniform();
        std::vector<double> weights(static_cast<std::size_t>(size));
        for (double& weight : weights) weight = below(2) == 0 ? 1 : uniform() + 1e-3;
        const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
        for (const double weight : weights) mass.push_back(static_cast<Mass>(weight / sum * total_units));
        total = std::accumulate(mass.begin(), mass.end(), Mass{0});
    }
    int size() const { return static_cast<int>(mass.size()); }
    double at(int x, int t) const { return points[static_cast<std::size_t>(t * size() + x)]; }
};

double cost(const Side& a, int i, const Side& b, int j, double p) {
    double sum = 0;
    for (int t = 0; t < dimension; ++t) sum += (a.at(i, t) - b.at(j, t)) * (a.at(i, t) - b.at(j, t));
    return std::pow(std::sqrt(sum), p);
}

// The cheapest atoms move first, each to its nearest partner; where that curve meets (kappa ε)^p, by bisection on ε.
double by_definition(const Side& from, const Side& to, double p, double kappa, double total) {
    std::vector<std::pair<double, double>> atoms;  // power, mass
    for (int i = 0; i < from.size(); ++i) {
        double least = rpw_cuda::infinite();
        for (int j = 0; j < to.size(); ++j) least = std::min(least, cost(from, i, to, j, p));
        atoms.emplace_back(least, static_cast<double>(from.mass[static_cast<std::size_t>(i)]) / total);
    }
    std::sort(atoms.begin(), atoms.end());
    double low = 0, high = 1;
    for (int step = 0; step < 60; ++step) {
        const double middle = (low + high) / 2;
        double left = 1 - middle, paid = 0;
        for (const auto& [power, mass] : atoms) {
            paid += power * std::clamp(left, 0.0, mass);
            left -= mass;
        }
        (paid > std::pow(kappa * middle, p) ? low : high) = middle;
    }
    return high;
}

double bound(const Side& a, const Side& b, double p, double kappa, bool is_backwards) {
    rpw_cuda::Batch batch{};
    const long long zero = 0;
    double value = -1;
    batch.points_a = a.points.data(), batch.points_b = b.points.data();
    batch.start_a = a.start.data(), batch.start_b = b.start.data();
    batch.mass_a = a.mass.data(), batch.mass_b = b.mass.data();
    batch.total_a = &a.total, batch.total_b = &b.total;
    batch.first = batch.second = batch.order = &zero;
    batch.atoms_a = a.size(), batch.atoms_b = b.size();
    batch.end = 1, batch.value = &value, batch.p = p, batch.kappa = kappa;
    batch.metric = rpw_cuda::euclidean, batch.dimension = dimension;
    std::vector<double> room(static_cast<std::size_t>(a.size() + b.size()));
    rpw_cuda_host(&batch, reinterpret_cast<char*>(room.data()), is_backwards ? 1 : 0);
    return value;
}

}  // namespace

int main() {
    int failures = 0, trials = 0;
    const std::vector<double> exponents = RPW_P > 0 ? std::vector<double>{RPW_P} : std::vector<double>{1, 1.5, 3};
    for (; trials < 60; ++trials) {
        const Side a(1 + below(30)), b(1 + below(30));
        const double total = static_cast<double>(std::min(a.total, b.total));
        for (const double p : exponents) {
            for (const double kappa : {0.05, 1.0, 20.0}) {
                const double found = bound(a, b, p, kappa, false);
                const double expected =
                    std::max(by_definition(a, b, p, kappa, total), by_definition(b, a, p, kappa, total));
                if (std::abs(found - expected) <= 1e-9 && found == bound(a, b, p, kappa, true)) continue;
                ++failures;
                std::printf("FAILED p %g, kappa %g: %.17g %.17g\n", p, kappa, found, expected);
            }
        }
    }
    std::printf("bounds of the GPU on the host (cost %d, p %d, dim %d): %d trials, %d failures\n", RPW_COST, RPW_P,
                RPW_DIM, trials, failures);
    return failures == 0 ? 0 : 1;
}
