// The walk of one pair: its state, and what it does.
#pragma once

#include "balanced.cuh"
#include "costs.cuh"
#include "workspace.cuh"

namespace rpw_cuda {

struct Walk {
    Team& team;
    const Batch& batch;
    const Costs& cost;
    const Workspace at;
    const int rows;
    const int columns;
    const Mass total;
    const Mass negligible;
    const bool is_paired;  // all masses are equal: every tree that waits is a row and a column, or a column with room

    // The same in every thread.
    Mass moved = 0;
    double walked_cost = 0;  // F at the vertex reached, in two numbers
    double walked_rest = 0;
    double lambda = 0;
    long long reached = 0, edges = 0, renewed = 0;
    bool is_cut_off = false;      // the host asked for an end
    bool has_fresh_rows = false;  // the list holds rows that were reached since the keys were computed

    // The edge of F that was found.
    int row = -1, column = -1, root_row = -1, top = -1;
    int low_cut = -1, high_cut = -1;  // rows whose arcs it empties: the nearest to `row`, the nearest to the root
    int sink_cut = -1;                // the column nearest to `column` whose arc it empties
    Mass carried = 0;                 // what the path can take
    Mass amount = 0;                  // with what is negligible

    RPW_INLINE int size() const { return rows + columns; }
    RPW_INLINE bool is_row(int x) const { return x < rows; }
    RPW_INLINE double share(Mass mass) const { return static_cast<double>(mass) / static_cast<double>(total); }
    RPW_INLINE double unmoved() const { return share(total - moved); }

    // The length of source ⇝ i → j ⇝ sink; one expression for all, because equal paths must be equal bits.
    RPW_INLINE double length(int i, const Place& from, int j, const Place& to) const {
        const double sum = (at.distance[i] + cost.between(from, to)) + at.distance[rows + j];
        return sum > 0 ? sum : 0;
    }
    RPW_INLINE bool is_arc(int x) const { return at.parent[x] >= 0 && at.flow[x] > 0; }

    // The next tight arc: events.cuh.
    RPW_INLINE void start(const BalancedPair& masses);
    RPW_INLINE void renew(const Crew& crew, int j);
    RPW_INLINE bool next_event();
    RPW_INLINE void lower_keys();

    // What it changes: pivots.cuh.
    RPW_INLINE bool find_edge(double limit);
    RPW_INLINE void reach_pairs();
    RPW_INLINE void test_ratios();
    RPW_INLINE void rehang(int x, int above, Mass mass, int last);
    RPW_INLINE void reach_node(int x);
    RPW_INLINE void reach();
    RPW_INLINE void take_edge();
    RPW_INLINE void add_cost(double term);
    RPW_INLINE void push();
    RPW_INLINE bool hangs_below(int x, int ancestor) const;
    RPW_INLINE int top_of(int x) const;
    RPW_INLINE void lose_part();
    RPW_INLINE void gain_part();

    // What was found: proof.cuh and plans.cuh.
    RPW_INLINE double arc_cost(int x) const;
    RPW_INLINE double plan_cost();
    template <class V>
    RPW_INLINE double row_potential(int i, V of_column) const;
    RPW_INLINE double column_potential(int j) const;
    RPW_INLINE double certificate(const BalancedPair& masses);
    RPW_INLINE double certificate_on_the_way(const BalancedPair& masses);
    RPW_INLINE void write_potentials(long long pair);
    RPW_INLINE void write_plan(long long pair, double partial);
    RPW_INLINE double along_path(int x) const;
};

}  // namespace rpw_cuda
