#include "engine/backend/machine/copies.h"

#include "engine/backend/machine/machine_loops.h"

#include <algorithm>
#include <set>

namespace sw {

namespace {

constexpr std::size_t kLongestCopy = 256; // instructions
constexpr std::uint32_t kFewestCopies = 3;
constexpr std::uint32_t kLongPair = 8; // instructions in a copy of which two are enough

struct Run {
    std::uint32_t length = 0;
    std::uint32_t count = 0;
    [[nodiscard]] std::uint32_t hidden() const { return count == 0 ? 0 : length * (count - 1); }
};

// By instruction: whether it may be the same as another one in a copy. Jumps may not.
std::vector<bool> mayRepeat(const MachineCode &code)
{
    std::vector<bool> may(code.size(), true);
    for (std::size_t i = 0; i < code.size(); ++i)
        may[i] = code.instructions[i].flow == MachineFlow::Next && code.instructions[i].form != 0;
    return may;
}

std::vector<bool> jumpTargets(const MachineCode &code)
{
    std::vector<bool> is(code.size() + 1, false);
    for (const MachineInstruction &instruction : code)
        if (instruction.hasTarget())
            is[indexAt(code.instructions, instruction.target)] = true;
    return is;
}

// The best run that begins at each instruction.
std::vector<Run> bestRuns(const MachineCode &code)
{
    const auto size = static_cast<std::uint32_t>(code.size());
    const std::vector<bool> may = mayRepeat(code);
    const std::vector<bool> isTarget = jumpTargets(code);
    std::vector<Run> best(size);
    for (std::uint32_t length = 1; length <= std::min<std::size_t>(kLongestCopy, size / 2); ++length) {
        std::uint32_t equal = 0; // how many instructions from here are equal to those one length behind them
        for (std::uint32_t i = size - length; i-- > 0;) {
            const std::uint32_t other = i + length;
            const bool isSame =
                may[i] && may[other] && !isTarget[other] && code.instructions[i].form == code.instructions[other].form;
            equal = isSame ? equal + 1 : 0;
            const Run run{length, equal / length + 1};
            const bool isEnough = run.count >= kFewestCopies || (run.count == 2 && length >= kLongPair);
            if (isEnough && run.hidden() > best[i].hidden())
                best[i] = run;
            if (isTarget[i]) // what begins before must end before
                equal = 0;
        }
    }
    return best;
}

std::set<std::uint16_t> registersOf(const MachineCode &code, std::uint32_t first, std::uint32_t length)
{
    std::set<std::uint16_t> used;
    for (std::uint32_t i = first; i < first + length; ++i) {
        for (const std::uint16_t unit : code.instructions[i].reads)
            used.insert(code.units[unit].whole);
        for (const std::uint16_t unit : code.instructions[i].writes)
            used.insert(code.units[unit].whole);
    }
    return used;
}

std::uint32_t ownRegisters(const MachineCode &code, const MachineCopies &copies)
{
    const std::set<std::uint16_t> first = registersOf(code, copies.first, copies.length);
    std::set<std::uint16_t> shared = first;
    for (std::uint32_t copy = 1; copy < copies.count; ++copy) {
        const std::set<std::uint16_t> others = registersOf(code, copies.first + copy * copies.length, copies.length);
        std::erase_if(shared, [&](std::uint16_t one) { return !others.contains(one); });
    }
    return static_cast<std::uint32_t>(first.size() - shared.size());
}

} // namespace

std::vector<MachineCopies> machineCopies(const MachineCode &code)
{
    std::vector<MachineCopies> found;
    const std::vector<Run> best = bestRuns(code);
    const auto size = static_cast<std::uint32_t>(best.size());
    for (std::uint32_t i = 0; i < size;) {
        if (best[i].count == 0) {
            ++i;
            continue;
        }
        // A run that begins a little later may hide more.
        std::uint32_t start = i;
        for (std::uint32_t later = i + 1; later < std::min(size, i + best[i].length); ++later)
            if (best[later].hidden() > best[start].hidden())
                start = later;
        MachineCopies copies{.first = start, .length = best[start].length, .count = best[start].count};
        copies.registers = ownRegisters(code, copies);
        found.push_back(copies);
        i = start + copies.length * copies.count;
    }
    return found;
}

} // namespace sw
