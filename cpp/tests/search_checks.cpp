// The parts of the search by themselves, on a profile with vertices (ε, F) = (1, 0), (1/2, 1/8), (1/4, 3/8), (0, 1).
#include <cmath>

#include "search/bracket.hpp"
#include "search/search.hpp"
#include "tests/checker.hpp"

namespace rpw::tests {

namespace {

using Place = rpw::Vertex<int>;

const Place vertices[] = {{{1, 0, 0}, 0}, {{0.5, 0.125, 0.25}, 1}, {{0.25, 0.375, 1}, 2}, {{0, 1, 2.5}, 3}};

// Knows the profile, and guesses nothing but chords, or its end.
struct KnownProfile {
    using Plan = int;
    int solves = 0;

    rpw::Trial next(const rpw::Bracket<int>& bracket) const {
        return bracket.right() ? rpw::Trial{bracket.chord(), true} : rpw::Trial{4, false};
    }
    std::optional<Place> solve(const rpw::Trial& trial, const rpw::Bracket<int>&) {
        ++solves;
        Place best = vertices[0];
        for (const Place& place : vertices) {
            const auto gain = [&](const Place& x) { return x.cost_p + trial.lambda * x.unmoved; };
            if (gain(place) <= gain(best)) best = place;
        }
        best.lambda = trial.lambda;
        return best;
    }
    std::optional<rpw::Status> begin(rpw::Bracket<int>&, const rpw::Limits&) { return std::nullopt; }
    std::optional<rpw::Status> go_on(rpw::Bracket<int>&) { return std::nullopt; }
    std::optional<rpw::Status> refine(rpw::Bracket<int>&, const rpw::Limits&) { return std::nullopt; }
    std::optional<rpw::Status> start_again(rpw::Bracket<int>&, const rpw::Limits&) { return std::nullopt; }
    void cut_off(rpw::Bracket<int>&) {}
    bool is_used_up() const { return false; }
    bool is_trusted() const { return true; }
};

// F where a mass stays.
double profile_at(double unmoved) {
    for (int e = 1; e < 4; ++e) {
        const Place &from = vertices[e - 1], &to = vertices[e];
        const double part = (from.unmoved - unmoved) / (from.unmoved - to.unmoved);
        if (part <= 1) return from.cost_p + part * (to.cost_p - from.cost_p);
    }
    return 1;
}

void check_goals(Checker& checker) {
    for (const double p : {1.0, 2.0, 3.0}) {
        for (const double kappa : {0.01, 0.3, 1.0, 5.0, 1000.0}) {
            KnownProfile oracle;
            rpw::SearchOver<KnownProfile> search(oracle, {{kappa, p}, vertices[0]});
            const auto status = search.run();
            const auto& bracket = search.bracket();
            const double found = bracket.answer().unmoved, paid = std::pow(kappa * found, p);
            checker.expect(status == rpw::Status::exact && oracle.solves <= 5, "a search ends", kappa, p);
            checker.expect(std::abs(profile_at(found) - paid) <= 1e-12 * (1 + paid), "crossing", found, kappa);
            checker.expect(std::abs(bracket.cost_p() - paid) <= 1e-12 * (1 + paid), "cost between vertices", p, kappa);
        }
    }
    for (const double unmoved : {0.9, 0.5, 0.3, 0.1}) {
        KnownProfile oracle;
        rpw::SearchOver<KnownProfile> search(oracle, {{0, 1, unmoved}, vertices[0]});
        (void)search.run();
        const auto& bracket = search.bracket();
        checker.expect(std::abs(bracket.cost_p() - profile_at(unmoved)) <= 1e-15, "mass", bracket.cost_p(), unmoved);
    }
}

void check_limits(Checker& checker) {
    KnownProfile oracle;
    rpw::SearchOver<KnownProfile> far_search(oracle, {{1, 1}, vertices[0]}), near_search(oracle, {{1, 1}, vertices[0]});
    const auto &beyond = far_search.bracket(), &near = near_search.bracket();
    const auto given_up = far_search.run({0, 0.2});
    checker.expect(given_up == rpw::Status::beyond_cutoff && beyond.lower() > 0.2, "cutoff", beyond.lower());
    const auto early = near_search.run({0.2, 1});
    checker.expect(early == rpw::Status::tolerance, "tolerance");
    checker.expect(near.upper() - near.proven() <= 0.2 && near.proven() <= 0.3125 && near.upper() >= 0.3125,
                   "within tolerance", near.proven(), near.upper());
    checker.expect(near_search.go_on({1000, 1}) == rpw::Status::exact, "another goal");
    checker.expect(std::abs(near.answer().unmoved - 1 / 1002.5) <= 1e-15, "at a larger κ", near.answer().unmoved);
}

// A vertex that a solve took for optimal, and was not, proves nothing after the search has begun again.
void check_doubt(Checker& checker) {
    rpw::Bracket<int> bracket({1, 1}, vertices[0]);
    bracket.raise_lower(0.1);
    bracket.place({{0.5, 0.6, 0.25}, 1}, false);
    checker.expect(bracket.lower() > 0.3125, "a false line", bracket.lower());
    bracket.restart(vertices[0]);
    checker.expect(bracket.lower() == 0.1, "forgotten with its vertex", bracket.lower());
}

}  // namespace

void check_search(Checker& checker) {
    check_goals(checker);
    check_limits(checker);
    check_doubt(checker);
}

}  // namespace rpw::tests
