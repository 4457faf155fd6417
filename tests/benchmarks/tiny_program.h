#pragma once
// A program of one tiny kernel: what a run costs besides its work.

namespace sw::benchmark {

inline constexpr const char *kTinyProgram = "input x: f32[16]\noutput x + 1\n";
inline constexpr const char *kTinyProgramName = "a program of one tiny kernel, each run";
inline constexpr int kTinyRuns = 2000; // in a row: one takes less than looking at the clock may

} // namespace sw::benchmark
