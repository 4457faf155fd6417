#include "tests/benchmarks/clean_environment.h"

#include "engine/base/text.h"
#include "tests/benchmarks/measure.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <unistd.h>

namespace sw::benchmark {

namespace {

constexpr std::array<std::string_view, 11> kPrefixes{"ATEN_", "BLIS_", "DNNL_", "GOMP_",   "GOTO_",    "KMP_",
                                                     "MKL_",  "NVPL_", "OMP_",  "ONEDNN_", "OPENBLAS_"};

constexpr const char *kStartedAnew = "STEPWELL_BENCHMARK_STARTED_ANEW"; // what the environment has now was chosen here

bool isPeerVariable(std::string_view name)
{
    return std::ranges::any_of(kPrefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

} // namespace

std::vector<std::string> peerVariables(std::span<const std::string_view> environment)
{
    std::vector<std::string> names;
    for (const std::string_view entry : environment)
        if (const std::string_view name = entry.substr(0, entry.find('=')); isPeerVariable(name))
            names.emplace_back(name);
    return names;
}

void startAnew(char **arguments)
{
    setenv(kStartedAnew, "1", 1);
    execv("/proc/self/exe", arguments);
    print("the program could not be started again with these variables; figures of peers may be too low\n");
}

void runWithCleanEnvironment(char **arguments)
{
    if (std::getenv(kStartedAnew) != nullptr)
        return;
    std::vector<std::string_view> entries;
    for (char **entry = environ; *entry != nullptr; ++entry)
        entries.emplace_back(*entry);
    const std::vector<std::string> names = peerVariables(entries);
    if (names.empty())
        return;
    for (const std::string &name : names) {
        print(format("removed from the environment: {}={}\n", name, std::getenv(name.c_str())));
        unsetenv(name.c_str());
    }
    startAnew(arguments);
}

} // namespace sw::benchmark
