#include "engine/api/machine_analysis.h"
#include "engine/api/machine_lines.h"
#include "engine/base/text.h"

#include <algorithm>
#include <numeric>

namespace sw {

namespace {

std::string hexText(const std::vector<std::uint8_t> &bytes)
{
    return join(bytes, " ", [](std::uint8_t byte) { return format("{:02x}", byte); });
}

std::int64_t workItems(const LoweredKernel &kernel)
{
    return kernel.globalSize[0] * kernel.globalSize[1] * kernel.globalSize[2];
}

void addLoops(MachineStructure &structure, const MachineAnalysis &analysis, const MachineCode &code, const LoweredKernel &kernel,
              std::uint32_t line)
{
    const auto base = static_cast<std::uint32_t>(structure.loops.size());
    for (const LoopAnalysis &one : analysis.loops) {
        MachineLoopLines lines;
        lines.kernel = kernel.kernel.value;
        lines.header = line + one.loop.header;
        lines.first = line + one.loop.first;
        lines.last = line + one.loop.last;
        lines.depth = one.loop.depth;
        lines.rank = one.rank;
        lines.name = one.name;
        lines.summary = loopText(one);
        lines.rounds = one.rounds * workItems(kernel);
        if (one.throughput) {
            lines.throughput = throughputText(*one.throughput, code);
            lines.cyclesPerRound = one.throughput->cycles;
        }
        structure.loops.push_back(std::move(lines));
    }
    for (const std::uint32_t hot : analysis.byHeat)
        structure.byHeat.push_back(base + hot);
}

void addJumps(MachineStructure &structure, const MachineAnalysis &analysis, const MachineCode &code, std::uint32_t line)
{
    const auto base = static_cast<std::uint32_t>(structure.loops.size() - analysis.loops.size());
    std::vector<MachineJump> jumps;
    for (std::uint32_t i = 0; i < code.size(); ++i) {
        const MachineInstruction &instruction = code.instructions[i];
        const std::uint32_t to = instruction.hasTarget() ? indexAt(code.instructions, instruction.target) : 0;
        if (!instruction.hasTarget() || to >= code.size())
            continue;
        MachineJump jump{.from = line + i, .to = line + to};
        for (std::uint32_t loop = 0; loop < analysis.loops.size(); ++loop)
            if (analysis.loops[loop].loop.header == to &&
                std::ranges::find(analysis.loops[loop].loop.jumps, i) != analysis.loops[loop].loop.jumps.end())
                jump.loop = base + loop;
        jumps.push_back(jump);
    }
    structure.lanes = std::max(structure.lanes, assignLanes(jumps));
    structure.jumps.insert(structure.jumps.end(), jumps.begin(), jumps.end());
}

} // namespace

std::uint32_t assignLanes(std::vector<MachineJump> &jumps)
{
    std::vector<std::size_t> order(jumps.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto low = [&](std::size_t i) { return std::min(jumps[i].from, jumps[i].to); };
    const auto high = [&](std::size_t i) { return std::max(jumps[i].from, jumps[i].to); };
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return high(i) - low(i); });
    std::vector<std::vector<std::size_t>> lanes;
    for (const std::size_t jump : order) {
        std::uint32_t lane = 0;
        const auto isFree = [&](std::uint32_t one) {
            return std::ranges::all_of(lanes[one],
                                       [&](std::size_t other) { return high(jump) < low(other) || high(other) < low(jump); });
        };
        while (lane < lanes.size() && lane + 1 < kMostLanes && !isFree(lane))
            ++lane;
        if (lane == lanes.size())
            lanes.emplace_back();
        lanes[lane].push_back(jump);
        jumps[jump].lane = lane;
    }
    return static_cast<std::uint32_t>(lanes.size());
}

void addMachineLines(MachineStructure &structure, const MachineCode &code, const RenderedSource &source,
                     const LoweredKernel &kernel, const MachinePlace &place)
{
    const MachineAnalysis analysis = analysed(code, source, kernel);
    structure.lines.resize(place.first + code.size());
    for (std::uint32_t i = 0; i < code.size(); ++i) {
        const RegisterCounts &live = analysis.liveness.live[i];
        MachineLineFacts &facts = structure.lines[place.first + i];
        std::copy_n(live.begin(), facts.live.size(), facts.live.begin());
        facts.bytes = hexText(code.instructions[i].bytes);
    }
    addLoops(structure, analysis, code, kernel, place.first);
    addJumps(structure, analysis, code, place.first);
    for (const MachineCopies &copies : analysis.copies)
        structure.copies.push_back({place.first + copies.first, copies.length, copies.count, copiesText(copies)});
    structure.kernels.push_back({place.heading, place.first + static_cast<std::uint32_t>(code.size()), code.target,
                                 registersText(code, analysis.liveness),
                                 analysis.whole ? throughputText(*analysis.whole, code) : std::string()});
}

} // namespace sw
