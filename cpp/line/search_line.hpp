// The search for a place on the profile of two measures on the line (docs/proofs/line.md, "The search").
#pragma once

#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "line/atoms.hpp"
#include "search/bracket.hpp"

namespace rpw {

using LineVertex = Vertex<LinePlan>;

LineVertex as_vertex(const LinePair& pair, const LineCost& cost, double lambda, LinePlan plan);

// All mass moves: the least λ that makes it worth while is the slope of the last edge of F.
LineVertex last_vertex(const LinePair& pair, const LineCost& cost);

// Which atoms a solve looks at: all, or those for which the plans of the two vertices differ.
enum class Looking { everywhere, between_vertices };

struct LineFound {
    Status status;
    Bracket<LinePlan> bracket;  // with an answer; past the deadline, with what was found until then
    long solves;
};

// The pair has its ranks.
LineFound search_line(const LinePair& pair, const LineCost& cost, const Goal& goal, const Limits& limits,
                      Looking looking, Pulse& pulse);

}  // namespace rpw
