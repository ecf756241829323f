// What an event changes: trees are reached, or mass moves and what lost its way waits again.
#pragma once

#include "walk.cuh"

namespace rpw_cuda {

constexpr double rounding_of_keys = 4e-15;

// Finds the next edge of F that is cheaper than `limit`, and reaches what has to be reached before.
RPW_INLINE bool Walk::find_edge(double limit) {
    while (moved < total) {
        if (!next_event() || lambda >= limit) return false;
        if (at.flow[top] > 0) {
            test_ratios();
            return true;
        }
        team.once([&] { *at.listed = 0; });
        if (is_paired) {
            reach_pairs();
        } else {
            reach();
        }
    }
    return false;
}

// What was lost together is mostly found again together, over arcs that stayed tight: all pairs whose key is λ, up
// to rounding, are reached at once.
RPW_INLINE void Walk::reach_pairs() {
    ++reached;
    const double last = lambda * (1 + rounding_of_keys);
    team.each(columns, [&](int j) {
        const double key = at.key[j];
        const int from = at.partner[j], i = at.mate[j], node = rows + j;
        if (key > last || from < 0 || i < 0) return;
        at.label[node] = at.label[i] = at.label[from];
        at.distance[node] = key - at.distance[node];
        at.distance[i] = key - at.distance[i];
        at.parent[node] = static_cast<Link>(from);
        at.parent[i] = static_cast<Link>(node);
        at.flow[i] = at.flow[node] > 0 ? at.flow[node] : at.flow[i];
        at.flow[node] = 0;
        at.key[j] = infinite();
        at.list[Team::append(at.listed)] = static_cast<Link>(i);
    });
    team.barrier();
    has_fresh_rows = true;
}

// How much the path can take, and what it empties.
RPW_INLINE void Walk::test_ratios() {
    carried = at.flow[root_row];
    for (int x = row; x != root_row; x = at.parent[x]) {
        if (is_row(x) && at.flow[x] < carried) carried = at.flow[x];
    }
    for (int x = rows + column;; x = at.parent[x]) {
        if (!is_row(x) && at.flow[x] < carried) carried = at.flow[x];
        if (x == top) break;
    }
    low_cut = high_cut = sink_cut = -1;
    for (int x = row;; x = at.parent[x]) {
        if (is_row(x) && at.flow[x] == carried) {
            if (low_cut < 0) low_cut = x;
            high_cut = x;
        }
        if (x == root_row) break;
    }
    for (int x = rows + column; sink_cut < 0; x = at.parent[x]) {
        if (!is_row(x) && at.flow[x] == carried) sink_cut = x;
        if (x == top) break;
    }
    const Mass left = total - moved - carried;
    amount = carried + (left <= negligible ? left : 0);
}

// Turns the arcs from x up to `last` around, so that they hang from `above`, whose arc to x carries `mass`.
RPW_INLINE void Walk::rehang(int x, int above, Mass mass, int last) {
    for (;;) {
        const int next = at.parent[x];
        const Mass lost = at.flow[x];
        at.parent[x] = static_cast<Link>(above);
        at.flow[x] = mass;
        if (x == last) return;
        above = x;
        mass = lost;
        x = next;
    }
}

RPW_INLINE void Walk::reach_node(int x) {
    at.label[x] = static_cast<Link>(root_row);
    at.distance[x] = lambda - at.distance[x];
    if (is_row(x)) {
        at.list[Team::append(at.listed)] = static_cast<Link>(x);
    } else {
        at.key[x - rows] = infinite();
    }
}

// The tree of `column`, which has no room, hangs from `row` now.
RPW_INLINE void Walk::reach() {
    ++reached;
    team.once([&] { rehang(rows + column, row, 0, top); });
    team.each_labelled(at.label, size(), ~top, [&](int x) { reach_node(x); });
    team.barrier();
    has_fresh_rows = true;
}

RPW_INLINE void Walk::take_edge() {
    ++edges;
    add_cost(lambda * share(amount));
    moved += amount;
    team.barrier();
    if (high_cut >= 0) {
        lose_part();
    } else {
        gain_part();
    }
}

RPW_INLINE void Walk::add_cost(double term) {
    const double sum = walked_cost + term, back = sum - walked_cost;
    walked_rest += (walked_cost - (sum - back)) + (term - back);
    walked_cost = sum;
}

// Moves mass along the path, but not yet over its arc (row, column). One thread.
RPW_INLINE void Walk::push() {
    if (is_paired) {
        for (int x = row, to = column;; x = at.parent[rows + to]) {
            at.mate[to] = static_cast<Link>(x);
            if (x == root_row) break;
            to = at.parent[x] - rows;
        }
    }
    for (int x = row;; x = at.parent[x]) {
        at.flow[x] += is_row(x) ? -carried : carried;
        if (x == root_row) break;
    }
    for (int x = rows + column;; x = at.parent[x]) {
        at.flow[x] += is_row(x) ? carried : -carried;
        if (x == top) break;
    }
}

RPW_INLINE bool Walk::hangs_below(int x, int ancestor) const {
    if (ancestor == root_row) return true;
    while (x != ancestor) {
        if (x == root_row) return false;
        x = at.parent[x];
    }
    return true;
}

RPW_INLINE int Walk::top_of(int x) const {
    while (at.parent[x] >= 0 && at.flow[x] > 0) x = at.parent[x];
    return x;
}

// The path lost an arc between the root and `row`: what hangs below it waits again, `row` in the tree of `column`.
RPW_INLINE void Walk::lose_part() {
    const int lost = ~size();
    team.each(size(), [&](int x) {
        if (at.label[x] != root_row || !hangs_below(x, high_cut)) return;
        at.label[x] = static_cast<Link>(lost);
        at.distance[x] = lambda - at.distance[x];
    });
    team.barrier();
    team.once([&] {
        *at.listed = 0;
        push();
        rehang(row, rows + column, carried, low_cut);
    });
    // Trees that stayed whole keep their label, and climbing is spared where everybody has the same top.
    const bool is_whole = sink_cut < 0 || sink_cut == top;
    const bool is_one = reached == 0 && low_cut == high_cut;
    const int joined = is_whole ? top : top_of(rows + column);
    team.each(size(), [&](int x) {
        const int label = at.label[x];
        if (label != lost && (is_whole || label != ~top)) return;
        at.label[x] = static_cast<Link>(~(label == lost && is_one ? joined : top_of(x)));
        if (label == lost && !is_row(x)) at.list[Team::append(at.listed)] = static_cast<Link>(x - rows);
    });
    team.barrier();
    team.each(columns, [&](int j) {  // paths through what was lost exist no more: keys are bounds only
        const int i = at.partner[j];
        if (i >= 0 && at.label[i] < 0) at.partner[j] = -1;
    });
    team.barrier();
    team.each_by_crew(*at.listed, [&](const Crew& crew, int e) { renew(crew, at.list[e]); });
    team.barrier();
}

// The path lost an arc between `column` and the top of its tree only: `column` and what hangs with it are reached.
RPW_INLINE void Walk::gain_part() {
    const int node = rows + column;
    team.once([&] {
        *at.listed = 0;
        push();
        rehang(node, row, carried, sink_cut);
    });
    team.each(size(), [&](int x) {
        if (at.label[x] != ~top) return;
        int y = sink_cut == top ? node : x;
        while (y != node && at.parent[y] >= 0 && at.flow[y] > 0) y = at.parent[y];
        if (y == node) {
            reach_node(x);
        } else {
            at.label[x] = static_cast<Link>(~y);
        }
    });
    team.barrier();
    has_fresh_rows = true;
}

}  // namespace rpw_cuda
