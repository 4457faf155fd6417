#pragma once
// A kernel of a program alone: a folder with its source as its device compiles it, what its arguments hold when it is launched in
// a run, what they should hold then, and a program in C that runs it and compares. It is built and run with a C compiler, and
// clang or an OpenCL driver.

#include "engine/api/inputs.h"
#include "engine/base/whole_folder.h"
#include "engine/schedule/schedule.h"

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

namespace sw {

struct Compilation;
struct CompileRequest;
class ProgramCompiler;

struct ReproducerRequest {
    KernelId kernel;
    RunInputs inputs;
    std::string program;                // its name, for people
    std::string command = {};           // that makes the folder; empty: it is not told
    std::chrono::milliseconds limit{0}; // for running the kernels before it; 0: none
};

// The files of the folder. compilation: of `compile`, with code. The kernels before this one run on their devices; what is
// expected is computed by the interpreter from the kernel's own lowered instructions, without edits, or, where that would take
// too long or cannot be done, by the device: the README says which. Errors: the kernel's device has no source; what the runs say.
[[nodiscard]] Result<std::vector<FolderFile>> reproducerOf(ProgramCompiler &compiler, const CompileRequest &compile,
                                                           const Compilation &compilation, const ReproducerRequest &request,
                                                           const std::stop_token &stop);

} // namespace sw
