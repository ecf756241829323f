// Lets the compiler emit several versions of a hot loop and pick one at load time, where it can.
#pragma once

#include <climits>  // any header of the C library says whether that is glibc: musl picks nothing at load time

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define RPW_SIMD __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define RPW_SIMD
#endif
