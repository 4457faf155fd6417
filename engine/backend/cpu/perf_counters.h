#pragma once
// The counters that Linux gives (perf_event_open, see its manual page): of user code only, so that a person without privileges
// may count where perf_event_paranoid is 2 or less.

#include "engine/backend/hardware_counts.h"

#include <optional>
#include <string>

namespace sw {

[[nodiscard]] std::shared_ptr<CounterSource> machineCounters();

// What a failure to open the first counter means.
struct CounterRefusal {
    int error = 0;                    // errno
    std::optional<int> paranoid = {}; // /proc/sys/kernel/perf_event_paranoid; nothing: there is no such file
    bool hasUnit = true;              // the kernel knows a unit that counts (/sys/bus/event_source/devices/cpu)
    bool isVirtual = false;           // the processor says that it is a virtual machine's
};
[[nodiscard]] std::string whyNoCounters(const CounterRefusal &refusal);

} // namespace sw
