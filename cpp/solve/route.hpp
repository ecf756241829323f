// The engines to ask about a pair, in order, and what each may spend. This is decided once, here: `ask_along` (ask.hpp)
// goes along the route, and `rpw.choose_solver` reads it. docs/core.md has the table of engines and questions.
#pragma once

#include <string>
#include <vector>

#include "base/outcome.hpp"
#include "base/question.hpp"
#include "ground/measure.hpp"

namespace rpw {

// What a route depends on beside the question.
struct Layout {
    enum class Distances { from_points, in_matrix, in_scratch };  // a matrix of the user's, or one to be overwritten

    bool is_on_line = false;  // whether the points lie on a line, as far as their distances go
    bool has_labels = false;  // or points, which tell as well what is equal
    Node rows = 0;
    Node columns = 0;
    Node dimension = 0;  // 0 where the core has no points
    Distances distances = Distances::from_points;

    double pairs() const { return static_cast<double>(rows) * columns; }
};
Layout layout_of(const Pair& pair, bool is_on_line);

struct Leg {
    Engine engine;
    // Counted, so that answers do not depend on the machine: in steps of a search, or at p = ∞ in listed pairs.
    double most_work = unreachable;
    bool is_trial = false;      // often faster than the leg after it, and given up where it is not
    bool has_stand_in = false;  // the leg after it answers with the same bits, and needs no room
};

class Route {
public:
    void add(const Leg& leg) { legs_.push_back(leg); }
    auto begin() const { return legs_.begin(); }
    auto end() const { return legs_.end(); }
    // The first one that is not on trial.
    const Leg& main() const;
    bool begins_with(Engine engine) const { return legs_.front().engine == engine; }

private:
    std::vector<Leg> legs_;
};

Route route_of(const Question& question, const Layout& layout);
// Whether trees are asked first, off the line: then nothing beside the answer should make a matrix either.
bool begins_with_points(const Question& question, const Pair& pair);
// Whether the line has an answer to such a question: only then it is worth looking for one.
bool is_for_line(const Question& question);

// How `rpw.choose_solver` calls the main leg, and why it is that one.
Solver solver_of(const Route& route, const Question& question);
std::string reason_of(const Route& route, const Question& question);

// Room that an engine takes for each pair of atoms: a matrix of powers, of distances, or of both.
int bytes_per_pair(Engine engine, const Question& question, const Layout& layout);
// What the main leg cannot do without.
int bytes_per_pair(const Route& route, const Question& question, const Layout& layout);

}  // namespace rpw
