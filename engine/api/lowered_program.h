#pragma once
// A program from the text of lowered kernels, as a .lowered file holds them. The text says what is around the kernels (see
// program_text.h); around kernels alone it is made up: buffers that some kernel writes are outputs, zero at first, the others are
// inputs. Kernels run in the order of the text. The text is a person's: what its kernels say about the buffers is checked here,
// and where they access them by the pass check-accesses.

#include "engine/lowered/program_text.h"
#include "engine/pipeline/runner.h"

#include <string>
#include <vector>

namespace sw {

// frame: null: made up.
[[nodiscard]] Result<LoweredProgram> programOfKernels(std::vector<LoweredKernel> kernels, const LoweredFrame *frame,
                                                      SourceMapPtr sources);

// What the user is told of how the accesses of a text are kept in their memory: proved, or checked while it runs.
[[nodiscard]] Diagnostics accessNotes(const LoweredProgram &program, const PipelineRun &run);

// One source item per line of the text: what its instructions come from.
[[nodiscard]] std::shared_ptr<SourceMap> lineSources(const std::string &fileName, const std::string &text);

} // namespace sw
