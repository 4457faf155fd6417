#include "tests/benchmarks/widest_kernels.h"

#include "engine/base/text.h"
#include "tests/benchmarks/clean_environment.h"
#include "tests/benchmarks/measure.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include <dlfcn.h>

namespace sw::benchmark {

namespace {

constexpr const char *kOpenBlasVariable = "OPENBLAS_CORETYPE";
constexpr const char *kTorchVariable = "ATEN_CPU_CAPABILITY";
constexpr std::array<std::string_view, 3> kWideCores{"SkylakeX", "Cooperlake", "SapphireRapids"};

bool hasWideVectors()
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512f") > 0 && __builtin_cpu_supports("avx512dq") > 0 &&
           __builtin_cpu_supports("avx512bw") > 0 && __builtin_cpu_supports("avx512vl") > 0;
#else
    return false;
#endif
}

} // namespace

void useWidestKernels(char **arguments)
{
    if (!hasWideVectors())
        return;
    setenv(kTorchVariable, "avx512", 0);
    // By its name: some programs have it from PyTorch, and do not link it themselves.
    const auto chosenCore = reinterpret_cast<char *(*)()>(dlsym(RTLD_DEFAULT, "openblas_get_corename"));
    if (chosenCore == nullptr || std::getenv(kOpenBlasVariable) != nullptr)
        return;
    const std::string_view chosen = chosenCore();
    if (std::ranges::find(kWideCores, chosen) != kWideCores.end())
        return;
    print(format("OpenBLAS chose {} kernels, though the processor has AVX-512: started anew with those of {}\n", chosen,
                 kWideCores.front()));
    setenv(kOpenBlasVariable, kWideCores.front().data(), 1);
    startAnew(arguments);
}

void runWithBestPeers(char **arguments)
{
    runWithCleanEnvironment(arguments);
    useWidestKernels(arguments);
}

} // namespace sw::benchmark
