#pragma once
// Peers read environment variables that choose their kernels and threads. One that a machine happens to set, such as
// OPENBLAS_CORETYPE, can halve a peer's speed and make a ratio worthless.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sw::benchmark {

// The names among "NAME=value" entries that decide how fast a library runs: those of OpenBLAS, MKL, OpenMP, oneDNN, NVPL and
// PyTorch.
[[nodiscard]] std::vector<std::string> peerVariables(std::span<const std::string_view> environment);

// Libraries read their variables when they are loaded, before main. When there are any, this starts the program anew without
// them, saying which, and does not return.
void runWithCleanEnvironment(char **arguments);

// Starts the program anew with the variables as they are now, which runWithCleanEnvironment then leaves alone. Returns if that
// fails.
void startAnew(char **arguments);

} // namespace sw::benchmark
