#pragma once
// Where the time of a run goes.

#include <chrono>
#include <span>
#include <string_view>

namespace sw {

// All parts are measured and add up to the run's time, but for `between`, which is what is left of it.
struct RunParts {
    std::chrono::nanoseconds kernels{0};   // at work, as the devices tell
    std::chrono::nanoseconds launches{0};  // handing kernels to their devices and taking note that they are done
    std::chrono::nanoseconds transfers{0}; // between devices, or a device and the host
    std::chrono::nanoseconds host{0};      // functions that the program calls in the host
    std::chrono::nanoseconds waiting{0};   // for devices to be done
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
