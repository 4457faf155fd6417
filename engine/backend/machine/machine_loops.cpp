#include "engine/backend/machine/machine_loops.h"

#include "engine/base/assert.h"

#include <algorithm>
#include <map>

namespace sw {

namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

// Straight runs of instructions; only the last one may jump.
struct Block {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::vector<std::uint32_t> next = {};
    std::vector<std::uint32_t> before = {};
};

std::vector<Block> blocksOf(std::span<const MachineInstruction> code, const std::vector<std::vector<std::uint32_t>> &successors)
{
    std::vector<bool> begins(code.size() + 1, false);
    begins.front() = true;
    for (std::uint32_t i = 0; i < code.size(); ++i) {
        const bool isStraight = successors[i].size() == 1 && successors[i].front() == i + 1;
        if (isStraight)
            continue;
        begins[i + 1] = true;
        for (const std::uint32_t to : successors[i])
            begins[to] = true;
    }
    std::vector<Block> blocks;
    std::vector<std::uint32_t> blockOf(code.size(), 0);
    for (std::uint32_t i = 0; i < code.size(); ++i) {
        if (begins[i])
            blocks.push_back({.first = i});
        blocks.back().last = i;
        blockOf[i] = static_cast<std::uint32_t>(blocks.size() - 1);
    }
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
        for (const std::uint32_t to : successors[blocks[b].last]) {
            blocks[b].next.push_back(blockOf[to]);
            blocks[blockOf[to]].before.push_back(b);
        }
    }
    return blocks;
}

std::vector<std::uint32_t> reversePostorder(const std::vector<Block> &blocks)
{
    std::vector<std::uint32_t> order;
    std::vector<bool> isSeen(blocks.size(), false);
    std::vector<std::pair<std::uint32_t, std::size_t>> path = {{0, 0}};
    isSeen[0] = true;
    while (!path.empty()) {
        auto &[block, at] = path.back();
        if (at == blocks[block].next.size()) {
            order.push_back(block);
            path.pop_back();
            continue;
        }
        const std::uint32_t to = blocks[block].next[at++];
        if (!isSeen[to]) {
            isSeen[to] = true;
            path.emplace_back(to, 0);
        }
    }
    std::ranges::reverse(order);
    return order;
}

// By block: its immediate dominator, kNone where it is never reached. Cooper, Harvey, Kennedy: "A Simple, Fast Dominance
// Algorithm".
std::vector<std::uint32_t> dominatorsOf(const std::vector<Block> &blocks)
{
    const std::vector<std::uint32_t> order = reversePostorder(blocks);
    std::vector<std::uint32_t> place(blocks.size(), kNone);
    for (std::uint32_t i = 0; i < order.size(); ++i)
        place[order[i]] = i;
    std::vector<std::uint32_t> dominator(blocks.size(), kNone);
    dominator[0] = 0;
    const auto common = [&](std::uint32_t a, std::uint32_t b) {
        while (a != b) {
            while (place[a] > place[b])
                a = dominator[a];
            while (place[b] > place[a])
                b = dominator[b];
        }
        return a;
    };
    for (bool isChanged = true; isChanged;) {
        isChanged = false;
        for (const std::uint32_t block : order) {
            if (block == 0)
                continue;
            std::uint32_t found = kNone;
            for (const std::uint32_t before : blocks[block].before)
                if (dominator[before] != kNone)
                    found = found == kNone ? before : common(before, found);
            isChanged |= dominator[block] != found;
            dominator[block] = found;
        }
    }
    return dominator;
}

bool isDominated(const std::vector<std::uint32_t> &dominator, std::uint32_t block, std::uint32_t by)
{
    if (dominator[block] == kNone)
        return false;
    while (block != by && block != 0)
        block = dominator[block];
    return block == by;
}

// The blocks from which the jump back is reached without passing the header.
void collect(const std::vector<Block> &blocks, std::uint32_t header, std::uint32_t from, std::vector<bool> &isIn)
{
    isIn[header] = true;
    std::vector<std::uint32_t> waiting = {from};
    while (!waiting.empty()) {
        const std::uint32_t block = waiting.back();
        waiting.pop_back();
        if (isIn[block])
            continue;
        isIn[block] = true;
        waiting.insert(waiting.end(), blocks[block].before.begin(), blocks[block].before.end());
    }
}

void nest(std::vector<MachineLoop> &loops)
{
    std::ranges::sort(loops, [](const MachineLoop &a, const MachineLoop &b) {
        return a.body.size() != b.body.size() ? a.body.size() > b.body.size() : a.first < b.first;
    });
    for (std::size_t inner = 0; inner < loops.size(); ++inner) {
        for (std::size_t outer = inner; outer-- > 0;) { // the smallest one around it
            if (!std::ranges::binary_search(loops[outer].body, loops[inner].header))
                continue;
            loops[inner].parent = static_cast<std::int32_t>(outer);
            loops[inner].depth = loops[outer].depth + 1;
            loops[outer].isInnermost = false;
            break;
        }
    }
}

} // namespace

std::uint32_t indexAt(std::span<const MachineInstruction> code, std::uint64_t address)
{
    const auto found = std::ranges::lower_bound(code, address, {}, &MachineInstruction::address);
    const bool isThere = found != code.end() && found->address == address;
    return static_cast<std::uint32_t>(isThere ? found - code.begin() : static_cast<std::ptrdiff_t>(code.size()));
}

std::vector<std::vector<std::uint32_t>> successorsOf(std::span<const MachineInstruction> code)
{
    std::vector<std::vector<std::uint32_t>> successors(code.size());
    for (std::uint32_t i = 0; i < code.size(); ++i) {
        const bool goesOn = code[i].flow != MachineFlow::Jump && code[i].flow != MachineFlow::Leave;
        if (goesOn && i + 1 < code.size())
            successors[i].push_back(i + 1);
        if (!code[i].hasTarget())
            continue;
        if (const std::uint32_t to = indexAt(code, code[i].target); to < code.size() && !(goesOn && to == i + 1))
            successors[i].push_back(to);
    }
    return successors;
}

std::vector<MachineLoop> machineLoops(std::span<const MachineInstruction> code)
{
    std::vector<MachineLoop> loops;
    if (code.empty())
        return loops;
    const std::vector<Block> blocks = blocksOf(code, successorsOf(code));
    const std::vector<std::uint32_t> dominator = dominatorsOf(blocks);
    std::map<std::uint32_t, std::vector<std::uint32_t>> latches; // by header block
    for (std::uint32_t b = 0; b < blocks.size(); ++b)
        for (const std::uint32_t to : blocks[b].next)
            if (isDominated(dominator, b, to))
                latches[to].push_back(b);
    for (const auto &[header, from] : latches) {
        std::vector<bool> isIn(blocks.size(), false);
        MachineLoop loop{.header = blocks[header].first};
        for (const std::uint32_t latch : from) {
            collect(blocks, header, latch, isIn);
            loop.jumps.push_back(blocks[latch].last);
        }
        for (std::uint32_t b = 0; b < blocks.size(); ++b)
            for (std::uint32_t i = blocks[b].first; isIn[b] && i <= blocks[b].last; ++i)
                loop.body.push_back(i);
        loop.first = loop.body.front();
        loop.last = loop.body.back();
        loops.push_back(std::move(loop));
    }
    nest(loops);
    return loops;
}

} // namespace sw
