// See matrix_search.hpp.
#include "matrix/matrix_search.hpp"

namespace rpw {

Found MatrixSearch::found(bool with_plan) const {
    const auto& bracket = search_.bracket();
    const auto& [unmoved, weight] = bracket.answer();
    const auto& proof = bracket.proof();
    Found found{{status_, network_.solver(), network_.pivots(), unmoved, bracket.cost_p(), proof.lambda,
                 bracket.lower_without_cut()},
                proof.plan};
    if (!with_plan) return found;
    found.weight = weight;
    found.left = bracket.left().plan;
    if (weight > 0) found.right = bracket.right()->plan;
    return found;
}

}  // namespace rpw
