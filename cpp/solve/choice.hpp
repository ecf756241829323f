// Which algorithm answers a question, and why. Everybody asks here: the core before it solves, and `rpw.choose_solver`.
#pragma once

#include <string>

#include "base/question.hpp"

namespace rpw {

struct Choice {
    Solver solver;
    std::string reason;
};

// `is_on_line`: whether the points lie on a line, as far as their distances go.
Choice choose(const Question& question, bool is_on_line);

}  // namespace rpw
