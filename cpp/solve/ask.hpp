// Goes along a route: each engine answers or declines, and an answer that is not sound goes to the next.
#pragma once

#include <new>

#include "base/matrix.hpp"
#include "base/reply.hpp"
#include "solve/route.hpp"
#include "solve/sound.hpp"

namespace rpw {

// The memory does not hold the matrix of an engine that no other has stood in for.
struct NoRoom : std::bad_alloc {};

inline bool is_cut_off(const Outcome& outcome) { return outcome.status == Status::time_limit; }
template <class Answer>
bool is_cut_off(const Answer&) {
    return false;  // what else is asked for comes whole, or TimeUp is thrown
}

// ask(leg) is a Reply; `asked` gets what each engine said. Throws NoRoom and NoAnswer.
template <class Ask>
auto ask_along(const Route& route, const Question& question, const Layout& layout, const Room& room,
               std::vector<Asked>& asked, const Ask& ask) {
    bool lacks_room = false;
    for (const Leg& leg : route) {
        const auto decline = [&](Declined why) { asked.push_back({leg.engine, why}); };
        if (!room.has(layout.rows, layout.columns, bytes_per_pair(leg.engine, question, layout))) {
            if (!leg.has_stand_in) throw NoRoom();
            lacks_room = true;
            decline(Declined::no_room);
            continue;
        }
        decline(Declined::cut_off);  // until it has answered
        auto reply = ask(leg);
        if (reply && is_sound(*reply)) {
            if (!is_cut_off(*reply)) asked.back().declined.reset();
            return std::move(*reply);
        }
        asked.back().declined = reply ? Declined::unsound : reply.why();
    }
    if (lacks_room) throw NoRoom();
    throw NoAnswer();  // the matrix may have been overwritten
}

}  // namespace rpw
