#pragma once
// Measured cycles beside simulated ones. A kernel's time in a run, times the measured clock, is how many cycles a thread of the
// processor had for it; the static analyser says how many it would take if every access were in the nearest cache and every jump
// foreseen.
//
//     measured cycles per round = time * clock * threads / rounds of the launch
//
// Threads: as many as have work items, taken to share them evenly. Rounds: of the loop that takes most of the simulated cycles,
// if it takes at least kDominant of them; its part of the time is taken to be its part of the simulated cycles, so its figure is
// an estimate. Otherwise a round is one work item.

#include "engine/api/report.h"
#include "engine/execute/clock.h"
#include "engine/execute/machine_roofs.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

namespace sw {

class FiguresStore;
struct DeviceInfo;
struct LoweredKernel;
struct MachineCode;
struct RenderedSource;

inline constexpr double kDominant = 0.8;

struct CyclesOfKernel {
    std::uint32_t kernel = 0; // its index in the report
    std::string name;
    std::string loop = {};   // "1.2"; empty: rounds are work items
    double share = 1;        // of the simulated cycles of the kernel, that the loop takes
    std::int64_t rounds = 0; // of one launch, of all threads together
    std::uint32_t threads = 1;
    double simulated = 0; // cycles per round
    double measured = 0;  // likewise, by the median time
    double low = 0;       // by the 95 % band of the median and the lowest and highest clock that was read
    double high = 0;
    std::string text = {};    // "measured about 1.32 x the simulated cycles: 5.31 (5.20 ... 5.52) to 4.02 per round of loop 1.2"
    std::string reason = {};  // why the two differ; empty: they do not, beyond the band
    std::string problem = {}; // why there is no comparison; then all but the name is empty

    [[nodiscard]] double ratio() const { return simulated > 0 ? measured / simulated : 0; }
};

// What a comparison needs to know of the machine.
struct CyclesContext {
    ClockReading clock;
    std::uint32_t threads = 1;               // of the device
    std::optional<double> launchNanoseconds; // of a kernel that does next to nothing; nothing: it was not measured
    std::optional<MachineRoofs> roofs;       // nothing: they were not measured
    std::int64_t nearestCacheBytes = 0;      // of one core; 0: not known
};
// Reads the clock. store: where measured figures are kept; null: nowhere. threads: 0 for all that the device has.
[[nodiscard]] CyclesContext cyclesContext(const DeviceInfo &device, std::uint32_t threads, const FiguresStore *store,
                                          const std::stop_token &stop);

[[nodiscard]] CyclesOfKernel cyclesOf(const KernelEntry &entry, const MachineCode &code, const RenderedSource &source,
                                      const LoweredKernel &kernel, const CyclesContext &context);

} // namespace sw
