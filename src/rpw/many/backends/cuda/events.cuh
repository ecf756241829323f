// The next event: keys of columns that wait, and how they are renewed.
#pragma once

#include "walk.cuh"

namespace rpw_cuda {

RPW_INLINE void Walk::start(const BalancedPair& masses) {
    team.each(size(), [&](int x) {
        at.distance[x] = 0;
        at.parent[x] = -1;
        at.flow[x] = is_row(x) ? masses.a[x] : masses.b[x - rows];
        at.label[x] = static_cast<Link>(is_row(x) ? x : ~x);
    });
    team.barrier();
    team.each(columns, [&](int j) {
        const Place to = cost.column(j);
        Best best = {infinite(), -1};
        for (int i = 0; i < rows; ++i) {
            const double k = length(i, cost.row(i), j, to);
            if (k < best.key) best = {k, i};
        }
        at.key[j] = best.key;
        at.partner[j] = static_cast<Link>(best.index);
        at.mate[j] = -1;
    });
    team.barrier();
}

// Computes the key of one column afresh.
RPW_INLINE void Walk::renew(const Crew& crew, int j) {
    const Place to = cost.column(j);
    const Best best = crew.least(rows, [&](int i) {
        const double found = length(i, cost.row(i), j, to);  // before the question: loads need not wait for it
        return at.label[i] >= 0 ? found : infinite();
    });
    crew.once([&] {
        at.key[j] = best.key;
        at.partner[j] = static_cast<Link>(best.index);
    });
}

// The next tight arc. Every warp checks the best of its own columns, so that several keys are renewed at once.
RPW_INLINE bool Walk::next_event() {
    if (has_fresh_rows) lower_keys();
    for (;;) {
        const Best best = team.least_of_crews([&](const Crew& crew) -> Best {
            for (bool is_second = false;; is_second = true) {
                const Best mine = Team::least_owned(crew, columns, [&](int j) { return at.key[j]; });
                if (mine.index < 0) return mine;
                crew.barrier();
                const bool is_bound = at.partner[mine.index] < 0;
                if (!is_bound || is_second) return {mine.key, 2 * mine.index + (is_bound ? 1 : 0)};
                renew(crew, mine.index);
            }
        });
        is_cut_off = team.is_stopped;
        if (best.index < 0 || is_cut_off) return false;
        if (best.index % 2 == 0) {
            lambda = best.key > lambda ? best.key : lambda;
            column = best.index / 2;
            row = at.partner[column];
            root_row = at.label[row];
            top = ~at.label[rows + column];
            return true;
        }
        ++renewed;
        team.barrier();
    }
}

// The rows on the list were reached: paths through them may be shorter.
RPW_INLINE void Walk::lower_keys() {
    has_fresh_rows = false;
    const int count = *at.listed;
    team.each_soon(columns, [&](int j) {
#if RPW_POINTS != 1
        const Place to = cost.column(j);  // before the question: loads need not wait for it
#endif
        Best best = {at.key[j], at.partner[j]};
        if (best.key == infinite()) return;  // reached
#if RPW_POINTS == 1
        const Place to = cost.column(j);
#endif
        for (int e = 0; e < count; ++e) {
            const int i = at.list[e];
            const Best candidate = {length(i, cost.row(i), j, to), i};
            if (precedes(candidate, best)) best = candidate;
        }
        at.key[j] = best.key;
        at.partner[j] = static_cast<Link>(best.index);
    });
}

}  // namespace rpw_cuda
