// The upper envelope of lines over the unmoved mass, from 1 down to 0: a convex curve that lies nowhere below any of
// them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace rpw {

// A line that is the highest until so much is left unmoved.
template <class Line>
struct Stretch {
    Line line;
    double end;
};

// Lines come in the order of their slopes. `meet(flatter, steeper)` is the unmoved mass at which the second takes over,
// negative if it never does; of two equal slopes, 1 if the second is the higher.
template <class Line, class Meet>
std::vector<Stretch<Line>> highest_lines(const std::vector<Line>& lines, const Meet& meet) {
    std::vector<Line> highest;
    std::vector<double> from;  // the unmoved mass at which each of them takes over
    for (const Line& line : lines) {
        double start = 1;
        while (!highest.empty()) {
            start = std::min(1.0, meet(highest.back(), line));
            if (start < from.back()) break;
            highest.pop_back();
            from.pop_back();
            start = 1;
        }
        if (start <= 0) continue;
        highest.push_back(line);
        from.push_back(start);
    }
    std::vector<Stretch<Line>> stretches;
    for (std::size_t s = 0; s < highest.size(); ++s) {
        stretches.push_back({highest[s], s + 1 < highest.size() ? from[s + 1] : 0.0});
    }
    return stretches;
}

}  // namespace rpw
