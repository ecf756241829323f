// Goes along a route: each engine answers or declines, and an answer that is not sound goes to the next.
#pragma once

#include <new>

#include "base/matrix.hpp"
#include "base/reply.hpp"
#include "solve/route.hpp"
#include "solve/sound.hpp"

namespace rpw {

// The memory does not hold the matrix of an engine that no other can stand in for.
struct NoRoom : std::bad_alloc {};

// ask(leg) is a Reply; `asked` gets what each engine said. Throws NoRoom and NoAnswer.
template <class Ask>
auto ask_along(const Route& route, const Question& question, const Layout& layout, const Room& room,
               std::vector<Asked>& asked, const Ask& ask) {
    for (const Leg& leg : route) {
        const auto decline = [&](Declined why) { asked.push_back({leg.engine, why}); };
        if (!room.has(layout.rows, layout.columns, bytes_per_pair(leg.engine, question, layout))) {
            if (!leg.has_stand_in) throw NoRoom();
            decline(Declined::no_room);
            continue;
        }
        auto reply = ask(leg);
        if (reply && is_sound(*reply)) {
            asked.push_back({leg.engine, std::nullopt});
            return std::move(*reply);
        }
        decline(reply ? Declined::unsound : reply.why());
    }
    throw NoAnswer();  // the matrix may have been overwritten
}

}  // namespace rpw
