// Numbers in messages.
#pragma once

#include <cstdio>
#include <string>

namespace rpw {

inline std::string in_words(double x, const char* format = "%.3g") {
    char text[32];
    std::snprintf(text, sizeof text, format, x);
    return text;
}

}  // namespace rpw
