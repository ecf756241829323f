// See tubes.hpp.
#include "line/tubes.hpp"

#include <algorithm>

namespace rpw {

namespace {

Tube tube_around(const Atoms& atoms, Node begin, Node end) {
    const double first = atoms.at[begin];
    const Mass start = atoms.before[begin];
    const Mass run = std::max<Mass>(atoms.before[end - 1] - start, 1);
    const double slope = (atoms.at[end - 1] - first) / static_cast<double>(run);
    Tube tube{begin, end, slope, 0, 0};
    for (Node i = begin; i < end; ++i) {
        const double rise = atoms.at[i] - first;
        tube.upper = std::max(tube.upper, rise - slope * static_cast<double>(atoms.before[i] - start));
        tube.lower = std::min(tube.lower, rise - slope * static_cast<double>(atoms.before[i + 1] - start));
    }
    return tube;
}

}  // namespace

// Each holds twice as many atoms as lie between the beginnings of two, so that it goes on behind any atom it is
// looked up for.
Tubes::Tubes(const Atoms& atoms) {
    for (Node half = 1 << first_shift; half < atoms.size(); half *= 2) {
        std::vector<Tube>& level = tubes_.emplace_back();
        for (Node begin = 0; begin < atoms.size(); begin += half) {
            level.push_back(tube_around(atoms, begin, std::min(atoms.size(), begin + 2 * half)));
        }
    }
}

}  // namespace rpw
