#pragma once
// The values and buffers around kernels that were read from a text, as a graph of leaves: given by the text, or made up.

#include "engine/lowered/program_text.h"

#include <map>
#include <vector>

namespace sw {

struct KernelFrame {
    Graph graph;                      // placeholders, constants and buffers; reshapes of them; the sink
    std::map<BufferId, NodeId> nodes; // by the numbers that the kernels' arguments use
};

// The frame that a text gives. The lines of the text are the sources.
[[nodiscard]] Result<KernelFrame> givenFrame(const LoweredFrame &frame, const SourceMapPtr &sources);
// The frame for kernels alone: a buffer that one of them writes is an output, a value that define_var reads is a dimension.
[[nodiscard]] Result<KernelFrame> madeUpFrame(const std::vector<LoweredKernel> &kernels, const SourceMapPtr &sources);

} // namespace sw
