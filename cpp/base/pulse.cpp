// See pulse.hpp.
#include "base/pulse.hpp"

namespace rpw {

Pulse::Clock::time_point Pulse::poll() {
    budget_ = 0;
    const auto now = Clock::now();
    if (poll_ && now - last_ > std::chrono::milliseconds(20)) {
        last_ = now;
        poll_();
    }
    return now;
}

void Pulse::look() {
    const auto now = poll();
    if (has_deadline_ && now >= deadline_) throw TimeUp();
}

}  // namespace rpw
