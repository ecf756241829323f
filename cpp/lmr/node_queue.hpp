// The queue of Dijkstra's search: nodes by their distance from where it began.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/masses.hpp"

namespace rpw {

inline constexpr std::int64_t far_away = std::numeric_limits<std::int64_t>::max();

class NodeQueue {
public:
    struct Entry {
        std::int64_t distance;
        Node node;
        auto operator<=>(const Entry&) const = default;
    };

    explicit NodeQueue(std::size_t nodes) : distance_(nodes, far_away) {}

    void clear() {
        for (const Node x : touched_) distance_[x] = far_away;
        touched_.clear();
        heap_.clear();
    }

    // The node can be reached over this distance.
    void relax(Node x, std::int64_t distance) {
        if (distance >= distance_[x]) return;
        if (distance_[x] == far_away) touched_.push_back(x);
        distance_[x] = distance;
        heap_.push_back({distance, x});
        std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
    }

    // Takes the nearest node, unless it is farther away than that.
    std::optional<Entry> next(std::int64_t farthest) {
        while (!heap_.empty() && heap_.front().distance <= farthest) {
            std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
            const Entry entry = heap_.back();
            heap_.pop_back();
            if (entry.distance == distance_[entry.node]) return entry;  // else it was reached over less
        }
        return std::nullopt;
    }

    const std::vector<Node>& touched() const { return touched_; }
    std::int64_t distance(Node x) const { return distance_[x]; }

private:
    std::vector<std::int64_t> distance_;
    std::vector<Node> touched_;
    std::vector<Entry> heap_;
};

}  // namespace rpw
