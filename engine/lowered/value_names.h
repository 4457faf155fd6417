#pragma once
// What the text of a kernel calls its values.

#include "engine/lowered/lowered.h"

#include <string>
#include <vector>

namespace sw {

// The name that a value was given; empty: none. Arguments of a kernel with a shared body (binding; null: it has its own) have
// names of their own.
[[nodiscard]] const std::string &givenName(const Instruction &instruction, const KernelBinding *binding = nullptr);

// What the text calls each value, without the '%': by instruction. That is the name it was given, if it is an identifier that no
// other value of the kernel has, else its number.
[[nodiscard]] std::vector<std::string> valueNames(const LoweredKernel &kernel, const KernelBinding *binding = nullptr);

} // namespace sw
