// Integer costs of all pairs, and those of them that a walk has to look at so far.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/masses.hpp"
#include "base/pulse.hpp"
#include "base/sample.hpp"
#include "base/tuning.hpp"

namespace rpw {

// Row by row, rounded up. Pairs whose cost is `cap` stand for any higher cost and are never used; the walk ends at
// λ = cap. The largest number of the type means that there is no cap.
template <class Cost>
struct RoundedProblem {
    const Cost* cost;
    Masses masses;
    Cost cap;

    Node rows() const { return static_cast<Node>(masses.a.size()); }
    Node columns() const { return static_cast<Node>(masses.b.size()); }
    const Cost* row(Node i) const { return cost + static_cast<std::size_t>(i) * masses.b.size(); }
    std::int64_t at(Node i, Node j) const { return row(i)[j]; }
    bool is_capped() const { return cap < std::numeric_limits<Cost>::max(); }
};

// The arcs of each row up to some cost, cheapest first.
template <class Cost>
class RoundedArcs {
public:
    struct Arc {
        Cost cost;
        Node column;
    };

    RoundedArcs(const RoundedProblem<Cost>& problem, Pulse& pulse)
        : problem_(problem), pulse_(pulse), arcs_(problem.masses.a.size()) {}

    const std::vector<Arc>& of(Node row) const { return arcs_[row]; }
    std::int64_t listed_up_to() const { return listed_up_to_; }
    bool is_whole() const { return listed_up_to_ >= problem_.cap - 1; }

    // Lists a few more arcs of every row, up to a cost of at least `least`.
    void widen(std::int64_t least) {
        const std::int64_t before = listed_up_to_;
        listed_up_to_ = next_cost(least);
        for (Node i = 0; i < problem_.rows(); ++i) {
            const Cost* row = problem_.row(i);
            auto& arcs = arcs_[i];
            const auto listed = static_cast<std::ptrdiff_t>(arcs.size());
            for (Node j = 0; j < problem_.columns(); ++j) {
                if (row[j] > before && row[j] <= listed_up_to_) arcs.push_back({row[j], j});
            }
            std::sort(arcs.begin() + listed, arcs.end(), [](const Arc& x, const Arc& y) { return x.cost < y.cost; });
            pulse_.note(static_cast<std::size_t>(problem_.columns()));
        }
    }

private:
    // A cost such that about `arcs_per_row` more arcs of each row are no dearer, judged from a sample.
    std::int64_t next_cost(std::int64_t least) const {
        const std::size_t size = static_cast<std::size_t>(problem_.rows()) * problem_.columns();
        const std::size_t stride = std::max<std::size_t>(1, size / tuning::pairs_in_sample) | 1;
        std::vector<std::int64_t> sample;
        for (std::size_t e = stride / 2; e < size; e += stride) {
            if (problem_.cost[e] > listed_up_to_) sample.push_back(problem_.cost[e]);
        }
        const double share = tuning::arcs_per_row / problem_.columns();
        const auto rank = static_cast<std::size_t>(share * static_cast<double>(size / stride));
        const std::int64_t last = std::int64_t{problem_.cap} - 1;
        return rank >= sample.size() ? last : std::min(last, std::max(entry_of_rank(sample, rank), least));
    }

    RoundedProblem<Cost> problem_;
    Pulse& pulse_;
    std::vector<std::vector<Arc>> arcs_;
    std::int64_t listed_up_to_ = -1;
};

}  // namespace rpw
