// The length of a profile may be exponential in the number of points: what bounds its memory.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace rpw {

// Throws std::length_error where a curve has become longer than the caller wants.
inline void check_breakpoints(std::size_t count, std::size_t max_breakpoints) {
    if (count <= max_breakpoints) return;
    throw std::length_error("the profile has more than max_breakpoints=" + std::to_string(max_breakpoints) +
                            " breakpoints: pass tol, or a larger one, for two curves at most that far apart, "
                            "raise max_breakpoints, or use rpw.solve, which needs no profile");
}

}  // namespace rpw
