// What a launch computes, and the settings of its kernel.
//
// Compile-time settings: RPW_THREADS per block and RPW_BLOCKS beside each other at least, RPW_DIM coordinates (0: any
// number), RPW_COST (0: squared Euclidean, 1: a metric, 2: a table), RPW_P (1 or 2; 0: any p), RPW_POINTS (1: the
// points are copied into the workspace, 2: those of rows), RPW_GRID (1: all blocks together solve one pair, with its
// workspace in global memory), RPW_SEVERAL (1: RPW at several prices), RPW_OWN_PRICE (1: each pair has its own price),
// RPW_CUTOFF (1: a walk ends where RPW is proven to lie beyond a limit).
#pragma once

#ifndef RPW_THREADS
#define RPW_THREADS 64
#endif
#ifndef RPW_DIM
#define RPW_DIM 0
#endif
#ifndef RPW_COST
#define RPW_COST 1
#endif
#ifndef RPW_POINTS
#define RPW_POINTS 0
#endif
#ifndef RPW_GRID
#define RPW_GRID 0
#endif
#ifndef RPW_SEVERAL
#define RPW_SEVERAL 0
#endif
#ifndef RPW_OWN_PRICE
#define RPW_OWN_PRICE 0
#endif
#ifndef RPW_BLOCKS
#define RPW_BLOCKS 1
#endif
#ifndef RPW_P
#define RPW_P 0
#endif

#ifndef RPW_CUTOFF
#define RPW_CUTOFF 0
#endif

#if defined(__CUDACC__)
#define RPW_INLINE __device__ __forceinline__
#else
#include <cmath>
#include <cstddef>
#include <limits>
#define RPW_INLINE inline
#endif

namespace rpw_cuda {

using Mass = long long;
#if RPW_GRID
using Link = int;
#else
using Link = short;
#endif

enum Question { question_crossing = 0, question_mass = 1, question_shared = 2 };
enum MetricName { euclidean = 0, cityblock = 1, chebyshev = 2 };
enum Status { exact = 0, within_tolerance = 1, cut_off = 2, beyond_cutoff = 3 };

// What the host writes over `next` to end a launch: nobody takes another pair, and the one that all blocks work on is
// left where it is. layout.py has the same number.
constexpr unsigned long long no_more = 1ull << 62;

// What a launch computes; layout.py has the same fields. Lengths are in units of `scale`.
struct Batch {
    const double* points_a;  // coordinate by coordinate: atoms_a numbers each
    const double* points_b;
    const int* place_a;  // or rows and columns of the table; or, in order, labels of equal points (question_shared)
    const int* place_b;
    const double* table;  // p-th powers
    const long long* start_a;
    const long long* start_b;
    const Mass* mass_a;
    const Mass* mass_b;
    const Mass* total_a;  // of each measure
    const Mass* total_b;
    const Mass* unit_a;  // the mass of every atom of a measure, where they are all equal; else less the least
    const Mass* unit_b;
    const Mass* before_a;  // of each atom, the mass of those before it in its measure
    const Mass* before_b;
    const long long* first;  // the pairs
    const long long* second;
    const long long* order;    // the positions of the pairs to compute, largest first
    unsigned long long* next;  // the first position in `order` that nobody has taken
    unsigned long long* done;  // how many are finished
    char* workspace;           // RPW_GRID only
    const double* kappas;      // RPW_SEVERAL: the prices in ascending order, and an answer for each of them;
                               // RPW_OWN_PRICE: the price of each pair
    const double* cutoffs;     // RPW_CUTOFF: the limit of each pair
    double* value;
    double* lower;
    double* upper;
    int* status;
    long long* work;              // reached trees, moved masses, renewed keys of each pair; may be null
    const long long* plan_start;  // where each pair's plan begins, an entry for each atom; null without plans
    int* plan_row;
    int* plan_column;
    double* plan_mass;  // 0 where the entry is none
    double* u;          // potentials begin at u_start and v_start
    double* v;
    const long long* u_start;
    const long long* v_start;
    double* multiplier;
    const long long* cut_start;  // of the cuts that bound each first measure, whose multipliers and u are read
    long long atoms_a;
    long long atoms_b;
    long long table_columns;
    long long begin;  // the positions in `order` of this launch
    long long end;
    double p;
    double kappa;
    double unmoved;
    double truncation;
    double scale;
    double tol;
    int question;
    int metric;
    int dimension;
    int prices;
};

}  // namespace rpw_cuda
