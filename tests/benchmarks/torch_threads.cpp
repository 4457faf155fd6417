#include "tests/benchmarks/torch_threads.h"

#include <ATen/Parallel.h>

#include <dlfcn.h>

namespace sw::benchmark {

namespace {

template <class Function>
Function *openBlasFunction(const char *name)
{
    return reinterpret_cast<Function *>(dlsym(RTLD_DEFAULT, name));
}

} // namespace

void setTorchThreads(std::uint32_t threads)
{
    const auto count = static_cast<int>(threads);
    if (at::get_num_threads() != count)
        at::set_num_threads(count);
    static const auto setOpenBlasThreads = openBlasFunction<void(int)>("openblas_set_num_threads");
    if (setOpenBlasThreads != nullptr)
        setOpenBlasThreads(count);
}

bool torchHasOpenBlas()
{
    return openBlasFunction<char *()>("openblas_get_config") != nullptr;
}

} // namespace sw::benchmark
