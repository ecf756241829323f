// What an engine says when it is asked: an answer, or why it has none.
#pragma once

#include <cstddef>
#include <utility>
#include <variant>

namespace rpw {

// Cut off: time was up, and what it knew by then is the answer.
enum class Declined { too_much_work, in_doubt, not_its_kind, no_room, unsound, cut_off };
inline constexpr const char* declined_in_words[] = {"too much work", "in doubt", "not its kind",
                                                    "no room",       "unsound",  "cut off"};

// What an enumerator is called in such a list, which has them in the same order.
template <class Enum, std::size_t count>
const char* name_of(Enum which, const char* const (&names)[count]) {
    return names[static_cast<std::size_t>(which)];
}

template <class Answer>
class Reply {
public:
    Reply(Answer answer) : said_(std::move(answer)) {}
    Reply(Declined why) : said_(why) {}

    explicit operator bool() const { return said_.index() == 0; }
    Answer& operator*() { return std::get<0>(said_); }
    Declined why() const { return std::get<1>(said_); }

private:
    std::variant<Answer, Declined> said_;
};

}  // namespace rpw
