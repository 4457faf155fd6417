#pragma once
// Facts about this machine's processor.

#include "engine/backend/backend.h"

namespace sw {

// The caller names the backend and its compiler; everything else is read from the machine.
[[nodiscard]] DeviceInfo cpuDevice(std::string_view backend, std::string_view compilerName);

// The number of threads that the options ask for; by default, all that the device has.
[[nodiscard]] std::uint32_t threadsFor(const DeviceInfo &device, const DeviceOptions &options);

} // namespace sw
