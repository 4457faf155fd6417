#pragma once
// Lets compilations use what was found for kernels by measuring: as overrides of their loops, behind those that a person gave.

#include "engine/api/compilation.h"
#include "engine/api/tune/tune_run.h"
#include "engine/tune/tuning_store.h"

#include <stop_token>
#include <string>
#include <vector>

namespace sw {

class FiguresStore;

// Tunings hold for a machine, as its figures do: they stand beside each other.
[[nodiscard]] TuningStore tuningsBeside(const FiguresStore &figures);

// Compiles up to the lowered form to find the kernels that were tuned. A program that does not compile, and one without such
// kernels, is as it was. A kernel whose loops an override gives keeps them. A list that is no longer legal is refused like any
// override, with a warning.
[[nodiscard]] CompileRequest withTunings(ProgramCompiler &compiler, CompileRequest request, const TuningStore &store,
                                         const std::stop_token &stop);

// Lets later compilations use the best list; where that is the compiler's own, what was kept earlier goes.
[[nodiscard]] Result<Done> keepTuning(const TuningStore &store, const KernelTuning &tuning, std::uint64_t seed);

} // namespace sw
