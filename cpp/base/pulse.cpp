// See pulse.hpp.
#include "base/pulse.hpp"

namespace rpw {

void Pulse::look() {
    budget_ = 0;
    const auto now = Clock::now();
    if (poll_ && now - last_ > std::chrono::milliseconds(20)) {
        last_ = now;
        poll_();
        is_asked_ = news_ != nullptr;
    }
    if (has_deadline_ && now >= deadline_) throw TimeUp();
}

}  // namespace rpw
