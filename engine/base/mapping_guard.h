#pragma once
// Keeps a process alive that reads a mapped file which was cut off meanwhile. The system has no bytes for such a page and would
// end the process (SIGBUS); a guarded mapping reads zeros there instead. Whoever mapped the file finds out that it has changed.

#include <cstddef>
#include <span>

namespace sw {

// False: as many mappings are guarded as can be. The bytes are whole pages from the start of one.
[[nodiscard]] bool guardMapping(std::span<const std::byte> bytes);
// All of them are of one guarded mapping.
[[nodiscard]] bool areGuarded(std::span<const std::byte> bytes);
// Before the mapping goes.
void unguardMapping(std::span<const std::byte> bytes);

} // namespace sw
