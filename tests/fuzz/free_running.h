#pragma once
// Random tests that go on from new seeds for as long as the environment says: STEPWELL_FUZZ_SECONDS, and STEPWELL_FUZZ_SEED to
// begin where a failure was.

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <random>

namespace sw {

// Nothing: nobody asked for it.
[[nodiscard]] inline std::optional<std::chrono::seconds> freeRunningTime()
{
    const char *wanted = std::getenv("STEPWELL_FUZZ_SECONDS");
    return wanted == nullptr ? std::nullopt : std::optional(std::chrono::seconds(std::strtol(wanted, nullptr, 10)));
}

[[nodiscard]] inline std::uint64_t freeRunningSeed()
{
    const char *wanted = std::getenv("STEPWELL_FUZZ_SEED");
    return wanted != nullptr ? std::strtoull(wanted, nullptr, 10)
                             : std::random_device()() | std::uint64_t{1} << 32U; // never one of the fixed ones
}

} // namespace sw
