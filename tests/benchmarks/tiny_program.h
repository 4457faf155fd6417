#pragma once
// A program of one tiny kernel: what a run costs besides its work.

#include "engine/backend/backend.h"

#include <cstddef>

namespace sw::benchmark {

inline constexpr const char *kTinyProgram = "input x: f32[16]\noutput x + 1\n";
inline constexpr const char *kTinyProgramName = "a program of one tiny kernel, each run";
inline constexpr std::size_t kTinyElements = 16;
inline constexpr int kTinyRuns = 2000; // in a row: one takes less than looking at the clock may

// On one thread against PyTorch, taking turns. False, with a message: their results are not the same.
[[nodiscard]] bool measureTinyProgram(const BackendRegistry &registry);

} // namespace sw::benchmark
