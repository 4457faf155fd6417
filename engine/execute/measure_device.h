#pragma once
// Measures a device with our own kernels: how fast it streams memory (beyond the caches), how fast it multiplies and adds f32,
// what a kernel launch costs, and how fast bytes are copied to and from it. It takes a few tenths of a second, plus compiling.
// Other programs that run meanwhile affect the figures, so never start this without the user's knowledge.

#include "engine/execute/figures_store.h"
#include "engine/execute/opened_device.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <stop_token>

namespace sw {

// The shortest of several times: the first may wait for memory to be given, and others for programs that run meanwhile. So there
// are some tries even where the budget, of time that passes, is spent.
struct Tries {
    std::size_t fewest = 3;
    std::size_t most = 8;
    std::chrono::nanoseconds budget = {};
};
[[nodiscard]] Result<std::chrono::nanoseconds> shortestTime(const std::function<Result<std::chrono::nanoseconds>()> &timed,
                                                            const Tries &tries);

// The figures carry today's date.
[[nodiscard]] Result<DeviceFigures> measureDevice(OpenedDevice &device, const std::stop_token &stop);

// Whether to measure devices again that were measured before.
enum class Measure : std::uint8_t { Missing, All };
// Measures the devices and stores the figures.
[[nodiscard]] Result<Done> measureInto(const FiguresStore &store, std::span<OpenedDevice *const> devices, Measure which,
                                       const std::stop_token &stop);

} // namespace sw
