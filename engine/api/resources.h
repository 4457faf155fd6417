#pragma once
// Where the program's own files are: library/, examples/, docs/.

#include <string>

namespace sw {

// The first of these that exists: the environment's STEPWELL_RESOURCES, share/stepwell beside the executable's folder, the source
// tree that this was built from. Empty when there is none.
[[nodiscard]] std::string findResourceFolder();

} // namespace sw
