#pragma once

#include <cstdint>

namespace sw::benchmark {

// For the operations of PyTorch that the calling thread starts from now on. Its own loops and those of oneDNN are on the threads
// of OpenMP. Its products are on those of its BLAS: it does not tell that of Debian how many to take.
void setTorchThreads(std::uint32_t threads);

[[nodiscard]] bool torchHasOpenBlas();

} // namespace sw::benchmark
