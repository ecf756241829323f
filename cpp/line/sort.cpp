// See sort.hpp.
#include "line/sort.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <utility>

#include "base/tuning.hpp"

namespace rpw {

namespace {

struct Keyed {
    std::uint64_t key;
    Node place;

    bool operator<(const Keyed& other) const { return key != other.key ? key < other.key : place < other.place; }
};

constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;

// Integers in the order of the numbers.
std::uint64_t key_of(double number) {
    const auto bits = std::bit_cast<std::uint64_t>(number + 0.0);  // -0.0 is 0.0
    return bits & sign_bit ? ~bits : bits | sign_bit;
}

double number_of(std::uint64_t key) { return std::bit_cast<double>(key & sign_bit ? key ^ sign_bit : ~key); }

// Digit by digit, the last one first: n numbers take six passes, and fewer where they agree in a digit.
void sort_by_digits(std::vector<Keyed>& keyed) {
    constexpr int bits = 11, digits = 6;
    constexpr std::size_t radix = std::size_t{1} << bits;
    const auto digit_of = [](std::uint64_t key, int digit) { return key >> (bits * digit) & (radix - 1); };
    std::vector<std::array<std::uint32_t, radix>> count(digits);
    for (const Keyed& each : keyed) {
        for (int d = 0; d < digits; ++d) ++count[d][digit_of(each.key, d)];
    }
    std::vector<Keyed> moved(keyed.size());
    for (int d = 0; d < digits; ++d) {
        if (count[d][digit_of(keyed[0].key, d)] == keyed.size()) continue;
        std::exclusive_scan(count[d].begin(), count[d].end(), count[d].begin(), std::uint32_t{0});
        for (const Keyed& each : keyed) moved[count[d][digit_of(each.key, d)]++] = each;
        std::swap(keyed, moved);
    }
}

}  // namespace

SortedNumbers sorted_numbers(std::vector<double> numbers) {
    SortedNumbers sorted;
    sorted.order.resize(numbers.size());
    if (std::is_sorted(numbers.begin(), numbers.end())) {
        std::iota(sorted.order.begin(), sorted.order.end(), 0);
        sorted.at = std::move(numbers);
        return sorted;
    }
    std::vector<Keyed> keyed(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) keyed[i] = {key_of(numbers[i]), static_cast<Node>(i)};
    if (keyed.size() < tuning::worth_counting) {
        std::sort(keyed.begin(), keyed.end());
    } else {
        sort_by_digits(keyed);
    }
    for (std::size_t i = 0; i < keyed.size(); ++i) {
        numbers[i] = number_of(keyed[i].key);
        sorted.order[i] = keyed[i].place;
    }
    sorted.at = std::move(numbers);
    return sorted;
}

}  // namespace rpw
