#pragma once
// Where the time of a run goes.

#include <chrono>
#include <span>
#include <string_view>

namespace sw {

// The parts add up to the time of the run. All are measured, except `between`, which is the rest.
struct RunParts {
    std::chrono::nanoseconds kernels{0};   // running, as the devices report it
    std::chrono::nanoseconds launches{0};  // handing kernels to their devices and noticing that they are done
    std::chrono::nanoseconds transfers{0}; // between devices, or a device and the host
    std::chrono::nanoseconds host{0};      // functions that the program calls on the host
    std::chrono::nanoseconds waiting{0};   // for devices to finish
    std::chrono::nanoseconds between{0};   // from one step of the schedule to the next

    [[nodiscard]] std::chrono::nanoseconds total() const { return kernels + launches + transfers + host + waiting + between; }
};

// One per field, in its order: "kernels", "launches", "transfers", "host", "waiting", "between".
struct NamedPart {
    std::string_view name;
    std::chrono::nanoseconds RunParts::*time;
};
[[nodiscard]] std::span<const NamedPart> runPartNames();

} // namespace sw
