// Dense n × m matrices, by what their entries mean, and the problems made of them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <utility>

#include "base/masses.hpp"

namespace rpw {

// Row-major numbers that somebody else owns.
struct Matrix {
    const double* data;
    Node rows;
    Node columns;

    const double* row(Node i) const { return data + static_cast<std::size_t>(i) * columns; }
    double at(Node i, Node j) const { return row(i)[j]; }
    std::size_t size() const { return static_cast<std::size_t>(rows) * columns; }
};

// Lengths, in the unit of the ground distance. What p = ∞ and k = 0 are decided by.
struct Distances : Matrix {};

// (length / scale)^p: costs that add up along a plan.
struct Powers : Matrix {};

struct LengthProblem {
    Distances distances;
    Masses masses;
};

struct PowerProblem {
    Powers powers;
    Masses masses;
};

// Room for a matrix that is kept from pair to pair. It is not set to zero, and growing it loses what was in it.
class Room {
public:
    // Whether there is memory for a matrix of so many rows, columns and bytes per entry; always, if none is given.
    using MayTake = std::function<bool(Node, Node, int)>;

    Room() = default;
    explicit Room(MayTake may_take) : may_take_(std::move(may_take)) {}
    bool has(Node rows, Node columns, int bytes) const {
        return bytes == 0 || !may_take_ || may_take_(rows, columns, bytes);
    }

    double* of_size(std::size_t size) {
        if (size > size_) {
            data_.reset();
            size_ = 0;  // should the next line throw, the room is empty
            data_.reset(static_cast<double*>(::operator new[](size * sizeof(double), alignment)));
            size_ = size;
        }
        return data_.get();
    }
    const double* data() const { return data_.get(); }
    bool holds(const double* data) const { return data_ && data == data_.get(); }

private:
    // A line of the cache, and the widest vector: rows of a multiple of 8 entries are read without being split.
    static constexpr std::align_val_t alignment{64};
    struct Free {
        void operator()(double* data) const { ::operator delete[](data, alignment); }
    };
    MayTake may_take_;
    std::unique_ptr<double[], Free> data_;
    std::size_t size_ = 0;
};

}  // namespace rpw
