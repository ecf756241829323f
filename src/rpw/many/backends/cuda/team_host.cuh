// Teams on the host: threads are loops, and `is_backwards` takes them in the other order.
#pragma once

namespace rpw_cuda {

struct Crew {
    int number = 0;

    void barrier() const {}

    template <class Key>
    Best least(int count, Key key) const {
        Best best = {infinite(), -1};
        for (int x = 0; x < count; ++x) consider(x, key, best);
        return best;
    }
    template <class Do>
    void once(Do act) const {
        act();
    }
    template <class Key>
    static void consider(int x, Key key, Best& best) {
        const double k = key(x);
        if (k < best.key) best = {k, x};
    }
};

struct Team {
    bool is_backwards = false;
    const volatile unsigned long long* next = nullptr;
    bool is_stopped = false;

    void barrier() const {}
    template <class Do>
    void each(int count, Do act) const {
        for (int x = 0; x < count; ++x) act(is_backwards ? count - 1 - x : x);
    }
    template <class Do>
    void once(Do act) const {
        act();
    }
    template <class Do>
    void each_soon(int count, Do act) const {
        each(count, act);
    }
    template <class Do>
    void each_labelled(const Link* labels, int count, int label, Do act) const {
        each(count, [&](int x) {
            if (labels[x] == label) act(x);
        });
    }
    template <class Do>
    void each_by_crew(int count, Do act) const {
        each(count, [&](int x) { act(Crew{}, x); });
    }
    template <class Find>
    Best least_of_crews(Find find) {
        is_stopped = RPW_GRID && *next >= no_more;
        Best best = {infinite(), -1};
        each(warps_per_block, [&](int w) {
            const Best found = find(Crew{w});
            if (precedes(found, best)) best = found;
        });
        return best;
    }
    template <class Key>
    static Best least_owned(const Crew& crew, int count, Key key) {
        Best best = {infinite(), -1};
        for (int x = 0; x < count; ++x) {
            if (x / warp_size % warps_per_block == crew.number) Crew::consider(x, key, best);
        }
        return best;
    }
    template <class Term>
    double sum(int count, Term term) const {
        double total = 0;
        for (int x = 0; x < count; ++x) total += term(x);
        return total;
    }
    static int append(int* size) { return (*size)++; }
    static void add(Mass* sum, Mass term) { *sum += term; }
};

}  // namespace rpw_cuda
