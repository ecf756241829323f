// Another thread writes to the caller's matrix during a call: any number or exception may come, but every loop stays
// within its bounds and ends.
#include <atomic>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <thread>

#include "solve/solve.hpp"
#include "tests/checker.hpp"

namespace rpw::tests {

namespace {

// Writes numbers of all kinds into a matrix for as long as it lives.
class Writer {
public:
    explicit Writer(std::vector<double>& matrix) : thread_([this, &matrix] { write(matrix); }) {}
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    ~Writer() {
        has_ended_ = true;
        thread_.join();
    }

private:
    void write(std::vector<double>& matrix) const {
        constexpr double infinite = std::numeric_limits<double>::infinity();
        constexpr double odd[] = {0.0, 1.0, -1.0, 1e300, infinite, std::numeric_limits<double>::quiet_NaN()};
        std::mt19937_64 numbers(2);
        volatile double* entries = matrix.data();
        for (std::uint64_t number = numbers(); !has_ended_; number = numbers()) {
            const double ordinary = std::ldexp(static_cast<double>(number >> 40U), -24);
            // Mostly ordinary ones: what is unsound is refused before the long loops.
            entries[number % matrix.size()] = number % 4096 < 6 ? odd[number % 4096] : ordinary;
        }
    }

    std::atomic<bool> has_ended_ = false;
    std::thread thread_;
};

Question random_question() {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    Question question;
    question.p = std::vector{1.0, 1.5, 2.0, infinite, infinite, infinite}[below(6)];
    question.kappa = std::vector{0.1, 1.0, 10.0}[below(3)];
    question.quantity = std::vector{Quantity::crossing, Quantity::mass, Quantity::shared}[below(3)];
    question.unmoved = question.quantity == Quantity::mass ? 0.3 : 0;
    question.need = Need::plan;
    if (question.quantity == Quantity::crossing && below(3) == 0) {
        question.solver = below(2) == 0 ? Solver::lmr : Solver::bisection;
        question.tol = 0.01;
    }
    return question;
}

void ask(const Pair& pair, const Question& question) {
    Room room;
    Pulse pulse(nullptr, 1e9);
    switch (below(3)) {
        case 0:
            (void)solve_several(pair, question, std::vector{0.1, 1.0}, room, pulse);
            break;
        case 1:
            (void)whole_profile(pair, question, room, pulse);
            break;
        default:
            (void)solve(pair, question, room, pulse);
    }
}

}  // namespace

void check_written(Checker& checker, int calls) {
    int ended = 0;
    for (int call = 0; call < calls; ++call) {
        Instance instance = draw(1 + below(60), 1 + below(60), Costs::random, Weights::random);
        checker.start(instance);
        const Space space{Metric::euclidean, PlaceMatrix{instance.cost.data(), instance.rows, instance.columns,
                                                         instance.columns, 1, nullptr}};
        const Points nowhere{};
        const Pair pair{space, {instance.a, nowhere, {}, {}}, {instance.b, nowhere, {}, {}}};
        const Question question = random_question();
        const Writer writer(instance.cost);
        try {
            ask(pair, question);
        } catch (const std::exception&) {  // what it read made no sense
        }
        ++ended;
    }
    checker.expect(ended == calls, "calls while another thread writes", ended, calls);
}

}  // namespace rpw::tests
