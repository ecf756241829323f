// The source of the GPU kernels, run on the host against the core; meant for -fsanitize=address,undefined.
// Compiled once for each kind of kernel (RPW_COST, RPW_P, ...). Every parallel loop runs forwards and backwards: what
// depends on the order would give different bits.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>
#include <walk.cu>  // of src/rpw/many/backends/cuda

#include "many/batch.hpp"
#include "solve/solve.hpp"

namespace {

using rpw_cuda::Batch;
using rpw_cuda::Mass;

std::mt19937_64 engine(3);
int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine); }
double uniform() { return std::uniform_real_distribution<double>(0, 1)(engine); }

int failures = 0;

void expect(bool holds, const char* what, double x = 0, double y = 0) {
    if (holds) return;
    ++failures;
    std::printf("FAILED %s: %.17g %.17g\n", what, x, y);
}

constexpr int dimension = RPW_DIM > 0 ? RPW_DIM : 3;
constexpr double total_units = 1152921504606846976.0;  // 2^60, as in Python

// Some measures, as the core and as the kernels take them.
struct Measures {
    std::vector<long long> start{0};
    std::vector<std::int64_t> start_for_core{0};
    std::vector<Mass> mass;
    std::vector<rpw::Mass> mass_for_core;
    std::vector<Mass> total;
    std::vector<Mass> unit;    // of each measure, where all masses are equal
    std::vector<Mass> before;  // of each atom, the mass of those before it in its measure
    std::vector<double> points;
    std::vector<double> spread;  // coordinate by coordinate
    std::vector<int> place;
    std::vector<std::int32_t> place_for_core;
    std::vector<std::int64_t> label_for_core;

    int count() const { return static_cast<int>(start.size()) - 1; }
    int size(int s) const { return static_cast<int>(start[s + 1] - start[s]); }
};

std::vector<Mass> draw_masses(int size, bool is_equal) {
    std::vector<double> weights(size);
    const int kind = is_equal ? 0 : below(3);
    for (double& weight : weights) weight = kind == 0 ? 1 : kind == 1 ? 1 + below(3) : uniform() + 1e-3;
    double sum = 0;
    for (const double weight : weights) sum += weight;
    std::vector<Mass> masses;
    for (const double weight : weights) masses.push_back(static_cast<Mass>(std::rint(weight / sum * total_units)));
    return masses;
}

// Places are in order within each measure, so that they can serve as labels.
Measures draw(int count, int most, int places, const std::vector<double>& support) {
    Measures measures;
    const bool is_equal = below(3) == 0;  // as many points of the same mass everywhere
    for (int s = 0; s < count; ++s) {
        const int size = is_equal ? most : 1 + below(most);
        std::vector<int> chosen(size);
        for (int& place : chosen) place = below(places);
        std::sort(chosen.begin(), chosen.end());
        const auto masses = draw_masses(size, is_equal);
        Mass total = 0;
        for (int x = 0; x < size; ++x) {
            measures.mass.push_back(masses[x]);
            measures.before.push_back(total);
            total += masses[x];
            measures.place.push_back(chosen[x]);
            for (int t = 0; t < dimension; ++t) measures.points.push_back(support[chosen[x] * dimension + t]);
        }
        measures.total.push_back(total);
        const auto [least, largest] = std::minmax_element(masses.begin(), masses.end());
        measures.unit.push_back(*least == *largest ? *least : -*least);
        measures.start.push_back(measures.start.back() + size);
    }
    const std::size_t atoms = measures.mass.size();
    measures.spread.resize(measures.points.size());
    for (std::size_t x = 0; x < atoms; ++x) {
        for (int t = 0; t < dimension; ++t) measures.spread[t * atoms + x] = measures.points[x * dimension + t];
    }
    measures.start_for_core.assign(measures.start.begin(), measures.start.end());
    measures.mass_for_core.assign(measures.mass.begin(), measures.mass.end());
    measures.place_for_core.assign(measures.place.begin(), measures.place.end());
    measures.label_for_core.assign(measures.place.begin(), measures.place.end());
    return measures;
}

struct Answers {
    std::vector<double> value, lower, upper, plan_mass, u, v, multiplier;
    std::vector<int> status, plan_row, plan_column;
    std::vector<long long> plan_start, u_start, v_start;

    bool operator==(const Answers&) const = default;
};

struct Setting {
    rpw_cuda::Question question;
    double p, kappa, unmoved, truncation;
    int metric;
};

class Trial {
public:
    Trial() {
        support_.resize(places_ * dimension);
        const bool is_grid = below(2) == 0;  // with many ties, and points that coincide
        for (double& coordinate : support_) coordinate = is_grid ? below(3) / 2.0 : uniform();
        measures_ = draw(6, below(4) == 0 ? 70 : 12, places_, support_);
        for (int s = 0; s < measures_.count(); ++s) {
            for (int t = 0; t < measures_.count(); ++t) {
                first_.push_back(s);
                second_.push_back(t);
                order_.push_back(static_cast<long long>(order_.size()));
            }
        }
    }

    void check(const Setting& setting) {
        const Answers answers = solve(setting, false);
        Answers backwards = solve(setting, true);
        expect(answers.value == backwards.value && answers.lower == backwards.lower && answers.u == backwards.u,
               "the same bits backwards");
        rpw::Measures measures{measures_.start_for_core, measures_.mass_for_core, measures_.points, dimension};
        if (setting.question == rpw_cuda::question_shared) measures.label = measures_.label_for_core;
        const rpw::Space space{static_cast<rpw::Metric>(setting.metric)};
        rpw::Question question;
        question.quantity = static_cast<rpw::Quantity>(setting.question);
        question.p = setting.p, question.kappa = setting.kappa;
        question.unmoved = setting.unmoved, question.truncation = setting.truncation;
        const rpw::Batch batch{space, measures, measures, question};
        rpw::Room room;
        rpw::Pulse pulse(nullptr, 1e9);
        for (std::size_t e = 0; e < first_.size(); ++e) {
            const double expected = rpw::solve(batch.pair(first_[e], second_[e]), question, room, pulse).value;
            expect(std::abs(answers.value[e] - expected) <= 1e-12, "value", answers.value[e], expected);
            expect(answers.lower[e] <= answers.value[e] && answers.value[e] <= answers.upper[e], "order of bounds");
            const double power_gap = std::pow(answers.upper[e], setting.p) - std::pow(answers.lower[e], setting.p);
            expect(power_gap <= 1e-9, "bounds", answers.lower[e], answers.upper[e]);
            expect(answers.status[e] == rpw_cuda::exact, "status");
            if (setting.question == rpw_cuda::question_shared) {
                check_shared(answers, e);
            } else {
                check_plan(answers, e, setting);
            }
        }
    }

    // Several prices on one walk: the bits of each of them alone, and with the last its plan and its potentials.
    void check_several(const Setting& setting, const std::vector<double>& kappas) {
        const Answers together = solve(setting, false, kappas);
        for (std::size_t price = 0; price < kappas.size(); ++price) {
            const Answers alone = solve(setting, false, {kappas[price]});
            for (std::size_t e = 0; e < first_.size(); ++e) {
                const std::size_t place = e * kappas.size() + price;
                expect(together.value[place] == alone.value[e], "value at one of several prices", kappas[price]);
                expect(together.lower[place] == alone.lower[e], "bound at one of several prices", kappas[price]);
                expect(together.upper[place] == alone.upper[e], "bound at one of several prices", kappas[price]);
            }
            if (price + 1 == kappas.size()) {
                expect(together.plan_mass == alone.plan_mass && together.u == alone.u && together.v == alone.v,
                       "plans and potentials at the last price");
            }
        }
    }

    // A price for each pair: the bits of all pairs at that price.
    void check_own_prices(const Setting& setting, const std::vector<double>& kappas) {
        const std::size_t pairs = first_.size();
        std::vector<double> own(pairs);
        for (std::size_t e = 0; e < pairs; ++e) own[e] = kappas[e % kappas.size()];
        const Answers mixed = solve(setting, false, own);
        for (std::size_t s = 0; s < kappas.size(); ++s) {
            const Answers alone = solve(setting, false, std::vector<double>(pairs, kappas[s]));
            for (std::size_t e = s; e < pairs; e += kappas.size()) {
                expect(mixed.value[e] == alone.value[e] && mixed.lower[e] == alone.lower[e], "own price", kappas[s]);
                expect(mixed.multiplier[e] == alone.multiplier[e], "multiplier at its own price", kappas[s]);
                for (long long k = mixed.plan_start[e]; k < mixed.plan_start[e + 1]; ++k) {
                    expect(mixed.plan_mass[k] == alone.plan_mass[k], "plan at its own price", kappas[s]);
                }
            }
        }
    }

    // Stopped by the host before the first event: nothing is moved, and nothing more is claimed.
    void check_cut_off(const Setting& setting) {
        next_ = rpw_cuda::no_more;
        const Answers answers = solve(setting, false);
        next_ = 0;
        for (std::size_t e = 0; e < first_.size(); ++e) {
            const bool crosses = setting.question == rpw_cuda::question_crossing;
            expect(answers.status[e] == rpw_cuda::cut_off, "status where it was cut off");
            expect(answers.lower[e] == 0 && answers.upper[e] == (crosses ? 1 : rpw_cuda::infinite()),
                   "bounds where it was cut off", answers.lower[e], answers.upper[e]);
            for (long long k = answers.plan_start[e]; k < answers.plan_start[e + 1]; ++k) {
                expect(answers.plan_mass[k] == 0, "plan where it was cut off");
            }
        }
    }

private:
    Answers solve(const Setting& setting, bool is_backwards) {
        return solve(setting, is_backwards, std::vector<double>(RPW_OWN_PRICE ? first_.size() : 1, setting.kappa));
    }

    Answers solve(const Setting& setting, bool is_backwards, const std::vector<double>& kappas) {
        const std::size_t pairs = first_.size();
        Answers out;
        const std::size_t prices = RPW_OWN_PRICE ? 1 : kappas.size();
        out.value.assign(pairs * prices, -1);
        out.lower = out.upper = out.value;
        out.multiplier.assign(pairs, -1);
        out.status.assign(pairs, -1);
        out.plan_start = out.u_start = out.v_start = {0};
        for (std::size_t e = 0; e < pairs; ++e) {
            const int rows = measures_.size(first_[e]), columns = measures_.size(second_[e]);
            out.plan_start.push_back(out.plan_start.back() + rows + columns);
            out.u_start.push_back(out.u_start.back() + rows);
            out.v_start.push_back(out.v_start.back() + columns);
        }
        out.plan_row.assign(out.plan_start.back(), -1);
        out.plan_column = out.plan_row;
        out.plan_mass.assign(out.plan_start.back(), -1);
        out.u.assign(out.u_start.back(), -1);
        out.v.assign(out.v_start.back(), -1);
        Batch batch = describe(setting);
        batch.kappas = kappas.data(), batch.prices = static_cast<int>(prices);
        batch.value = out.value.data(), batch.lower = out.lower.data(), batch.upper = out.upper.data();
        batch.status = out.status.data(), batch.multiplier = out.multiplier.data();
        batch.plan_start = out.plan_start.data();
        batch.plan_row = out.plan_row.data(), batch.plan_column = out.plan_column.data();
        batch.plan_mass = out.plan_mass.data();
        batch.u = out.u.data(), batch.v = out.v.data();
        batch.u_start = out.u_start.data(), batch.v_start = out.v_start.data();
        int most = 1;
        for (int s = 0; s < measures_.count(); ++s) most = std::max(most, measures_.size(s));
        // Exactly as large as a launch makes it: what is written beyond it is an error.
        std::vector<double> workspace((rpw_cuda_room(most, most) + 16 * dimension * most) / 8);
        rpw_cuda_host(&batch, reinterpret_cast<char*>(workspace.data()), is_backwards);
        return out;
    }

    Batch describe(const Setting& setting) {
        Batch batch{};
        batch.points_a = batch.points_b = measures_.spread.data();
        batch.start_a = batch.start_b = measures_.start.data();
        batch.mass_a = batch.mass_b = measures_.mass.data();
        batch.total_a = batch.total_b = measures_.total.data();
        batch.unit_a = batch.unit_b = measures_.unit.data();
        batch.before_a = batch.before_b = measures_.before.data();
        batch.place_a = batch.place_b = measures_.place.data();
        batch.atoms_a = batch.atoms_b = static_cast<long long>(measures_.mass.size());
        batch.first = first_.data(), batch.second = second_.data(), batch.order = order_.data();
        batch.end = static_cast<long long>(order_.size());
        batch.next = &next_;
        batch.p = setting.p, batch.kappa = setting.kappa, batch.unmoved = setting.unmoved;
        batch.truncation = setting.truncation, batch.scale = 1;
        batch.question = setting.question, batch.metric = setting.metric, batch.dimension = dimension;
        table_.resize(places_ * places_);
        for (int i = 0; i < places_; ++i) {
            for (int j = 0; j < places_; ++j) table_[i * places_ + j] = cost(i, j, setting);
        }
        batch.table = table_.data(), batch.table_columns = places_;
        return batch;
    }

    double cost(int i, int j, const Setting& setting) const {
        double length = 0;
        for (int t = 0; t < dimension; ++t) {
            const double difference = std::abs(support_[i * dimension + t] - support_[j * dimension + t]);
            if (setting.metric == rpw_cuda::euclidean) length += difference * difference;
            if (setting.metric == rpw_cuda::cityblock) length += difference;
            if (setting.metric == rpw_cuda::chebyshev) length = std::max(length, difference);
        }
        if (setting.metric == rpw_cuda::euclidean) length = std::sqrt(length);
        return std::pow(std::min(length, setting.truncation), setting.p);
    }

    // Within the marginals; of the mass and the cost that belong to the value; and no better than the potentials allow.
    void check_plan(const Answers& answers, std::size_t e, const Setting& setting) {
        const int s = static_cast<int>(first_[e]), t = static_cast<int>(second_[e]);
        const double total = static_cast<double>(std::min(measures_.total[s], measures_.total[t]));
        std::vector<double> out(measures_.size(s), 0), in(measures_.size(t), 0);
        double mass = 0, paid = 0;
        for (long long k = answers.plan_start[e]; k < answers.plan_start[e + 1]; ++k) {
            const int i = answers.plan_row[k], j = answers.plan_column[k];
            expect(answers.plan_mass[k] >= 0, "entry of the plan");
            if (answers.plan_mass[k] == 0) continue;
            expect(i >= 0 && j >= 0 && i < measures_.size(s) && j < measures_.size(t), "atoms of an entry");
            out[i] += answers.plan_mass[k];
            in[j] += answers.plan_mass[k];
            mass += answers.plan_mass[k];
            paid += answers.plan_mass[k] * pair_cost(s, i, t, j, setting);
        }
        double used = 0;
        for (int i = 0; i < measures_.size(s); ++i) {
            const double room = static_cast<double>(measures_.mass[measures_.start[s] + i]) / total;
            expect(out[i] <= room + 1e-12, "mass of a row", out[i], room);
            used += room * answers.u[answers.u_start[e] + i];
        }
        for (int j = 0; j < measures_.size(t); ++j) {
            const double room = static_cast<double>(measures_.mass[measures_.start[t] + j]) / total;
            expect(in[j] <= room + 1e-12, "mass of a column", in[j], room);
            used += room * answers.v[answers.v_start[e] + j];
        }
        const double lambda = answers.multiplier[e];
        for (int i = 0; i < measures_.size(s); ++i) {
            for (int j = 0; j < measures_.size(t); ++j) {
                const double sum = answers.u[answers.u_start[e] + i] + answers.v[answers.v_start[e] + j];
                expect(sum >= lambda - pair_cost(s, i, t, j, setting) - 1e-12 * (1 + lambda), "potentials");
            }
        }
        expect(paid >= lambda * mass - used - 1e-9, "weak duality", paid, lambda * mass - used);
        if (setting.truncation < 1e9 && setting.question == rpw_cuda::question_mass) return;  // the rest takes any way
        if (setting.question == rpw_cuda::question_crossing) {
            expect(std::abs(mass - (1 - answers.value[e])) <= 1e-9, "mass of the plan", mass, answers.value[e]);
            expect(paid <= std::pow(setting.kappa * answers.value[e], setting.p) + 1e-9, "cost of the plan", paid);
        } else {
            expect(std::abs(mass - (1 - setting.unmoved)) <= 1e-9, "mass of the plan", mass);
            expect(std::abs(paid - std::pow(answers.value[e], setting.p)) <= 1e-9, "cost of the plan", paid);
        }
    }

    // Between equal points only, within the marginals, and of the mass that they share.
    void check_shared(const Answers& answers, std::size_t e) {
        const int s = static_cast<int>(first_[e]), t = static_cast<int>(second_[e]);
        const double total = static_cast<double>(std::min(measures_.total[s], measures_.total[t]));
        std::vector<double> out(measures_.size(s), 0), in(measures_.size(t), 0);
        double mass = 0;
        for (long long k = answers.plan_start[e]; k < answers.plan_start[e + 1]; ++k) {
            if (answers.plan_mass[k] == 0) continue;
            const long long i = measures_.start[s] + answers.plan_row[k];
            const long long j = measures_.start[t] + answers.plan_column[k];
            expect(measures_.place[i] == measures_.place[j], "equal points");
            out[answers.plan_row[k]] += answers.plan_mass[k];
            in[answers.plan_column[k]] += answers.plan_mass[k];
            mass += answers.plan_mass[k];
            expect(out[answers.plan_row[k]] <= static_cast<double>(measures_.mass[i]) / total + 1e-15, "row");
            expect(in[answers.plan_column[k]] <= static_cast<double>(measures_.mass[j]) / total + 1e-15, "column");
        }
        expect(std::abs(mass - (1 - answers.value[e])) <= 1e-14, "shared mass", mass, 1 - answers.value[e]);
    }

    double pair_cost(int s, int i, int t, int j, const Setting& setting) const {
        return cost(measures_.place[measures_.start[s] + i], measures_.place[measures_.start[t] + j], setting);
    }

    static constexpr int places_ = 40;
    std::vector<double> support_, table_;
    Measures measures_;
    std::vector<long long> first_, second_, order_;
    unsigned long long next_ = 0;
};

}  // namespace

int main() {
    const double endless = rpw_cuda::infinite();
    const std::vector<double> exponents = RPW_P > 0 ? std::vector<double>{RPW_P} : std::vector<double>{1.5, 3};
    const int trials = RPW_COST == 0 ? 16 : 4;
    for (int done = 0; done < trials; ++done) {
        Trial trial;
        for (const double p : exponents) {
            for (const int metric : {0, 1, 2}) {
                if (RPW_COST == 0 && metric > 0) continue;
                for (const double kappa : {0.1, 1.0, 10.0}) {
                    trial.check({rpw_cuda::question_crossing, p, kappa, 0, endless, metric});
                }
                trial.check({rpw_cuda::question_crossing, p, 1, 0, 0.4, metric});
                trial.check({rpw_cuda::question_mass, p, 1, 0, endless, metric});
                trial.check({rpw_cuda::question_mass, p, 1, 0.3, endless, metric});
                trial.check({rpw_cuda::question_mass, p, 1, 0, 0.4, metric});
                trial.check({rpw_cuda::question_mass, p, 1, 0.2, 0.4, metric});
            }
            trial.check({rpw_cuda::question_shared, p, 0, 0, endless, 0});
            if (RPW_SEVERAL) {
                trial.check_several({rpw_cuda::question_crossing, p, 0, 0, endless, 0}, {1e-3, 0.1, 0.1, 1, 1.001, 10});
            }
            if (RPW_OWN_PRICE) {
                trial.check_own_prices({rpw_cuda::question_crossing, p, 0, 0, endless, 0}, {1e-3, 0.1, 1, 10});
            }
            if (RPW_GRID) {
                trial.check_cut_off({rpw_cuda::question_crossing, p, 1, 0, endless, 0});
                trial.check_cut_off({rpw_cuda::question_mass, p, 1, 0, endless, 0});
            }
        }
    }
    std::printf(
        "gpu source on the host (cost %d, p %d, dim %d, points %d, grid %d, several %d, own price %d): %d trials, "
        "%d failures\n",
        RPW_COST, RPW_P, RPW_DIM, RPW_POINTS, RPW_GRID, RPW_SEVERAL, RPW_OWN_PRICE, trials, failures);
    return failures == 0 ? 0 : 1;
}
