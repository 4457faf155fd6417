#pragma once
// Makes a program from the text of lowered kernels (a .lowered file). The text may give the frame around the kernels (see
// program_text.h); for kernels alone it is made up: buffers that some kernel writes are outputs, zero at first, the others are
// inputs. Kernels run in the order of the text. People write such texts, so what the kernels say about the buffers is checked
// here, and where they access them is checked by the pass check-accesses.

#include "engine/lowered/program_text.h"
#include "engine/pipeline/runner.h"

#include <string>
#include <vector>

namespace sw {

// frame: null when it is to be made up.
[[nodiscard]] Result<LoweredProgram> programOfKernels(std::vector<LoweredKernel> kernels, const LoweredFrame *frame,
                                                      SourceMapPtr sources);

// Tells the user how the accesses of a text are kept inside their memory: proved, or checked while it runs.
[[nodiscard]] Diagnostics accessNotes(const LoweredProgram &program, const PipelineRun &run);

// One source item per line of the text, for the origins of its instructions.
[[nodiscard]] std::shared_ptr<SourceMap> lineSources(const std::string &fileName, const std::string &text);

} // namespace sw
