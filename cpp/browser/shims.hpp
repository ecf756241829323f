// Two functions of C++20 that the standard library of Emscripten 3.1.6 does not have yet. The compiler is told to read
// this before every file.
#pragma once

#include <cstring>
#include <memory>
#include <type_traits>
#include <version>

namespace std {

#ifndef __cpp_lib_bit_cast
template <class To, class From>
To bit_cast(const From& from) noexcept {
    static_assert(sizeof(To) == sizeof(From) && is_trivially_copyable_v<To> && is_trivially_copyable_v<From>);
    To to;
    memcpy(&to, &from, sizeof(To));
    return to;
}
#endif

#ifndef __cpp_lib_smart_ptr_for_overwrite
template <class T>
unique_ptr<T> make_unique_for_overwrite(size_t size) {
    return unique_ptr<T>(new remove_extent_t<T>[size]);
}
#endif

}  // namespace std
