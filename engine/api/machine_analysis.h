#pragma once
// What a kernel's machine code says together with the lowered instructions that it was made from: its loops with how often they
// run, the hottest first, the registers in use, and the copies that a compiler wrote out.

#include "engine/backend/machine/copies.h"
#include "engine/backend/machine/liveness.h"
#include "engine/backend/machine/machine_loops.h"
#include "engine/lowered/lowered.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sw {

struct RenderedSource;

struct LoopAnalysis {
    MachineLoop loop;
    std::string name = {};                     // "1.2": the second loop inside of the first
    InstructionId lowered = {};                // the loop of the lowered kernel that it was made from; invalid: none is known
    std::int64_t rounds = 0;                   // of one work item; 0: not known before it runs
    double cycles = 0;                         // that its own instructions take in one work item; 0: not known
    std::uint32_t rank = 0;                    // 0: the hottest
    std::optional<Throughput> throughput = {}; // of innermost loops
};

struct MachineAnalysis {
    std::vector<LoopAnalysis> loops;   // outer loops first
    std::vector<std::uint32_t> byHeat; // indices of loops
    std::optional<Throughput> whole;   // of a kernel without loops: one work item
    Liveness liveness;
    std::vector<MachineCopies> copies;
};

// How often a lowered instruction's block runs in one work item: the product of the rounds of the loops around it. 0: not known.
[[nodiscard]] std::int64_t timesOf(const LoweredKernel &kernel, InstructionId id);

// A loop of the machine is that of the lowered kernel that its jump back was made for, or else the innermost one around most of
// its own instructions. Where the lowered loop says that its body is written out several times, a round of the machine's does as
// many of its rounds.
[[nodiscard]] MachineAnalysis analysed(const MachineCode &code, const RenderedSource &source, const LoweredKernel &kernel);

// "28 of 32 zmm, 12 of 16 general"
[[nodiscard]] std::string registersText(const MachineCode &code, const Liveness &liveness);
// "8 copies of 3 instructions, 4 registers each"
[[nodiscard]] std::string copiesText(const MachineCopies &copies);
// "4.02 cycles per round, 14 micro-operations (3.5 per cycle); limit: port SPRPort05"
[[nodiscard]] std::string throughputText(const Throughput &throughput, const MachineCode &code);
// "limit: ..." alone.
[[nodiscard]] std::string limitText(const Throughput &throughput, const MachineCode &code);
// "loop 1.2: 12 instructions, 256 rounds"
[[nodiscard]] std::string loopText(const LoopAnalysis &loop);

} // namespace sw
