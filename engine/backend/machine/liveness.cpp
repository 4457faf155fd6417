#include "engine/backend/machine/liveness.h"

#include "engine/backend/machine/machine_loops.h"

#include <algorithm>

namespace sw {

namespace {

using Units = std::vector<bool>;

// Joins `from` into `into`; true when that changed it.
bool join(Units &into, const Units &from)
{
    bool isChanged = false;
    for (std::size_t unit = 0; unit < from.size(); ++unit) {
        if (!from[unit] || into[unit])
            continue;
        into[unit] = true;
        isChanged = true;
    }
    return isChanged;
}

void step(const MachineInstruction &instruction, Units &live)
{
    for (const std::uint16_t unit : instruction.writes)
        live[unit] = false;
    for (const std::uint16_t unit : instruction.reads)
        live[unit] = true;
}

RegisterCounts counted(const MachineCode &code, const Units &live)
{
    Units whole(live.size(), false);
    RegisterCounts counts{};
    for (std::size_t unit = 0; unit < live.size(); ++unit) {
        if (!live[unit] || whole[code.units[unit].whole])
            continue;
        whole[code.units[unit].whole] = true;
        ++counts[static_cast<std::size_t>(code.units[unit].kind)];
    }
    return counts;
}

} // namespace

Liveness livenessOf(const MachineCode &code)
{
    const std::vector<std::vector<std::uint32_t>> successors = successorsOf(code.instructions);
    const std::size_t count = code.size();
    // Values are kept where ways meet or part only; between them they follow from the next instruction.
    std::vector<bool> isKept(count, false);
    for (std::size_t i = 0; i < count; ++i)
        if (successors[i].size() != 1 || successors[i].front() != i + 1)
            for (const std::uint32_t to : successors[i])
                isKept[to] = true;
    std::vector<Units> before(count);
    for (std::size_t i = 0; i < count; ++i)
        if (isKept[i])
            before[i].assign(code.units.size(), false);

    Liveness liveness;
    liveness.live.resize(count);
    for (bool isChanged = true; isChanged;) {
        isChanged = false;
        Units live(code.units.size(), false);
        for (std::size_t i = count; i-- > 0;) {
            const bool isStraight = successors[i].size() == 1 && successors[i].front() == i + 1;
            if (!isStraight) {
                live.assign(code.units.size(), false);
                for (const std::uint32_t to : successors[i])
                    join(live, before[to]);
            }
            Units held = live;
            for (const std::uint16_t unit : code.instructions[i].writes)
                held[unit] = true;
            liveness.live[i] = counted(code, held);
            step(code.instructions[i], live);
            if (isKept[i])
                isChanged |= join(before[i], live);
        }
    }
    for (const RegisterCounts &counts : liveness.live)
        for (std::size_t kind = 0; kind < counts.size(); ++kind)
            liveness.peak[kind] = std::max(liveness.peak[kind], counts[kind]);
    return liveness;
}

} // namespace sw
