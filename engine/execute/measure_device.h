#pragma once
// Measures a device with our own kernels: how fast it streams memory (beyond the caches), how fast it multiplies and adds f32,
// what a kernel launch costs, and how fast bytes are copied to and from it. It takes a few tenths of a second, plus compiling.
// Other programs that run meanwhile affect the figures, so never start this without the user's knowledge.

#include "engine/execute/figures_store.h"
#include "engine/execute/opened_device.h"

#include <stop_token>

namespace sw {

// The figures carry today's date.
[[nodiscard]] Result<DeviceFigures> measureDevice(OpenedDevice &device, const std::stop_token &stop);

// Whether to measure devices again that were measured before.
enum class Measure : std::uint8_t { Missing, All };
// Measures the devices and stores the figures.
[[nodiscard]] Result<Done> measureInto(const FiguresStore &store, std::span<OpenedDevice *const> devices, Measure which,
                                       const std::stop_token &stop);

} // namespace sw
