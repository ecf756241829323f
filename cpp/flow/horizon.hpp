// How far to look for the next pairs, where pairs are taken in the order of their length.
#pragma once

#include "base/matrix.hpp"

namespace rpw {

// A length such that about `wanted` pairs are longer than `horizon` and no longer than it, judged from some rows;
// `longest` if there are not that many.
double length_beyond(const Distances& distances, double horizon, double wanted, double longest);

}  // namespace rpw
