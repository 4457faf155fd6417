#pragma once
// Libraries that are older than the processor may not know it, and then run kernels for one of 2004, or they leave its widest
// vectors alone unless they are told to use them.

namespace sw::benchmark {

// For OpenBLAS, where it is in the program and has kernels that are wider than those it chose: starts the program anew with them,
// saying so. For PyTorch: sets what it reads when it is used first.
void useWidestKernels(char **arguments);

// What a program with peers does first: without the variables that slow them, with their widest kernels.
void runWithBestPeers(char **arguments);

} // namespace sw::benchmark
