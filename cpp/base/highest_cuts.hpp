// The upper envelope of cuts (lines below a profile) over the unmoved mass, from 1 down to 0: a convex curve that lies
// nowhere below any of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace rpw {

// A cut that is the highest until so much is left unmoved.
template <class Cut>
struct Stretch {
    Cut cut;
    double end;
};

// Cuts come in the order of their slopes. `meet(flatter, steeper)` is the unmoved mass at which the second takes over,
// negative if it never does; of two equal slopes, 1 if the second is the higher.
template <class Cut, class Meet>
std::vector<Stretch<Cut>> highest_cuts(const std::vector<Cut>& cuts, const Meet& meet) {
    std::vector<Cut> highest;
    std::vector<double> from;  // the unmoved mass at which each of them takes over
    for (const Cut& cut : cuts) {
        double start = 1;
        while (!highest.empty()) {
            start = std::min(1.0, meet(highest.back(), cut));
            if (start < from.back()) break;
            highest.pop_back();
            from.pop_back();
            start = 1;
        }
        if (start <= 0) continue;
        highest.push_back(cut);
        from.push_back(start);
    }
    std::vector<Stretch<Cut>> stretches;
    for (std::size_t s = 0; s < highest.size(); ++s) {
        stretches.push_back({highest[s], s + 1 < highest.size() ? from[s + 1] : 0.0});
    }
    return stretches;
}

}  // namespace rpw
