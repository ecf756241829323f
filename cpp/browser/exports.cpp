// The border to JavaScript: a few C functions over one board. An instance of WebAssembly has one thread.
#include <exception>
#include <string>

#include "browser/board.hpp"

namespace {

using rpw::browser::Board;
using rpw::browser::Parameters;
using rpw::browser::Reading;

Board board;
Reading answer;
std::string error;

// 1 if there is an answer; 0 if not, and then `error` says why.
template <class Ask>
int answered(const Ask& ask) {
    answer = {};
    error.clear();
    try {
        answer = ask();
        return 1;
    } catch (const std::exception& reason) {
        error = reason.what();
        return 0;
    }
}

Parameters parameters(int metric, double p, double kappa, double tol, double seconds) {
    return {static_cast<rpw::Metric>(metric), p, kappa, tol, seconds};
}

constexpr std::vector<double> Reading::* lists[] = {
    &Reading::numbers,     &Reading::row,         &Reading::column, &Reading::mass,
    &Reading::unmatched_a, &Reading::unmatched_b, &Reading::alpha,  &Reading::cost,
};

}  // namespace

extern "C" {

// Room for the coordinates of a cloud (0: the first one, 1: the second one), point by point, and then its weights.
double* rpw_cloud(int side, int count, int dimension) {
    return (side == 0 ? board.a : board.b).resize(count, dimension);
}

// Metrics are 0 (euclidean), 1 (cityblock) and 2 (chebyshev); kappa is kΔ; after so many seconds there is no answer.
int rpw_crossing(int metric, double p, double kappa, double seconds) {
    return answered([&] { return board.crossing(parameters(metric, p, kappa, 0, seconds)); });
}

int rpw_transport(int metric, double p, double seconds) {
    return answered([&] { return board.transport(parameters(metric, p, 1, 0, seconds)); });
}

int rpw_place(int metric, double p, double kappa, double tol, double seconds) {
    return answered([&] { return board.place(parameters(metric, p, kappa, tol, seconds)); });
}

int rpw_profile(int metric, double p, double seconds) {
    return answered([&] { return board.whole_profile(parameters(metric, p, 1, 0, seconds)); });
}

int rpw_leading_column() {
    return answered([] { return board.leading_column(); });
}

// The lists of the last answer, in the order of `Reading`; they are valid until the next question.
const double* rpw_list(int which) { return (answer.*lists[which]).data(); }
int rpw_list_size(int which) { return static_cast<int>((answer.*lists[which]).size()); }
const char* rpw_error() { return error.c_str(); }

}  // extern "C"
