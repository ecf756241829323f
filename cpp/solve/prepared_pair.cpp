// See prepared_pair.hpp.
#include "solve/prepared_pair.hpp"

#include "base/tuning.hpp"

namespace rpw {

PreparedPair::PreparedPair(const Pair& given, const Question& question, Pulse& pulse) : given_(given) {
    const bool has_points = !given.space.matrix && given.a.label.empty() && given.a.points.data && given.b.points.data;
    if (!has_points || question.quantity == Quantity::shared) return;
    if (is_for_line(question)) line_ = direction_of(given.a.points, given.b.points, given.space.metric);
    // Where there are so few atoms, looking for equal ones would be felt.
    if (line_ || given.a.size() + given.b.size() < tuning::atoms_worth_merging) return;
    merged_.emplace(given, pulse);
    if (!merged_->has_equal()) merged_.reset();
}

const Pair& PreparedPair::pair() {
    if (!balanced_) balanced_.emplace(merged_ ? merged_->pair() : given_);
    return balanced_->pair();
}

Layout PreparedPair::layout() const { return layout_of(merged_ ? merged_->pair() : given_, line_.has_value()); }

}  // namespace rpw
