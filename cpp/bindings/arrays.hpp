// NumPy arrays in and out, and what every binding needs. Only the files in this folder know Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <span>
#include <utility>
#include <vector>

#include "base/masses.hpp"
#include "ground/measure.hpp"

namespace nb = nanobind;

namespace rpw::python {

template <class T>
using Numbers = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using WritableNumbers = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using WritableTable = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using StridedTable = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>;

template <class T>
std::span<const T> view(const Numbers<T>& numbers) {
    return {numbers.data(), numbers.shape(0)};
}

inline std::span<double> view(const WritableNumbers& numbers) { return {numbers.data(), numbers.shape(0)}; }

inline Points as_points(const Table& points) {
    return {points.data(), static_cast<Node>(points.shape(0)), static_cast<Node>(points.shape(1))};
}

template <class T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

// Hands a vector over to NumPy without copying.
template <class T>
Array<T> to_array(std::vector<T> values) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Array<T>(owned->data(), {owned->size()}, owner);
}

// Arrays carry their owner with them.
inline constexpr auto own = nb::rv_policy::automatic;

// The space and the measures of one call, together with the arrays that they look into.
struct OwnedSpace {
    Space view;
    nb::object owner;
};

struct OwnedMeasures {
    Measures view;
    std::vector<nb::object> owners;
};

void bind_ground(nb::module_& module);
void bind_question(nb::module_& module);
void bind_pair(nb::module_& module);
void bind_many(nb::module_& module);

}  // namespace rpw::python
