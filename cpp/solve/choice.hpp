// Which algorithm answers a question, and why. Everybody asks here: the core before it solves, and `rpw.choose_solver`.
#pragma once

#include <string>

#include "base/question.hpp"
#include "ground/measure.hpp"

namespace rpw {

struct Choice {
    Solver solver;
    std::string reason;
};

// What a choice depends on beside the question.
struct Layout {
    bool is_on_line = false;  // whether the points lie on a line, as far as their distances go
    Node rows = 0;
    Node columns = 0;
    Node dimension = 0;  // 0 where distances are given, not points

    double pairs() const { return static_cast<double>(rows) * columns; }
};
Layout layout_of(const Pair& pair, bool is_on_line);

Choice choose(const Question& question, const Layout& layout);

// How many steps a walk over trees may take before a matrix is asked instead: 0 where trees are not worth a trial. The
// answer is the same; which of the two gives it depends on sizes and on counted work, never on the machine.
double trial_of_trees(const Question& question, const Layout& layout);
// The same at p = ∞: how many pairs trees may list.
double trial_of_lists(const Question& question, const Layout& layout);
// Whether trees are asked first, or alone: then nothing beside the answer should make a matrix either.
bool begins_with_trees(const Question& question, const Pair& pair);

}  // namespace rpw
