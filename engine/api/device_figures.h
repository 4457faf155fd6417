#pragma once
// The figures behind the estimates that people see: measured ones for the devices that have them.

#include "engine/api/roofline.h"
#include "engine/execute/figures_store.h"
#include "engine/passes/pass_context.h"
#include "engine/pipeline/runner.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace sw {

// By slot. store: null when nothing was measured.
[[nodiscard]] std::vector<DeviceFigures> figuresOf(const CompileTarget &target, const FiguresStore *store);
[[nodiscard]] DeviceFigures figuresOf(const DeviceInfo &device, const FiguresStore *store);
// "measured on this machine, 2026-11-22: 11.2 GB/s, ..."
[[nodiscard]] std::string toText(const DeviceFigures &figures);

// The roofs of this machine's processor with so many threads. Known: an error if they are not. store: null keeps nothing.
[[nodiscard]] Result<MachineRoofs> machineRoofs(const FiguresStore *store, std::uint32_t threads, RoofsWanted wanted,
                                                const std::stop_token &stop);

} // namespace sw
