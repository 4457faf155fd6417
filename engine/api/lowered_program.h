#pragma once
// A program from lowered kernels alone, as a .lowered file holds them: what is around them is made up. Buffers that some kernel
// writes are outputs, zero at first; the others are inputs. Kernels run in the order of the text.

#include "engine/lowered/lowered.h"

#include <string>
#include <vector>

namespace sw {

[[nodiscard]] Result<LoweredProgram> programOfKernels(std::vector<LoweredKernel> kernels, SourceMapPtr sources);

// One source item per line of the text: what its instructions come from.
[[nodiscard]] std::shared_ptr<SourceMap> lineSources(const std::string &fileName, const std::string &text);

} // namespace sw
