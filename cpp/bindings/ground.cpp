// Spaces, measures, and the numbers that Python needs of the ground distance.
#include <nanobind/stl/optional.h>

#include <optional>

#include "bindings/arrays.hpp"
#include "bindings/lock.hpp"
#include "ground/distinct.hpp"
#include "ground/leading_column.hpp"
#include "ground/metric.hpp"
#include "ground/powers.hpp"
#include "line/direction.hpp"

namespace rpw::python {

namespace {

PlaceMatrix as_place_matrix(const StridedTable& matrix) {
    return {matrix.data(),
            static_cast<Node>(matrix.shape(0)),
            static_cast<Node>(matrix.shape(1)),
            matrix.stride(0),
            matrix.stride(1),
            nullptr};
}

OwnedSpace space_of_metric(Metric metric) { return {{metric, std::nullopt}, nb::none()}; }

OwnedSpace space_of_matrix(const StridedTable& matrix) {
    return {{Metric::euclidean, as_place_matrix(matrix)}, nb::cast(matrix)};
}

OwnedSpace space_of_scratch(const WritableTable& matrix) {
    PlaceMatrix places = as_place_matrix(StridedTable(matrix));
    places.scratch = matrix.data();
    return {{Metric::euclidean, places}, nb::cast(matrix)};
}

OwnedMeasures measures_of(const Numbers<std::int64_t>& start, const Numbers<Mass>& mass, const Table& points,
                          const Numbers<std::int32_t>& place, const Numbers<std::int64_t>& label) {
    OwnedMeasures made;
    made.view.start = view(start);
    made.view.mass = view(mass);
    made.owners = {nb::cast(start), nb::cast(mass)};
    if (points.is_valid()) {
        made.view.coordinates = {points.data(), points.size()};
        made.view.dimension = static_cast<Node>(points.shape(1));
        made.owners.push_back(nb::cast(points));
    }
    if (place.is_valid()) {
        made.view.place = view(place);
        made.owners.push_back(nb::cast(place));
    }
    if (label.is_valid()) {
        made.view.label = view(label);
        made.owners.push_back(nb::cast(label));
    }
    return made;
}

void fill_distances(const Table& x, const Table& y, Metric metric, double unit, const WritableTable& out) {
    const Unlocked unlocked;
    PointRows rows(as_points(y), metric, unit);
    for (std::size_t i = 0; i < x.shape(0); ++i) {
        rows.fill(as_points(x).at(static_cast<Node>(i)), out.data() + i * out.shape(1));
    }
}

void fill_powers(const Table& distances, double scale, double p, const WritableTable& out) {
    const Unlocked unlocked;
    scaled_powers(distances.data(), distances.size(), scale, p, out.data());
}

std::optional<double> largest_if_sound(const Table& cost) {
    const Unlocked unlocked;
    const Range range = range_of(cost.data(), cost.size());
    return range.is_sound ? std::optional(range.largest) : std::nullopt;
}

Labels find_labels(const Table& points) {
    const Unlocked unlocked;
    Pulse pulse(poll_signals, unreachable);
    return label_points(as_points(points), {nullptr, 0, 0}, pulse);
}

Array<std::int64_t> labels_of(const Table& points) { return to_array(find_labels(points).of_point); }

Node count_distinct(const Table& points) { return find_labels(points).count; }

double box_diameter_of(const Table& x, const Table& y, Metric metric) {
    const Unlocked unlocked;
    return box_diameter(as_points(x), as_points(y), metric);
}

}  // namespace

void bind_ground(nb::module_& module) {
    using namespace nb::literals;
    nb::enum_<Metric>(module, "Metric")
        .value("euclidean", Metric::euclidean)
        .value("cityblock", Metric::cityblock)
        .value("chebyshev", Metric::chebyshev);
    nb::class_<OwnedSpace>(module, "Space")
        .def_static("of_labels", [] { return OwnedSpace{{}, nb::none()}; })
        .def_static("of_metric", &space_of_metric, "metric"_a)
        .def_static("of_matrix", &space_of_matrix, "matrix"_a)
        .def_static("of_scratch", &space_of_scratch, "matrix"_a.noconvert());
    nb::class_<OwnedMeasures>(module, "Measures")
        .def(
            "__init__",
            [](OwnedMeasures* self, Numbers<std::int64_t> start, Numbers<Mass> mass, Table points,
               Numbers<std::int32_t> place, Numbers<std::int64_t> label) {
                new (self) OwnedMeasures(measures_of(start, mass, points, place, label));
            },
            "start"_a, "mass"_a, "points"_a.none(), "place"_a.none(), "label"_a.none());
    module.def("length_unit", [](Table x, Table y) { return length_unit(as_points(x), as_points(y)); }, "x"_a, "y"_a);
    module.def(
        "lie_on_line",
        [](Table x, Table y, Metric metric) { return direction_of(as_points(x), as_points(y), metric).has_value(); },
        "x"_a, "y"_a, "metric"_a);
    module.def("label_points", &labels_of, "points"_a);
    module.def("count_distinct", &count_distinct, "points"_a);
    module.def("fill_distances", &fill_distances, "x"_a, "y"_a, "metric"_a, "unit"_a, "out"_a.noconvert());
    module.def("fill_powers", &fill_powers, "distances"_a, "scale"_a, "p"_a, "out"_a.noconvert());
    module.def("box_diameter", &box_diameter_of, "x"_a, "y"_a, "metric"_a);
    module.def(
        "leading_column", [](Table x, Table y) { return leading_column(as_points(x), as_points(y)); }, "x"_a, "y"_a);
    module.def("largest_if_sound", &largest_if_sound, "cost"_a);
}

}  // namespace rpw::python
