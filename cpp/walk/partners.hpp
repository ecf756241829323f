// What a walk asks of the costs, wherever they come from: its *partners*.
//
// The weight of an active node is its distance in the forest, that of any other node is infinite (Forest::weight). The
// cheapest partner of a node x is the node y of the other side with the least cost(x, y) + weight(y). Partners that
// keep arcs in lists (walk/shortlist.hpp) answer up to a horizon and have to be renewed there; partners that can look
// at all arcs at any time (points/tree_partners.hpp) answer up to the walk's limit.
#pragma once

#include <concepts>
#include <cstddef>

#include "base/masses.hpp"
#include "base/pulse.hpp"
#include "walk/forest.hpp"

namespace rpw {

template <class T>
concept Partners = requires(T& partners, const T& asked, const Forest& forest, Node x, double number, Pulse& pulse) {
    // Where costs come from, with the masses of both sides. Partners are made from it and from the walk's limit.
    typename T::Problem;
    requires std::constructible_from<T, const typename T::Problem&, double>;
    // Takes all weights anew. From λ on, answers hold for all arcs that become tight up to the horizon; `work`: the
    // steps of the walk since the last time. And what that took, in such steps.
    partners.renew(forest, /*lambda=*/number, /*work=*/std::size_t{}, pulse);
    { asked.horizon() } -> std::same_as<double>;
    { asked.renewal_work() } -> std::same_as<std::size_t>;
    // Whether so much work since the last renewal says that another one, up to a nearer horizon, pays before this one.
    { asked.is_overdue(/*work=*/std::size_t{}) } -> std::same_as<bool>;
    // Whether answers count nodes that have become active since the last renewal.
    { asked.counts_all() } -> std::same_as<bool>;
    // The weight of x has changed.
    partners.weigh(forest, x);
    // min over the partners y of x of cost + weight; +inf if there is none. The partner that attains it (-1 if none).
    { partners.least(x) } -> std::same_as<double>;
    { partners.least_partner(x) } -> std::same_as<Node>;
    // About what such a question takes, in steps; and a hint that one comes soon.
    { asked.work_of_question(x) } -> std::same_as<std::size_t>;
    asked.prefetch(x);
    // Of one arc: the number that `least` adds to the weight.
    { asked.cost(/*row=*/x, /*column=*/x) } -> std::same_as<double>;
};

}  // namespace rpw
