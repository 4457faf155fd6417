#include "engine/lowered/type_rules.h"

#include "engine/ops/tensor_instructions.h"

#include "engine/base/assert.h"

namespace sw {

namespace {

using Problem = std::optional<std::string>;

// The operands of one instruction, with the questions that every rule asks.
class Operands {
public:
    Operands(const Instruction &instruction, std::span<const Instruction> earlier)
        : m_instruction(instruction), m_earlier(earlier)
    {
    }

    [[nodiscard]] const Instruction &at(std::size_t position) const { return m_earlier[m_instruction.operands[position].value]; }

    // The memory that an access at the operand touches in the end.
    [[nodiscard]] const Instruction &memoryAt(std::size_t position) const
    {
        const Instruction &operand = at(position);
        return operand.kind == InstructionKind::Ptrcat ? m_earlier[operand.operands[0].value] : operand;
    }

    [[nodiscard]] Problem value(std::size_t position, DType dtype, std::uint32_t lanes) const
    {
        const Instruction &operand = at(position);
        if (isMemory(operand.kind) || operand.kind == InstructionKind::Ptrcat)
            return format("operand {} is memory where a value is expected", position);
        if (operand.dtype != dtype || operand.lanes != lanes)
            return format("operand {} is {} where {} is expected", position, typeText(operand.dtype, operand.lanes),
                          typeText(dtype, lanes));
        return std::nullopt;
    }

    [[nodiscard]] Problem memory(std::size_t position, DType dtype) const
    {
        const Instruction &operand = at(position);
        if (!isMemory(operand.kind))
            return format("operand {} is {} where memory is expected", position, nameOf(operand.kind));
        if (operand.dtype != dtype)
            return format("accesses memory of {} as {}", nameOf(operand.dtype), nameOf(dtype));
        return std::nullopt;
    }

    // Checks for memory, or for as many addresses as the access has lanes.
    [[nodiscard]] Problem place(std::size_t position, DType dtype, std::uint32_t lanes) const
    {
        const Instruction &operand = at(position);
        if (operand.kind != InstructionKind::Ptrcat)
            return memory(position, dtype);
        if (m_instruction.isAligned || m_instruction.hint != MemoryHint::None)
            return "has addresses that lie apart, and says how they are aligned";
        if (operand.dtype != dtype || operand.lanes != lanes)
            return format("accesses {} through addresses of {}", typeText(dtype, lanes), typeText(operand.dtype, operand.lanes));
        return std::nullopt;
    }

private:
    const Instruction &m_instruction;
    std::span<const Instruction> m_earlier;
};

Problem firstOf(std::initializer_list<Problem> problems)
{
    for (const Problem &problem : problems)
        if (problem)
            return problem;
    return std::nullopt;
}

Problem madeAs(const Instruction &instruction, DType dtype, std::uint32_t lanes)
{
    if (instruction.dtype == dtype && instruction.lanes == lanes)
        return std::nullopt;
    return format("makes {} where {} is expected", typeText(instruction.dtype, instruction.lanes), typeText(dtype, lanes));
}

Problem memoryProblem(const Instruction &instruction)
{
    if (instruction.lanes != 1)
        return "is memory of vectors; memory has elements of one lane";
    const std::int64_t least = instruction.kind == InstructionKind::DefineGlobal ? 0 : 1;
    if (instruction.elements < least)
        return format("has {} elements; at least {} is expected", instruction.elements, least);
    return std::nullopt;
}

Problem constantProblem(const Instruction &instruction)
{
    const std::size_t expected = instruction.kind == InstructionKind::Const ? 1 : instruction.lanes;
    if (instruction.constants.size() != expected)
        return format("has {} constants where {} are expected", instruction.constants.size(), expected);
    for (const Scalar &constant : instruction.constants)
        if (constant.dtype() != instruction.dtype)
            return format("has a constant of {} where {} is expected", nameOf(constant.dtype()), nameOf(instruction.dtype));
    return std::nullopt;
}

Problem maskedLoadProblem(const Instruction &instruction, const Operands &operands)
{
    const std::uint32_t validLanes = operands.at(2).lanes == 1 ? 1 : instruction.lanes;
    return firstOf({operands.memory(0, instruction.dtype), operands.value(1, DType::I64, 1),
                    operands.value(2, DType::Bool, validLanes), operands.value(3, instruction.dtype, instruction.lanes)});
}

Problem aluProblem(const Instruction &instruction, const Operands &operands)
{
    if (instruction.operands.size() != arityOf(instruction.op))
        return format("has {} operands where {} takes {}", instruction.operands.size(), nameOf(instruction.op),
                      arityOf(instruction.op));
    const std::size_t first = firstTypedOperand(instruction.op);
    const DType type = operands.at(first).dtype;
    if (!accepts(instruction.op, type))
        return format("applies {} to {}, which it does not accept", nameOf(instruction.op), nameOf(type));
    for (std::size_t position = 0; position < instruction.operands.size(); ++position)
        if (Problem problem = operands.value(position, position < first ? DType::Bool : type, instruction.lanes))
            return problem;
    return madeAs(instruction, resultType(instruction.op, type), instruction.lanes);
}

Problem bitcastProblem(const Instruction &instruction, const Operands &operands)
{
    const Instruction &operand = operands.at(0);
    if (bytesOf(operand.dtype) != bytesOf(instruction.dtype))
        return format("takes the bits of {} as {}, which has another size", nameOf(operand.dtype), nameOf(instruction.dtype));
    return operands.value(0, operand.dtype, instruction.lanes);
}

Problem vectorizeProblem(const Instruction &instruction, const Operands &operands)
{
    const std::size_t count = instruction.operands.size();
    if (count != 1 && count != instruction.lanes)
        return format("packs {} operands into {} lanes", count, instruction.lanes);
    for (std::size_t position = 0; position < count; ++position)
        if (Problem problem = operands.value(position, instruction.dtype, 1))
            return problem;
    return std::nullopt;
}

Problem gepProblem(const Instruction &instruction, const Operands &operands)
{
    const Instruction &vector = operands.at(0);
    if (instruction.lane >= vector.lanes)
        return format("takes lane {} of {} lanes", instruction.lane, vector.lanes);
    return firstOf({operands.value(0, instruction.dtype, vector.lanes), madeAs(instruction, instruction.dtype, 1)});
}

Problem assignProblem(const Instruction &instruction, const Operands &operands)
{
    if (operands.at(0).kind != InstructionKind::Acc)
        return format("assigns to {} where an acc is expected", nameOf(operands.at(0).kind));
    return firstOf(
        {operands.value(0, instruction.dtype, instruction.lanes), operands.value(1, instruction.dtype, instruction.lanes)});
}

Problem ptrcatProblem(const Instruction &instruction, const Operands &operands)
{
    if (instruction.operands.size() != instruction.lanes + std::size_t{1})
        return format("has {} indices for {} lanes", instruction.operands.size() - 1, instruction.lanes);
    for (std::size_t position = 1; position < instruction.operands.size(); ++position)
        if (Problem problem = operands.value(position, DType::I64, 1))
            return problem;
    return operands.memory(0, instruction.dtype);
}

Problem wmmaProblem(const Instruction &instruction, const Operands &operands)
{
    const Instruction &a = operands.at(0);
    const Instruction &b = operands.at(1);
    const std::int64_t rows = instruction.rows;
    if (rows < 1 || instruction.lanes % rows != 0 || a.lanes % rows != 0)
        return format("has {} rows, which {} and {} lanes are no multiples of", rows, a.lanes, instruction.lanes);
    const std::int64_t columns = instruction.lanes / rows;
    const std::int64_t depth = a.lanes / rows;
    if (b.lanes != depth * columns)
        return format("multiplies a tile of {} x {} by one of {} lanes; {} x {} are expected", rows, depth, b.lanes, depth,
                      columns);
    const bool areBytes = isInteger(a.dtype) && isInteger(b.dtype) && bytesOf(a.dtype) == bytesOf(b.dtype);
    if (a.dtype != b.dtype && !areBytes)
        return format("multiplies {} by {}", nameOf(a.dtype), nameOf(b.dtype));
    for (const DType factor : {a.dtype, b.dtype})
        if (!accepts(Op::Mul, instruction.dtype) || promote(factor, instruction.dtype) != instruction.dtype)
            return format("adds products of {} up as {}", nameOf(factor), nameOf(instruction.dtype));
    if (const std::int64_t group = depthGroupOf(b.dtype, instruction.dtype); depth % group != 0)
        return format("has a depth of {}; the rows of {} lie in groups of {}", depth, nameOf(b.dtype), group);
    return firstOf({operands.value(0, a.dtype, a.lanes), operands.value(1, b.dtype, b.lanes),
                    operands.value(2, instruction.dtype, instruction.lanes)});
}

Problem shuffleProblem(const Instruction &instruction, const Operands &operands)
{
    if (instruction.constants.size() != instruction.lanes)
        return format("picks {} lanes where {} are expected", instruction.constants.size(), instruction.lanes);
    const std::uint32_t both = 2 * operands.at(0).lanes;
    for (const Scalar &picked : instruction.constants) // as lanesPickedBy reads them
        if (const auto lane = static_cast<std::uint32_t>(picked.asInt()); lane >= both)
            return format("picks lane {} where there are {}", lane, both);
    return firstOf(
        {operands.value(0, instruction.dtype, operands.at(0).lanes), operands.value(1, instruction.dtype, operands.at(0).lanes)});
}

Problem storeProblem(const Instruction &instruction, const Operands &operands)
{
    const Instruction &memory = operands.memoryAt(0);
    if (memory.kind == InstructionKind::DefineGlobal && !memory.isWritten)
        return "stores to a buffer that is not marked as written";
    return firstOf({operands.place(0, instruction.dtype, instruction.lanes), operands.value(1, DType::I64, 1),
                    operands.value(2, instruction.dtype, instruction.lanes)});
}

Problem kindProblem(const Instruction &instruction, const Operands &operands)
{
    switch (instruction.kind) {
    case InstructionKind::DefineGlobal:
    case InstructionKind::Buffer:
    case InstructionKind::Local:
        return memoryProblem(instruction);
    case InstructionKind::Const:
    case InstructionKind::Vconst:
        return constantProblem(instruction);
    case InstructionKind::Special:
        return madeAs(instruction, DType::I64, 1);
    case InstructionKind::Range:
        return firstOf({operands.value(0, DType::I64, 1), madeAs(instruction, DType::I64, 1)});
    case InstructionKind::Unroll:
        if (instruction.copies < 1)
            return format("writes its body out {} times; at least one is expected", instruction.copies);
        return firstOf({operands.value(0, DType::I64, 1), madeAs(instruction, DType::I64, 1)});
    case InstructionKind::EndRange:
        if (!isLoop(operands.at(0).kind))
            return format("closes {} where a range or unroll is expected", nameOf(operands.at(0).kind));
        return std::nullopt;
    case InstructionKind::If:
        return operands.value(0, DType::Bool, 1);
    case InstructionKind::Load:
        return firstOf({operands.place(0, instruction.dtype, instruction.lanes), operands.value(1, DType::I64, 1)});
    case InstructionKind::Ptrcat:
        return ptrcatProblem(instruction, operands);
    case InstructionKind::Wmma:
        return wmmaProblem(instruction, operands);
    case InstructionKind::Custom:
        for (std::size_t position = 0; position < instruction.operands.size(); ++position)
            if (Problem problem = operands.value(position, operands.at(position).dtype, 1))
                return problem;
        return madeAs(instruction, instruction.dtype, 1);
    case InstructionKind::DefineVar:
        if (instruction.low < 0 || instruction.high < instruction.low)
            return format("lies between {} and {}", instruction.low, instruction.high);
        return firstOf({operands.memory(0, DType::I64), operands.value(1, DType::I64, 1), madeAs(instruction, DType::I64, 1)});
    case InstructionKind::MaskedLoad:
        return maskedLoadProblem(instruction, operands);
    case InstructionKind::Store:
        return storeProblem(instruction, operands);
    case InstructionKind::Prefetch:
        return firstOf(
            {operands.memory(0, instruction.dtype), operands.value(1, DType::I64, 1), madeAs(instruction, instruction.dtype, 1)});
    case InstructionKind::Alu:
        return aluProblem(instruction, operands);
    case InstructionKind::Cast:
        return operands.value(0, operands.at(0).dtype, instruction.lanes);
    case InstructionKind::Bitcast:
        return bitcastProblem(instruction, operands);
    case InstructionKind::Vectorize:
        return vectorizeProblem(instruction, operands);
    case InstructionKind::Gep:
        return gepProblem(instruction, operands);
    case InstructionKind::Shuffle:
        return shuffleProblem(instruction, operands);
    case InstructionKind::Assign:
        return assignProblem(instruction, operands);
    case InstructionKind::IndexCheck:
        return firstOf({operands.value(0, DType::I64, instruction.lanes), madeAs(instruction, DType::Bool, instruction.lanes)});
    case InstructionKind::Acc:
    case InstructionKind::EndIf:
    case InstructionKind::Block:
    case InstructionKind::EndBlock:
    case InstructionKind::Barrier:
    case InstructionKind::Noop:
        return std::nullopt;
    }
    SW_UNREACHABLE();
}

} // namespace

DType operandTypeOf(const Instruction &alu, std::span<const Instruction> instructions)
{
    return instructions[alu.operands.at(firstTypedOperand(alu.op)).value].dtype;
}

DType computeTypeOf(Op op, DType dtype, bool hasF16)
{
    const bool isOwn = dtype == DType::F16 && hasF16 && has(infoOf(op).traits, Trait::RoundedOnce) && op != Op::Sqrt;
    return isOwn ? dtype : computeType(dtype);
}

InstructionId memoryOf(const Instruction &access, std::span<const Instruction> instructions)
{
    const InstructionId place = access.operands.at(0);
    const Instruction &memory = instructions[place.value];
    return memory.kind == InstructionKind::Ptrcat ? memory.operands.at(0) : place;
}

TileSize tileOf(const Instruction &wmma, std::span<const Instruction> instructions)
{
    const std::int64_t rows = wmma.rows;
    const DType b = instructions[wmma.operands.at(1).value].dtype;
    return {.rows = rows,
            .columns = wmma.lanes / rows,
            .depth = instructions[wmma.operands.at(0).value].lanes / rows,
            .group = depthGroupOf(b, wmma.dtype)};
}

std::string typeText(DType dtype, std::uint32_t lanes)
{
    return lanes == 1 ? std::string(nameOf(dtype)) : format("{}x{}", nameOf(dtype), lanes);
}

std::optional<std::string> typeProblemOf(const Instruction &instruction, std::span<const Instruction> earlier)
{
    const std::size_t expected = infoOf(instruction.kind).operands;
    if (expected != kAnyOperands && instruction.operands.size() != expected)
        return format("has {} operands where {} are expected", instruction.operands.size(), expected);
    if (expected == kAnyOperands && instruction.operands.empty())
        return "has no operands";
    if (instruction.lanes < 1 || instruction.lanes > kMaxLanes)
        return format("has {} lanes; 1 to {} are expected", instruction.lanes, kMaxLanes);
    for (const InstructionId operand : instruction.operands) {
        if (operand.value >= earlier.size())
            return format("uses %{}, which is not made before it", operand.value);
        if (!infoOf(earlier[operand.value].kind).makesValue)
            return format("uses %{}, a {}, which makes no value", operand.value, nameOf(earlier[operand.value].kind));
    }
    return kindProblem(instruction, Operands(instruction, earlier));
}

} // namespace sw
