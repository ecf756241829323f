// A priority queue of nodes with changeable keys (indexed four-ary heap).
#pragma once

#include <algorithm>
#include <vector>

#include "base/masses.hpp"

namespace rpw {

class EventQueue {
public:
    explicit EventQueue(Node nodes) : place_(nodes, -1), key_(nodes, 0.0) {}

    bool empty() const { return heap_.empty(); }
    bool contains(Node x) const { return place_[x] >= 0; }
    double least_key() const { return key_[heap_[0]]; }

    void clear() {
        for (Node x : heap_) place_[x] = -1;
        heap_.clear();
    }

    void set(Node x, double key) {
        if (!contains(x)) {
            key_[x] = key;
            place_[x] = static_cast<Node>(heap_.size());
            heap_.push_back(x);
            sift_up(place_[x]);
        } else {
            const bool earlier = key < key_[x];
            key_[x] = key;
            earlier ? sift_up(place_[x]) : sift_down(place_[x]);
        }
    }

    Node pop() {
        const Node least = heap_[0];
        const Node last = heap_.back();
        heap_.pop_back();
        place_[least] = -1;
        if (!heap_.empty()) {
            heap_[0] = last;
            place_[last] = 0;
            sift_down(0);
        }
        return least;
    }

private:
    void put(Node place, Node x) {
        heap_[place] = x;
        place_[x] = place;
    }

    void sift_up(Node place) {
        const Node x = heap_[place];
        while (place > 0) {
            const Node above = (place - 1) / 4;
            if (key_[heap_[above]] <= key_[x]) break;
            put(place, heap_[above]);
            place = above;
        }
        put(place, x);
    }

    void sift_down(Node place) {
        const Node x = heap_[place];
        const Node size = static_cast<Node>(heap_.size());
        for (;;) {
            const Node first = 4 * place + 1;
            if (first >= size) break;
            const Node end = std::min<Node>(first + 4, size);
            Node least = first;
            for (Node child = first + 1; child < end; ++child) {
                if (key_[heap_[child]] < key_[heap_[least]]) least = child;
            }
            if (key_[heap_[least]] >= key_[x]) break;
            put(place, heap_[least]);
            place = least;
        }
        put(place, x);
    }

    std::vector<Node> heap_;
    std::vector<Node> place_;
    std::vector<double> key_;
};

}  // namespace rpw
