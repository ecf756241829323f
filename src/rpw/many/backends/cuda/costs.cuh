// p-th powers of distances, computed where they are needed, or read from a table.
#pragma once

#include "numbers.cuh"

namespace rpw_cuda {

#if RPW_COST == 2
using Place = int;  // in the table
#elif RPW_DIM > 0
struct Place {
    double at[RPW_DIM];
};
#else
using Place = int;  // the atom
#endif

// Strides of points that were brought to the workspace are small.
#if RPW_POINTS
using XStride = int;
#else
using XStride = long long;
#endif
#if RPW_POINTS == 1
using YStride = int;
#else
using YStride = long long;
#endif

struct Costs {
    const double* x;  // coordinates of the rows, `x_stride` apart
    const double* y;
    XStride x_stride;
    YStride y_stride;
    const int* place_x;
    const int* place_y;
    const double* table;
    long long table_columns;
    double p;
    double truncation;    // of distances
    double truncation_p;  // of their powers
    int dimension;
    int metric;

    RPW_INLINE Place row(int i) const { return place(i, x, x_stride, place_x); }
    RPW_INLINE Place column(int j) const { return place(j, y, y_stride, place_y); }

    RPW_INLINE double between(const Place& i, const Place& j) const {
#if RPW_COST == 2
        return table[i * table_columns + j];
#else
#if RPW_COST == 0
        double sum = 0;
#if RPW_DIM > 0
#if defined(__CUDACC__)
#pragma unroll
#endif
#endif
        for (int t = 0; t < coordinates(); ++t) {
            const double difference = of_row(i, t) - of_column(j, t);
            sum = fused(difference, difference, sum);
        }
        return sum < truncation_p ? sum : truncation_p;
#else
        return general(i, j);
#endif
#endif
    }

private:
    RPW_INLINE int coordinates() const { return RPW_DIM > 0 ? RPW_DIM : dimension; }

    template <class Stride>
    RPW_INLINE Place place(int atom, const double* points, Stride stride, const int* places) const {
#if RPW_COST == 2
        (void)points, (void)stride;
        return places[atom];
#elif RPW_DIM > 0
        (void)places;
        Place found;
#if defined(__CUDACC__)
#pragma unroll
#endif
        for (int t = 0; t < RPW_DIM; ++t) found.at[t] = points[t * stride + atom];
        return found;
#else
        (void)points, (void)stride, (void)places;
        return atom;
#endif
    }

#if RPW_COST != 2
    RPW_INLINE double of_row(const Place& i, int t) const {
#if RPW_DIM > 0
        return i.at[t];
#else
        return x[t * x_stride + i];
#endif
    }
    RPW_INLINE double of_column(const Place& j, int t) const {
#if RPW_DIM > 0
        return j.at[t];
#else
        return y[t * y_stride + j];
#endif
    }

    RPW_INLINE double general(const Place& i, const Place& j) const {
        double length = 0;
        for (int t = 0; t < coordinates(); ++t) {
            const double difference = of_row(i, t) - of_column(j, t);
            if (metric == euclidean) {
                length = fused(difference, difference, length);
            } else if (metric == cityblock) {
                length += fabs(difference);
            } else {
                length = length > fabs(difference) ? length : fabs(difference);
            }
        }
        if (metric == euclidean) length = sqrt(length);
        if (length > truncation) length = truncation;
        const double cost = power(length, p);
        return cost < 1e290 ? cost : 1e290;
    }
#endif
};

}  // namespace rpw_cuda
