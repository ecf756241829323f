// Least numbers over a row, as pricing, certificates and neighbours need them.
#pragma once

#include "base/masses.hpp"

namespace rpw {

double least_of_many_sums(const double* x, const double* y, Node size);

// min over j of x_j + y_j; +inf if there is none.
inline double least_sum(const double* x, const double* y, Node size) {
    if (size >= 16) return least_of_many_sums(x, y, size);
    double best = unreachable;
    for (Node j = 0; j < size; ++j) best = x[j] + y[j] < best ? x[j] + y[j] : best;
    return best;
}

// least_j = min(least_j, x_j + shift).
void lower_to_sums(const double* x, double shift, Node size, double* least);

// The least of a row, which also lowers the least of each column so far.
double least_of_row(const double* row, Node size, double* of_columns);

// The first j with x_j + y_j ≤ bound; -1 if there is none.
Node find_sum(const double* x, const double* y, Node size, double bound);

}  // namespace rpw
