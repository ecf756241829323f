// The walk on a matrix, compiled once. See profile_walk.hpp.
#include "walk/profile_walk.hpp"

namespace rpw {

template class WalkOver<Shortlist>;

}  // namespace rpw
