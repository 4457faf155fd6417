#pragma once
// The sources of kernels that a person edited: they take the place of the rendered ones, and go the same way from there.

#include "engine/execute/opened_device.h"
#include "engine/lowered/lowered.h"
#include "engine/passes/overrides.h"

#include <span>
#include <stop_token>
#include <vector>

namespace sw {

struct SourceEdits {
    std::vector<KernelEdit> edits;
    std::vector<RenderedSource> originals; // of the kernels whose sources were replaced
};

// Replaces the sources of kernels, by KernelId, by the texts that the overrides give. Lines that stayed or were changed in their
// places keep what they were made for; others are frame.
[[nodiscard]] SourceEdits replaceSources(const LoweredProgram &program, const Overrides &overrides,
                                         std::vector<RenderedSource> &sources);

// Compiles the replaced sources alone. One that has errors is refused: the edit gets the compiler's messages, and the kernel its
// own source again. devices: by slot. Returns whether any was refused. Once stopped, it leaves the rest as they are.
bool refuseBrokenSources(SourceEdits &edits, const LoweredProgram &program, std::vector<RenderedSource> &sources,
                         std::span<OpenedDevice *const> devices, const std::stop_token &stop);

} // namespace sw
