#pragma once

namespace sw::benchmark {

// PyTorch asks the system for the memory of each result and gives it back. The system hands out large blocks page by page, and
// clears each: a layer normalization of 64 MiB then takes twice as long. From now on PyTorch keeps what it has had, and uses it
// again for blocks of the same size, as our programs use theirs. Calls after the first one do nothing.
void keepTorchMemory();

} // namespace sw::benchmark
