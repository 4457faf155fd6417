#pragma once
// The overrides that give the text of kernels, found in a program.

#include "engine/lowered/lowered.h"
#include "engine/passes/overrides.h"

namespace sw {

// Those of the form that are on, each with its kernel, or with why it has none: the value is unknown or not stored, the kernel is
// for another device, an earlier override gives its text, it is launched with something else than when it was edited. The others
// have the state Applied; whether their texts are right is not looked at. None in a program that was read from a text of kernels.
[[nodiscard]] std::vector<KernelEdit> findCodeOverrides(const LoweredProgram &program, const Overrides &overrides, CodeForm form);

// Why the text was made from another one than `original`, which is the kernel's own text now; empty: it was not.
[[nodiscard]] std::string whyOutOfDate(const EditedCode &code, std::string_view original);

} // namespace sw
