#include "engine/passes/lowered/serialize_groups.h"

#include "engine/base/checked_size.h"
#include "engine/lowered/type_rules.h"
#include "engine/passes/lowered/kernel_pass.h"

#include <algorithm>
#include <map>

namespace sw {

namespace {

// A stretch of instructions without a barrier, or one instruction that stands by itself: a barrier, or one that opens or closes
// a loop or block with a barrier in it.
struct Region {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool isSplit = false; // stands by itself
};

// By instruction: whether it opens or closes something with a barrier inside.
std::vector<char> findSplit(const LoweredKernel &kernel)
{
    std::vector<char> isSplit(kernel.instructions.size(), 0);
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < isSplit.size(); ++i) {
        const InstructionKind kind = kernel.instructions[i].kind;
        if (opensScope(kind) || kind == InstructionKind::Block) {
            open.push_back(i);
        } else if (closesScope(kind) || kind == InstructionKind::EndBlock) {
            isSplit[i] = isSplit[open.back()];
            open.pop_back();
        } else if (kind == InstructionKind::Barrier) {
            isSplit[i] = 1;
            for (const std::size_t opener : open)
                isSplit[opener] = 1;
        }
    }
    return isSplit;
}

std::vector<Region> regionsOf(const LoweredKernel &kernel)
{
    const std::vector<char> isSplit = findSplit(kernel);
    std::vector<Region> regions;
    for (std::size_t i = 0; i < isSplit.size(); ++i) {
        if (isMemory(kernel.instructions[i].kind))
            continue;
        if (isSplit[i] != 0 || regions.empty() || regions.back().isSplit)
            regions.push_back({i, i, isSplit[i] != 0});
        regions.back().end = i + 1;
    }
    return regions;
}

class GroupSerializer {
public:
    GroupSerializer(const LoweredKernel &kernel, PassContext &context)
        : m_kernel(kernel),
          m_context(context),
          m_regions(regionsOf(kernel)),
          m_regionOf(kernel.instructions.size(), 0),
          m_builder(frame()),
          m_made(kernel.instructions.size()),
          m_spills(kernel.instructions.size())
    {
        for (std::size_t region = 0; region < m_regions.size(); ++region)
            for (std::size_t i = m_regions[region].begin; i < m_regions[region].end; ++i)
                m_regionOf[i] = region;
    }

    LoweredKernel run()
    {
        makeMemory();
        for (std::size_t i = 0; i < m_regions.size(); ++i) {
            if (m_regions[i].isSplit)
                writeSplit(InstructionId(m_regions[i].begin));
            else
                writeRegion(i);
        }
        m_context.record("loop-over-group", m_kernel.kernel, [&] {
            return RewriteDetail{format("groups of {} work items, {} arrays for what they keep", items(), m_kept)};
        });
        return m_builder.take();
    }

private:
    [[nodiscard]] std::int64_t items() const
    {
        return productOf(m_kernel.localSize).value(); // the verifier has seen that it fits
    }

    // Elements for all the items. A number beyond 63 bits is too much for any device, which says so.
    [[nodiscard]] std::int64_t scratchOf(std::int64_t elements) const { return (CheckedSize(items()) * elements).saturated(); }

    [[nodiscard]] LoweredKernel frame() const
    {
        LoweredKernel made = m_kernel;
        made.instructions.clear();
        for (std::size_t d = 0; d < 3; ++d)
            made.globalSize.at(d) = m_kernel.globalSize.at(d) / m_kernel.localSize.at(d);
        made.localSize = {1, 1, 1};
        return made;
    }

    // Whether the value costs nothing to make again where it is needed, and is the same there.
    [[nodiscard]] bool isMadeAgain(InstructionId id) const
    {
        const Instruction &instruction = m_kernel.instruction(id);
        const bool isCheap = instruction.kind == InstructionKind::Const || instruction.kind == InstructionKind::Vconst ||
                             instruction.kind == InstructionKind::Special || instruction.kind == InstructionKind::Ptrcat;
        return isCheap || isSplitLoop(id);
    }

    // The counter of a loop that stays outside is available in every region.
    [[nodiscard]] bool isSplitLoop(InstructionId id) const
    {
        return isLoop(m_kernel.instruction(id).kind) && m_regions[m_regionOf[id.value]].isSplit;
    }

    // Visits the operands of an instruction that its region needs: for an address, its indices too.
    void forEachValue(const Instruction &instruction, const auto &visit) const
    {
        for (const InstructionId operand : instruction.operands) {
            if (isMemory(m_kernel.instruction(operand).kind))
                continue;
            visit(operand);
            if (m_kernel.instruction(operand).kind == InstructionKind::Ptrcat)
                forEachValue(m_kernel.instruction(operand), visit);
        }
    }

    // A value that is used outside the region that makes it (or declares it, for an accumulator) is kept in memory.
    void makeMemory()
    {
        std::vector<char> isKept(m_kernel.instructions.size(), 0);
        for (std::size_t i = 0; i < m_kernel.instructions.size(); ++i) {
            forEachValue(m_kernel.instructions[i], [&](InstructionId value) {
                if (m_regionOf[value.value] != m_regionOf[i] && !isMadeAgain(value))
                    isKept[value.value] = 1;
            });
        }
        for (std::size_t i = 0; i < m_kernel.instructions.size(); ++i) {
            const InstructionId id(i);
            const Instruction &instruction = m_kernel.instructions[i];
            if (isMemory(instruction.kind)) {
                Instruction copy = instruction;
                if (copy.kind == InstructionKind::Buffer)
                    copy.elements = scratchOf(copy.elements);
                if (copy.kind == InstructionKind::Local)
                    copy.kind = InstructionKind::Buffer;
                m_made[i] = m_builder.add(std::move(copy));
            } else if (isKept[i] != 0) {
                m_spills[i] = m_builder.buffer(instruction.origin, instruction.dtype, scratchOf(instruction.lanes), "kept");
                ++m_kept;
            }
        }
    }

    // A barrier disappears: the loop over the items ends before it and begins again after it.
    void writeSplit(InstructionId id)
    {
        const Instruction &instruction = m_kernel.instruction(id);
        if (instruction.kind == InstructionKind::Barrier)
            return;
        Instruction copy = instruction;
        for (InstructionId &operand : copy.operands)
            operand = isLoop(instruction.kind) ? extentOutside(operand) : m_made[operand.value];
        m_made[id.value] = m_builder.add(std::move(copy));
    }

    // The extent is the same for all items, so the first item's is used.
    InstructionId extentOutside(InstructionId extent)
    {
        const Instruction &instruction = m_kernel.instruction(extent);
        if (m_made[extent.value].isValid() || instruction.kind == InstructionKind::Const)
            return m_made[extent.value].isValid() ? m_made[extent.value] : m_builder.add(instruction);
        if (instruction.kind == InstructionKind::Special)
            return special(instruction);
        return m_builder.load(instruction.origin, m_spills[extent.value], m_builder.index(instruction.origin, 0));
    }

    void writeRegion(std::size_t region)
    {
        const auto [begin, end, isSplit] = m_regions[region];
        if (!hasEffect(begin, end))
            return;
        m_origin = &m_kernel.instructions[begin].origin;
        const std::vector<InstructionId> before = m_made;
        m_item = m_builder.beginRange(*m_origin, items(), "item");
        for (std::size_t i = begin; i < end; ++i)
            forEachValue(m_kernel.instructions[i], [&](InstructionId value) { bring(value, region); });
        for (std::size_t i = begin; i < end; ++i)
            if (!isMemory(m_kernel.instructions[i].kind))
                write(InstructionId(i));
        m_builder.endRange(*m_origin);
        m_made = before;
    }

    // Values alone need no loop: they are made again where they are needed.
    [[nodiscard]] bool hasEffect(std::size_t begin, std::size_t end) const
    {
        for (std::size_t i = begin; i < end; ++i) {
            const InstructionKind kind = m_kernel.instructions[i].kind;
            if (!isMadeAgain(InstructionId(i)) && !isMemory(kind) && kind != InstructionKind::Acc)
                return true;
        }
        return false;
    }

    // Whether a region has the value already, or reads it at each use, like an accumulator.
    [[nodiscard]] bool isKnownIn(InstructionId value, std::size_t region) const
    {
        const InstructionKind kind = m_kernel.instruction(value).kind;
        return m_regionOf[value.value] == region || m_made[value.value].isValid() || isSplitLoop(value) || isMemory(kind) ||
               (kind == InstructionKind::Acc && !isMadeAgain(value));
    }

    // Makes a value of another region available at the start of this one, after the values that it is made of.
    void bring(InstructionId value, std::size_t region)
    {
        std::vector<InstructionId> pending{value};
        while (!pending.empty()) {
            const InstructionId next = pending.back();
            const std::size_t before = pending.size();
            if (!isKnownIn(next, region) && isMadeAgain(next)) {
                const auto &operands = m_kernel.instruction(next).operands;
                for (auto operand = operands.rbegin(); operand != operands.rend(); ++operand)
                    if (!isKnownIn(*operand, region))
                        pending.push_back(*operand);
                if (pending.size() > before)
                    continue;
                write(next);
            } else if (!isKnownIn(next, region)) {
                m_made[next.value] = kept(next);
            }
            pending.pop_back();
        }
    }

    [[nodiscard]] InstructionId keptIndex(InstructionId value)
    {
        const std::int64_t lanes = m_kernel.instruction(value).lanes;
        if (lanes == 1)
            return m_item;
        return m_builder.alu(*m_origin, Op::Mul, {m_item, m_builder.index(*m_origin, lanes)});
    }

    [[nodiscard]] InstructionId kept(InstructionId value)
    {
        return m_builder.load(m_kernel.instruction(value).origin, m_spills[value.value], keptIndex(value),
                              m_kernel.instruction(value).lanes);
    }

    void keep(InstructionId value, InstructionId made)
    {
        m_builder.store(m_kernel.instruction(value).origin, m_spills[value.value], keptIndex(value), made);
    }

    void write(InstructionId id)
    {
        const Instruction &instruction = m_kernel.instruction(id);
        if (instruction.kind == InstructionKind::Special) {
            m_made[id.value] = special(instruction);
            return;
        }
        const bool isKeptAcc = instruction.kind == InstructionKind::Acc && m_spills[id.value].isValid();
        if (isKeptAcc)
            return;
        if (instruction.kind == InstructionKind::Assign && m_spills[instruction.operands[0].value].isValid()) {
            keep(instruction.operands[0], operand(instruction.operands[1]));
            return;
        }
        Instruction copy = instruction;
        for (InstructionId &used : copy.operands)
            used = operand(used);
        moveToOwnPart(copy, instruction);
        m_made[id.value] = m_builder.add(std::move(copy));
        if (m_spills[id.value].isValid())
            keep(id, m_made[id.value]);
    }

    [[nodiscard]] InstructionId operand(InstructionId used)
    {
        const bool isKeptAcc = m_kernel.instruction(used).kind == InstructionKind::Acc && m_spills[used.value].isValid();
        return isKeptAcc ? kept(used) : m_made[used.value];
    }

    // An item's scratch memory is its part of one array for all items.
    void moveToOwnPart(Instruction &access, const Instruction &old)
    {
        if (old.operands.empty())
            return;
        const Instruction &memory = m_kernel.instruction(old.operands[0]);
        if (memory.kind != InstructionKind::Buffer)
            return;
        const InstructionId own = m_builder.alu(old.origin, Op::Mul, {m_item, m_builder.index(old.origin, memory.elements)});
        const std::size_t last = old.kind == InstructionKind::Ptrcat ? access.operands.size() : 2;
        for (std::size_t i = 1; i < last; ++i)
            access.operands[i] = m_builder.alu(old.origin, Op::Add, {own, access.operands[i]});
        access.isAligned = false;
    }

    InstructionId local(const Origin &origin, std::size_t dimension)
    {
        InstructionId index = m_item;
        for (std::size_t d = 0; d < dimension; ++d)
            if (m_kernel.localSize.at(d) != 1)
                index = m_builder.alu(origin, Op::Idiv, {index, m_builder.index(origin, m_kernel.localSize.at(d))});
        if (m_kernel.localSize.at(dimension) == items())
            return index;
        return m_builder.alu(origin, Op::Mod, {index, m_builder.index(origin, m_kernel.localSize.at(dimension))});
    }

    InstructionId special(const Instruction &instruction)
    {
        const auto dimension = static_cast<std::size_t>(instruction.special) % 3;
        const auto globalOf = static_cast<SpecialIndex>(dimension);
        switch (instruction.special) {
        case SpecialIndex::GroupX:
        case SpecialIndex::GroupY:
        case SpecialIndex::GroupZ:
            return m_builder.special(instruction.origin, globalOf);
        case SpecialIndex::LocalX:
        case SpecialIndex::LocalY:
        case SpecialIndex::LocalZ:
            // The sum gives it an instruction of its own.
            return m_builder.alu(instruction.origin, Op::Add,
                                 {local(instruction.origin, dimension), m_builder.index(instruction.origin, 0)});
        case SpecialIndex::GlobalX:
        case SpecialIndex::GlobalY:
        case SpecialIndex::GlobalZ: {
            const InstructionId group = m_builder.special(instruction.origin, globalOf);
            const InstructionId size = m_builder.index(instruction.origin, m_kernel.localSize.at(dimension));
            return m_builder.alu(
                instruction.origin, Op::Add,
                {m_builder.alu(instruction.origin, Op::Mul, {group, size}), local(instruction.origin, dimension)});
        }
        }
        SW_UNREACHABLE();
    }

    const LoweredKernel &m_kernel;
    PassContext &m_context;
    std::vector<Region> m_regions;
    std::vector<std::size_t> m_regionOf; // by instruction
    LoweredBuilder m_builder;
    std::vector<InstructionId> m_made;   // by instruction of the source, as the current region knows it
    std::vector<InstructionId> m_spills; // the arrays for values that are kept across barriers
    std::size_t m_kept = 0;
    InstructionId m_item; // the counter of the open loop over the items
    const Origin *m_origin = nullptr;
};

// Whether every loop with a barrier is known to be the same for all items, and no address uses an accumulator.
bool canBeSerialized(const LoweredKernel &kernel)
{
    const std::vector<char> isSplit = findSplit(kernel);
    for (std::size_t i = 0; i < isSplit.size(); ++i) {
        const Instruction &instruction = kernel.instructions[i];
        if (isLoop(instruction.kind) && isSplit[i] != 0) {
            const Instruction &extent = kernel.instruction(instruction.operands[0]);
            if (extent.kind == InstructionKind::Special && extent.special < SpecialIndex::GroupX)
                return false;
        }
        if (instruction.kind == InstructionKind::Ptrcat)
            for (const InstructionId index : instruction.operands)
                if (kernel.instruction(index).kind == InstructionKind::Acc)
                    return false;
    }
    return true;
}

bool runsItemsOneByOne(TargetLanguage language)
{
    switch (language) {
    case TargetLanguage::C:
    case TargetLanguage::Llvm:
        return true;
    case TargetLanguage::Lowered:
    case TargetLanguage::OpenCl:
        return false;
    }
    SW_UNREACHABLE();
}

std::optional<LoweredKernel> serializeGroupsOf(const LoweredKernel &kernel, PassContext &context)
{
    const bool sharesMemory = std::ranges::any_of(kernel.instructions, [](const Instruction &instruction) {
        return instruction.kind == InstructionKind::Local || instruction.kind == InstructionKind::Barrier;
    });
    const bool isGrouped = std::ranges::any_of(kernel.localSize, [](std::int64_t size) { return size != 1; });
    const bool isTaken = sharesMemory && isGrouped && runsItemsOneByOne(context.language(kernel.device));
    if (!isTaken || !context.mayRewrite() || !canBeSerialized(kernel))
        return std::nullopt;
    return GroupSerializer(kernel, context).run();
}

} // namespace

Result<std::optional<LoweredProgram>> serializeGroups(const LoweredProgram &program, PassContext &context)
{
    return rewriteKernels(program, context, &serializeGroupsOf);
}

} // namespace sw
