#pragma once
// Measures a device with kernels of our own: how fast its memory streams, beyond the caches; how fast it multiplies and adds f32;
// what launching a kernel costs; how fast bytes come and go. A few tenths of a second, compiling not counted. Whatever else runs
// meanwhile is measured too, so nobody should begin this behind the user's back.

#include "engine/execute/figures_store.h"
#include "engine/execute/opened_device.h"

#include <stop_token>

namespace sw {

// Of today.
[[nodiscard]] Result<DeviceFigures> measureDevice(OpenedDevice &device, const std::stop_token &stop);

// Whether a device that was measured before is measured again.
enum class Measure : std::uint8_t { Missing, All };
// Measures the devices and keeps what it finds.
[[nodiscard]] Result<Done> measureInto(const FiguresStore &store, std::span<OpenedDevice *const> devices, Measure which,
                                       const std::stop_token &stop);

} // namespace sw
