// The one reduction over a row that certificates and reduced costs share.
#pragma once

#include "base/masses.hpp"

namespace rpw {

// min over j of x_j + y_j; +inf if there is none.
double least_sum(const double* x, const double* y, Node size);

}  // namespace rpw
