// See pair_list.hpp.
#include "flow/pair_list.hpp"

namespace rpw {

void list_pairs(const Distances& cost, double longest, ListedPairs& listed, Pulse& pulse) {
    listed.begin.assign(cost.rows, 0);
    listed.end.assign(cost.rows, 0);
    std::size_t count = 0;
    for (Node i = 0; i < cost.rows; ++i) {
        const double* row = cost.row(i);
        listed.begin[i] = count;
        std::size_t in_row = 0;
        for (Node j = 0; j < cost.columns; ++j) in_row += row[j] <= longest;
        count += in_row;
        listed.end[i] = count;
        pulse.note(cost.columns);
    }
    listed.columns.clear();
    listed.columns.resize(count);
    for (Node i = 0; i < cost.rows; ++i) {
        const double* row = cost.row(i);
        std::size_t place = listed.begin[i];
        // The matrix may be the caller's, and other entries may stand there by now: it is no longer counted on.
        for (Node j = 0; j < cost.columns && place < listed.end[i]; ++j) {
            listed.columns[place] = j;
            place += row[j] <= longest;
        }
        listed.end[i] = place;
        pulse.note(cost.columns);
    }
}

}  // namespace rpw
