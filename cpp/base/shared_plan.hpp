// A plan that nobody changes any more: its copies are one, since a plan between a million points is large.
#pragma once

#include <memory>
#include <utility>

namespace rpw {

template <class Plan>
class SharedPlan {
public:
    SharedPlan() = default;
    SharedPlan(Plan plan) : plan_(std::make_shared<const Plan>(std::move(plan))) {}

    bool is_given() const { return plan_ != nullptr; }
    // Where none is given, the empty plan.
    const Plan& operator*() const {
        static const Plan nothing{};
        return plan_ ? *plan_ : nothing;
    }
    operator const Plan&() const { return **this; }

private:
    std::shared_ptr<const Plan> plan_;
};

}  // namespace rpw
