#pragma once
// Facts of this machine's processor.

#include "engine/backend/backend.h"

namespace sw {

// id and backend are the backend's; the rest is read from the machine.
[[nodiscard]] DeviceInfo cpuDevice(std::string_view backend, std::string_view compilerName);

// The threads that options ask for, at most as many as the device has unless more are asked for.
[[nodiscard]] std::uint32_t threadsFor(const DeviceInfo &device, const DeviceOptions &options);

} // namespace sw
