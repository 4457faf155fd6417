#include "engine/lowered/interpreter_program.h"

#include "engine/base/assert.h"
#include "engine/lowered/type_rules.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace sw {

namespace {

constexpr std::int64_t kMaxScratchBytes = std::int64_t{1} << 30;
constexpr std::size_t kAlignment = 64;

std::size_t alignedUp(std::size_t bytes, std::size_t alignment)
{
    return (bytes + alignment - 1) / alignment * alignment;
}

// Turns the instructions into steps, one after the other; Range and If get their end once it is reached.
class Preparer {
public:
    Preparer(const LoweredKernel &kernel, InterpreterProgram &program)
        : m_kernel(kernel), m_program(program), m_places(kernel.instructions.size(), 0), m_memories(kernel.instructions.size(), 0)
    {
        m_program.name = kernel.name;
        m_program.argumentCount = kernel.arguments.size();
    }

    [[nodiscard]] Result<Done> run()
    {
        for (std::size_t i = 0; i < m_kernel.instructions.size(); ++i)
            SW_CHECK(prepare(InstructionId(i), m_kernel.instructions[i]));
        if (m_frameBytes > static_cast<std::size_t>(kMaxScratchBytes))
            return Diagnostic::error(Code::Limit, {}, "kernel {}: its values take {} bytes; at most {} are supported",
                                     m_kernel.name, m_frameBytes, kMaxScratchBytes);
        m_program.frame.resize(m_frameBytes);
        for (const auto &[place, value] : m_constants)
            value.store(m_program.frame.data() + place);
        m_program.places = std::move(m_places);
        InstructionId before;
        for (Step &step : m_program.steps) {
            step.startsInstruction = step.instruction != before;
            before = step.instruction;
        }
        return Done{};
    }

private:
    [[nodiscard]] Result<Done> prepare(InstructionId id, const Instruction &instruction)
    {
        if (infoOf(instruction.kind).makesValue && !isMemory(instruction.kind))
            m_places[id.value] = allocate(std::size_t{instruction.lanes} * bytesOf(valueTypeOf(instruction)));
        switch (instruction.kind) {
        case InstructionKind::DefineGlobal:
            addMemory(id,
                      {MemoryKind::Argument, instruction.dtype, instruction.elements, instruction.argument, instruction.name});
            return Done{};
        case InstructionKind::Buffer:
            return addScratch(id, MemoryKind::Scratch, m_program.scratchBytes);
        case InstructionKind::Local:
            return addScratch(id, MemoryKind::Shared, m_program.sharedBytes);
        case InstructionKind::Const:
        case InstructionKind::Vconst:
            addConstants(id, instruction);
            return Done{};
        case InstructionKind::Special:
            add(id, StepKind::Special).special = instruction.special;
            return Done{};
        case InstructionKind::Range:
        case InstructionKind::Unroll:
            openRange(id, instruction);
            return Done{};
        case InstructionKind::EndRange:
            closeRange(id);
            return Done{};
        case InstructionKind::If:
            add(id, StepKind::If).lanes.operands[0] = place(instruction, 0);
            m_open.push_back(m_program.steps.size() - 1);
            return Done{};
        case InstructionKind::EndIf:
            m_program.steps[m_open.back()].target = static_cast<std::uint32_t>(m_program.steps.size());
            m_open.pop_back();
            return Done{};
        case InstructionKind::Barrier:
            add(id, StepKind::Barrier);
            m_program.hasBarriers = true;
            return Done{};
        case InstructionKind::Load:
        case InstructionKind::DefineVar:
        case InstructionKind::MaskedLoad:
        case InstructionKind::Store:
            addAccess(id, instruction);
            return Done{};
        case InstructionKind::Custom:
            return Diagnostic::error(Code::Unsupported, {},
                                     "custom {} is written in a language that the interpreter does not read",
                                     quoted(instruction.name));
        case InstructionKind::Alu:
        case InstructionKind::Cast:
        case InstructionKind::Bitcast:
        case InstructionKind::Vectorize:
        case InstructionKind::Gep:
        case InstructionKind::Shuffle:
        case InstructionKind::Assign:
            addCompute(id, instruction);
            return Done{};
        case InstructionKind::IndexCheck:
            addCheck(id, instruction);
            return Done{};
        case InstructionKind::Ptrcat:
            addAddresses(id, instruction);
            return Done{};
        case InstructionKind::Wmma:
            addTile(id, instruction);
            return Done{};
        case InstructionKind::Block:
        case InstructionKind::EndBlock:
        case InstructionKind::Acc:
        case InstructionKind::Prefetch:
        case InstructionKind::Noop:
            return Done{};
        }
        SW_UNREACHABLE();
    }

    // Addresses are kept as element indices.
    static DType valueTypeOf(const Instruction &instruction)
    {
        return instruction.kind == InstructionKind::Ptrcat ? DType::I64 : instruction.dtype;
    }

    std::uint32_t allocate(std::size_t bytes)
    {
        m_frameBytes = alignedUp(m_frameBytes, bytes >= 32 ? kAlignment : 8);
        const std::size_t place = m_frameBytes;
        m_frameBytes += bytes;
        return static_cast<std::uint32_t>(place);
    }

    [[nodiscard]] std::uint32_t place(const Instruction &instruction, std::size_t position) const
    {
        return m_places[instruction.operands[position].value];
    }

    Step &add(InstructionId id, StepKind kind)
    {
        const Instruction &instruction = m_kernel.instruction(id);
        Step step;
        step.kind = kind;
        step.instruction = id;
        step.isTraced = infoOf(instruction.kind).makesValue;
        step.lanes.result = m_places[id.value];
        step.lanes.lanes = instruction.lanes;
        step.lanes.dtype = valueTypeOf(instruction);
        step.traceResult = m_places[id.value];
        step.traceLanes = instruction.lanes;
        m_program.steps.push_back(step);
        m_program.openCounters.push_back(m_counters);
        return m_program.steps.back();
    }

    void addMemory(InstructionId id, MemoryPlan plan)
    {
        m_memories[id.value] = static_cast<std::uint32_t>(m_program.memories.size());
        plan.instruction = id;
        m_program.memories.push_back(std::move(plan));
    }

    [[nodiscard]] Result<Done> addScratch(InstructionId id, MemoryKind kind, std::size_t &total)
    {
        const Instruction &instruction = m_kernel.instruction(id);
        const std::int64_t room = kMaxScratchBytes - static_cast<std::int64_t>(total);
        if (instruction.elements > room / static_cast<std::int64_t>(bytesOf(instruction.dtype)))
            return Diagnostic::error(Code::Limit, {}, "kernel {}: {} of {} {} needs more than {} bytes of scratch memory",
                                     m_kernel.name, nameOf(instruction.kind), instruction.elements, nameOf(instruction.dtype),
                                     kMaxScratchBytes);
        addMemory(id, {kind, instruction.dtype, instruction.elements, total, instruction.name});
        total = alignedUp(total + static_cast<std::size_t>(instruction.elements) * bytesOf(instruction.dtype), kAlignment);
        return Done{};
    }

    void addConstants(InstructionId id, const Instruction &instruction)
    {
        for (std::uint32_t lane = 0; lane < instruction.lanes; ++lane) {
            const Scalar &value = instruction.constants[instruction.constants.size() == 1 ? 0 : lane];
            m_constants.emplace_back(m_places[id.value] + lane * bytesOf(instruction.dtype), value);
        }
    }

    void openRange(InstructionId id, const Instruction &instruction)
    {
        allocate(8); // the extent as it was when the loop began, right behind the counter
        Step &step = add(id, StepKind::LoopBegin);
        step.counter = m_places[id.value];
        step.lanes.operands[0] = place(instruction, 0);
        m_open.push_back(m_program.steps.size() - 1);
        m_counters.push_back(step.counter);
    }

    void closeRange(InstructionId id)
    {
        const std::size_t begin = m_open.back();
        m_open.pop_back();
        Step &step = add(id, StepKind::LoopEnd);
        step.counter = m_program.steps[begin].counter;
        step.target = static_cast<std::uint32_t>(begin + 1);
        m_program.steps[begin].target = static_cast<std::uint32_t>(m_program.steps.size());
        m_counters.pop_back();
    }

    void addAccess(InstructionId id, const Instruction &instruction)
    {
        if (m_kernel.instruction(instruction.operands[0]).kind == InstructionKind::Ptrcat) {
            addScattered(id, instruction);
            return;
        }
        StepKind kind = StepKind::Load;
        if (instruction.kind != InstructionKind::Load && instruction.kind != InstructionKind::DefineVar)
            kind = instruction.kind == InstructionKind::Store ? StepKind::Store : StepKind::MaskedLoad;
        Step &step = add(id, kind);
        step.memory = m_memories[instruction.operands[0].value];
        for (std::size_t i = 1; i < instruction.operands.size(); ++i)
            step.lanes.operands[i - 1] = place(instruction, i);
        step.hasLaneMask = kind == StepKind::MaskedLoad && m_kernel.instruction(instruction.operands[2]).lanes > 1;
    }

    void addAddresses(InstructionId id, const Instruction &instruction)
    {
        for (std::uint32_t lane = 0; lane < instruction.lanes; ++lane) {
            addCopy(id, m_places[id.value] + lane * bytesOf(DType::I64), place(instruction, lane + 1), 1);
            m_program.steps.back().isTraced = lane + 1 == instruction.lanes;
        }
    }

    // Accesses one element after the other, each at its own address.
    void addScattered(InstructionId id, const Instruction &instruction)
    {
        const bool isStore = instruction.kind == InstructionKind::Store;
        const std::uint32_t size = bytesOf(instruction.dtype);
        const std::uint32_t index = allocate(bytesOf(DType::I64));
        for (std::uint32_t lane = 0; lane < instruction.lanes; ++lane) {
            addScalar(id, Op::Add, DType::I64, index,
                      {place(instruction, 0) + lane * bytesOf(DType::I64), place(instruction, 1)});
            Step &step = add(id, isStore ? StepKind::Store : StepKind::Load);
            step.memory = m_memories[memoryOf(instruction, m_kernel.instructions).value];
            step.lanes.lanes = 1;
            step.lanes.operands[0] = index;
            if (isStore)
                step.lanes.operands[1] = place(instruction, 2) + lane * size;
            else
                step.lanes.result += lane * size;
            step.isTraced = !isStore && lane + 1 == instruction.lanes;
        }
    }

    // Computes row by row and column by column, adding the products one after the other.
    void addTile(InstructionId id, const Instruction &wmma)
    {
        const TileSize tile = tileOf(wmma, m_kernel.instructions);
        const auto [rows, columns, depth, group] = tile;
        const DType dtype = wmma.dtype;
        const std::uint32_t size = bytesOf(dtype);
        const std::uint32_t a = convertedTile(id, wmma, 0);
        const std::uint32_t b = convertedTile(id, wmma, 1);
        const std::uint32_t product = allocate(size);
        addCopy(id, m_places[id.value], place(wmma, 2), wmma.lanes);
        m_program.steps.back().isTraced = false;
        for (std::uint32_t row = 0; row < rows; ++row) {
            for (std::uint32_t column = 0; column < columns; ++column) {
                const auto sum = static_cast<std::uint32_t>(m_places[id.value] + (row * columns + column) * size);
                for (std::uint32_t k = 0; k < depth; ++k) {
                    const auto left = static_cast<std::uint32_t>(a + (row * depth + k) * size);
                    const auto right = static_cast<std::uint32_t>(b + tile.laneOfB(k, column) * size);
                    addScalar(id, Op::Mul, dtype, product, {left, right});
                    addScalar(id, Op::Add, dtype, sum, {sum, product});
                }
            }
        }
        m_program.steps.back().isTraced = true;
    }

    // The place of a tile's operand, converted to the type that the sums have.
    std::uint32_t convertedTile(InstructionId id, const Instruction &wmma, std::size_t position)
    {
        const Instruction &tile = m_kernel.instruction(wmma.operands[position]);
        if (tile.dtype == wmma.dtype)
            return place(wmma, position);
        const std::uint32_t converted = allocate(std::size_t{tile.lanes} * bytesOf(wmma.dtype));
        Step &step = add(id, StepKind::Compute);
        step.isTraced = false;
        step.lanes.result = converted;
        step.lanes.operands[0] = place(wmma, position);
        step.lanes.lanes = tile.lanes;
        step.lanes.operandType = tile.dtype;
        step.compute = castFunction(tile.dtype, wmma.dtype);
        return converted;
    }

    // An operation on one lane, between places in the frame.
    void addScalar(InstructionId id, Op op, DType dtype, std::uint32_t result, std::array<std::uint32_t, 2> operands)
    {
        Step &step = add(id, StepKind::Compute);
        step.isTraced = false;
        step.lanes.result = result;
        std::ranges::copy(operands, std::begin(step.lanes.operands));
        step.lanes.lanes = 1;
        step.lanes.op = op;
        step.lanes.dtype = dtype;
        step.lanes.operandType = dtype;
        step.compute = aluFunction(op, dtype);
    }

    void addCompute(InstructionId id, const Instruction &instruction)
    {
        if (instruction.kind == InstructionKind::Vectorize && instruction.operands.size() > 1) {
            addPacking(id, instruction);
            return;
        }
        if (instruction.kind == InstructionKind::Shuffle) {
            addShuffle(id, instruction);
            return;
        }
        if (instruction.kind == InstructionKind::Gep) {
            const auto lane = instruction.lane;
            addCopy(id, m_places[id.value], place(instruction, 0) + lane * bytesOf(instruction.dtype), 1);
            return;
        }
        if (instruction.kind == InstructionKind::Assign) {
            addCopy(id, place(instruction, 0), place(instruction, 1), instruction.lanes);
            m_program.steps.back().isTraced = true;
            m_program.steps.back().traceResult = place(instruction, 0);
            return;
        }
        Step &step = add(id, StepKind::Compute);
        for (std::size_t i = 0; i < instruction.operands.size(); ++i)
            step.lanes.operands[i] = place(instruction, i);
        step.lanes.op = instruction.op;
        step.lanes.operandType = instruction.kind == InstructionKind::Alu ? operandTypeOf(instruction, m_kernel.instructions)
                                                                          : m_kernel.instruction(instruction.operands[0]).dtype;
        step.compute = computeOf(instruction, step.lanes.operandType);
    }

    // One copy per lane; the whole vector is traced after the last one.
    void addPacking(InstructionId id, const Instruction &instruction)
    {
        for (std::uint32_t lane = 0; lane < instruction.lanes; ++lane) {
            addCopy(id, m_places[id.value] + lane * bytesOf(instruction.dtype), place(instruction, lane), 1);
            m_program.steps.back().isTraced = lane + 1 == instruction.lanes;
        }
    }

    // Likewise.
    void addShuffle(InstructionId id, const Instruction &instruction)
    {
        const std::uint32_t lanes = m_kernel.instruction(instruction.operands[0]).lanes;
        const std::size_t bytes = bytesOf(instruction.dtype);
        const std::vector<std::uint32_t> picked = lanesPickedBy(instruction);
        for (std::size_t lane = 0; lane < picked.size(); ++lane) {
            const std::size_t from = place(instruction, picked[lane] / lanes) + picked[lane] % lanes * bytes;
            addCopy(id, static_cast<std::uint32_t>(m_places[id.value] + lane * bytes), static_cast<std::uint32_t>(from), 1);
            m_program.steps.back().isTraced = lane + 1 == picked.size();
        }
    }

    static LaneFunction computeOf(const Instruction &instruction, DType operandType)
    {
        if (instruction.kind == InstructionKind::Alu)
            return aluFunction(instruction.op, operandType);
        if (instruction.kind == InstructionKind::Vectorize)
            return broadcastFunction(instruction.dtype);
        if (instruction.kind == InstructionKind::Cast)
            return castFunction(operandType, instruction.dtype);
        return bitcastFunction(instruction.dtype);
    }

    void addCopy(InstructionId id, std::uint32_t to, std::uint32_t from, std::uint32_t lanes)
    {
        Step &step = add(id, StepKind::Compute);
        step.lanes.result = to;
        step.lanes.operands[0] = from;
        step.lanes.lanes = lanes;
        step.lanes.operandType = step.lanes.dtype;
        step.compute = copyFunction();
    }

    void addCheck(InstructionId id, const Instruction &instruction)
    {
        Step &step = add(id, StepKind::IndexCheck);
        step.lanes.operands[0] = place(instruction, 0);
        step.bound = instruction.bound;
        step.fault = static_cast<std::uint32_t>(m_program.checks.size());
        m_program.checks.push_back(id);
    }

    const LoweredKernel &m_kernel;
    InterpreterProgram &m_program;
    std::vector<std::uint32_t> m_places;   // by instruction: byte offset of its value in the frame
    std::vector<std::uint32_t> m_memories; // by instruction: index into the program's memories
    std::vector<std::pair<std::uint32_t, Scalar>> m_constants;
    std::vector<std::size_t> m_open;
    std::vector<std::uint32_t> m_counters;
    std::size_t m_frameBytes = 0;
};

} // namespace

Result<std::unique_ptr<const InterpreterProgram>> prepareProgram(const LoweredKernel &kernel)
{
    auto program = std::make_unique<InterpreterProgram>();
    SW_CHECK(Preparer(kernel, *program).run());
    return std::unique_ptr<const InterpreterProgram>(std::move(program));
}

} // namespace sw
