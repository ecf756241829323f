// What an engine says when it is asked: an answer, or why it has none.
#pragma once

#include <utility>
#include <variant>

namespace rpw {

// Cut off: time was up, and what it knew by then is the answer.
enum class Declined { too_much_work, in_doubt, not_its_kind, no_room, unsound, cut_off };

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
