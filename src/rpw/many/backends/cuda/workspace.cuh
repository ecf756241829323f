// The memory of a team.
#pragma once

#include "team.cuh"

namespace rpw_cuda {

struct Workspace {
    double* distance;  // of each node: rows, then columns
    Mass* flow;        // on the arc to the parent; at the top of a tree, its unmoved mass or its room
    double* key;       // of each column that waits: no path to it is shorter; infinite where it is reached
    Link* parent;      // where the flow of a top is 0, its parent has no meaning
    Link* label;       // reached: the root; waiting: ~(the top of its tree)
    Link* partner;     // of each column: the row on the path behind its key; -1 where the key is only a bound
    Link* mate;        // of each column, where all masses are equal: the row that sends to it; -1 where it has room
    Link* list;
    int* listed;
};

// Takes arrays one after the other; from null it only counts.
struct Room {
    char* base;
    size_t used;

    template <class T>
    RPW_INLINE T* take(size_t count) {
        T* found = base == nullptr ? nullptr : reinterpret_cast<T*>(base + used);
        used += (count * sizeof(T) + 7) / 8 * 8;
        return found;
    }
};

RPW_INLINE Workspace lay_out(Room& room, int rows, int columns) {
    const size_t nodes = static_cast<size_t>(rows) + static_cast<size_t>(columns);
    const size_t longer = static_cast<size_t>(rows > columns ? rows : columns);
    Workspace at;
    at.distance = room.take<double>(nodes);
    at.flow = room.take<Mass>(nodes);
    at.key = room.take<double>(static_cast<size_t>(columns));
    at.parent = room.take<Link>(nodes);
    at.label = room.take<Link>(nodes);
    at.partner = room.take<Link>(static_cast<size_t>(columns));
    at.mate = room.take<Link>(static_cast<size_t>(columns));
    at.list = room.take<Link>(longer);
    at.listed = room.take<int>(1);
    return at;
}

// Copies points next to the workspace.
RPW_INLINE void bring(Team& team, const double* from, long long stride, int count, int dimension, double* to) {
    for (int t = 0; t < dimension; ++t) {
        team.each(count, [&](int x) { to[t * count + x] = from[t * stride + x]; });
    }
}

}  // namespace rpw_cuda
