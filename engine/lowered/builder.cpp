#include "engine/lowered/builder.h"

#include "engine/base/assert.h"
#include "engine/lowered/type_rules.h"

#include <utility>

namespace sw {

namespace {

Instruction made(InstructionKind kind, const Origin &origin, DType dtype = DType::I64, std::uint32_t lanes = 1)
{
    return {.kind = kind, .dtype = dtype, .lanes = lanes, .origin = origin};
}

Instruction made(InstructionKind kind, const Origin &origin, std::vector<InstructionId> operands)
{
    return {.kind = kind, .operands = std::move(operands), .origin = origin};
}

} // namespace

LoweredBuilder::LoweredBuilder(LoweredKernel frame, Values values) : m_kernel(std::move(frame)), m_values(values)
{
    for (std::size_t i = 0; i < m_kernel.instructions.size(); ++i) {
        const InstructionKind kind = m_kernel.instructions[i].kind;
        if (opensScope(kind) || kind == InstructionKind::Block)
            m_open.push_back(InstructionId(i));
        else if (closesScope(kind) || kind == InstructionKind::EndBlock)
            m_open.pop_back();
        if (opensScope(kind))
            m_known.openScope();
        else if (closesScope(kind))
            m_known.closeScope();
    }
}

InstructionId LoweredBuilder::add(Instruction instruction)
{
    const std::optional<std::uint64_t> hash =
        m_values == Values::Once ? KnownValues::hashOf(instruction, m_kernel.instructions) : std::nullopt;
    if (hash) {
        if (const InstructionId earlier = m_known.find(*hash, instruction, m_kernel.instructions); earlier.isValid()) {
            addOrigin(earlier, instruction.origin);
            return earlier;
        }
    }
    const auto problem = typeProblemOf(instruction, m_kernel.instructions);
    SW_ASSERT(!problem, format("a well-formed instruction; {} {}", nameOf(instruction.kind), problem.value_or("")));
    const InstructionId id(m_kernel.instructions.size());
    switch (instruction.kind) {
    case InstructionKind::Range:
    case InstructionKind::Unroll:
    case InstructionKind::If:
    case InstructionKind::Block:
        m_open.push_back(id);
        break;
    case InstructionKind::EndRange:
    case InstructionKind::EndIf:
    case InstructionKind::EndBlock:
        SW_ASSERT(!m_open.empty(), "an open block");
        m_open.pop_back();
        break;
    case InstructionKind::DefineGlobal:
    case InstructionKind::Buffer:
    case InstructionKind::Local:
        SW_ASSERT(m_open.empty(), "memory made outside of loops and ifs");
        break;
    case InstructionKind::Acc:
    case InstructionKind::Const:
    case InstructionKind::Vconst:
    case InstructionKind::Special:
    case InstructionKind::Barrier:
    case InstructionKind::Load:
    case InstructionKind::Custom:
    case InstructionKind::DefineVar:
    case InstructionKind::MaskedLoad:
    case InstructionKind::Store:
    case InstructionKind::Prefetch:
    case InstructionKind::Alu:
    case InstructionKind::Cast:
    case InstructionKind::Bitcast:
    case InstructionKind::Vectorize:
    case InstructionKind::Gep:
    case InstructionKind::Shuffle:
    case InstructionKind::Ptrcat:
    case InstructionKind::Wmma:
    case InstructionKind::Assign:
    case InstructionKind::IndexCheck:
    case InstructionKind::Noop:
        break;
    }
    if (opensScope(instruction.kind))
        m_known.openScope();
    else if (closesScope(instruction.kind))
        m_known.closeScope();
    m_kernel.instructions.push_back(std::move(instruction));
    if (hash)
        m_known.add(*hash, id);
    return id;
}

InstructionId LoweredBuilder::defineGlobal(const Origin &origin, GlobalBuffer buffer)
{
    Instruction instruction = made(InstructionKind::DefineGlobal, origin, buffer.dtype);
    instruction.argument = static_cast<std::uint32_t>(m_kernel.arguments.size());
    instruction.elements = buffer.elements;
    instruction.isWritten = buffer.isWritten;
    instruction.name = std::move(buffer.name);
    m_kernel.arguments.push_back(buffer.buffer);
    return add(std::move(instruction));
}

InstructionId LoweredBuilder::buffer(const Origin &origin, DType dtype, std::int64_t elements, std::string name)
{
    Instruction instruction = made(InstructionKind::Buffer, origin, dtype);
    instruction.elements = elements;
    instruction.name = std::move(name);
    return add(std::move(instruction));
}

InstructionId LoweredBuilder::local(const Origin &origin, DType dtype, std::int64_t elements, std::string name)
{
    Instruction instruction = made(InstructionKind::Local, origin, dtype);
    instruction.elements = elements;
    instruction.name = std::move(name);
    return add(std::move(instruction));
}

InstructionId LoweredBuilder::acc(const Origin &origin, DType dtype, std::uint32_t lanes, std::string name)
{
    Instruction instruction = made(InstructionKind::Acc, origin, dtype, lanes);
    instruction.name = std::move(name);
    return add(std::move(instruction));
}

InstructionId LoweredBuilder::constant(const Origin &origin, const Scalar &value, std::uint32_t lanes)
{
    Instruction instruction = made(InstructionKind::Const, origin, value.dtype(), lanes);
    instruction.constants = {value};
    return add(std::move(instruction));
}

InstructionId LoweredBuilder::index(const Origin &origin, std::int64_t value)
{
    return constant(origin, Scalar::of(DType::I64, value));
}

InstructionId LoweredBuilder::vconst(const Origin &origin, std::vector<Scalar> values)
{
    SW_ASSERT(!values.empty(), "a value per lane");
    Instruction instruction =
        made(InstructionKind::Vconst, origin, values.front().dtype(), static_cast<std::uint32_t>(values.size()));
    instruction.constants = std::move(values);
    return add(std::move(instruction));
}

InstructionId LoweredBuilder::special(const Origin &origin, SpecialIndex index)
{
    Instruction instruction = made(InstructionKind::Special, origin);
    instruction.special = index;
    return add(std::move(instruction));
}

InstructionId LoweredBuilder::beginRange(const Origin &origin, InstructionId extent, std::string name)
{
    Instruction instruction = made(InstructionKind::Range, origin, {extent});
    instruction.name = std::move(name);
    return add(std::move(instruction));
}

InstructionId LoweredBuilder::beginRange(const Origin &origin, std::int64_t extent, std::string name)
{
    return beginRange(origin, index(origin, extent), std::move(name));
}

InstructionId LoweredBuilder::beginUnroll(const Origin &origin, std::int64_t extent, std::int64_t copies, std::string name)
{
    Instruction instruction = made(InstructionKind::Unroll, origin, {index(origin, extent)});
    instruction.copies = static_cast<std::uint32_t>(copies);
    instruction.name = std::move(name);
    return add(std::move(instruction));
}

void LoweredBuilder::endRange(const Origin &origin)
{
    SW_ASSERT(!m_open.empty() && isLoop(at(m_open.back()).kind), "a loop as the innermost open scope");
    add(made(InstructionKind::EndRange, origin, {m_open.back()}));
}

void LoweredBuilder::beginIf(const Origin &origin, InstructionId condition)
{
    add(made(InstructionKind::If, origin, {condition}));
}

void LoweredBuilder::endIf(const Origin &origin)
{
    SW_ASSERT(!m_open.empty() && at(m_open.back()).kind == InstructionKind::If, "an if as the innermost open block");
    add(made(InstructionKind::EndIf, origin));
}

void LoweredBuilder::beginBlock(const Origin &origin, std::string name)
{
    Instruction instruction = made(InstructionKind::Block, origin);
    instruction.name = std::move(name);
    add(std::move(instruction));
}

void LoweredBuilder::endBlock(const Origin &origin)
{
    SW_ASSERT(!m_open.empty() && at(m_open.back()).kind == InstructionKind::Block, "a block as the innermost open part");
    add(made(InstructionKind::EndBlock, origin));
}

void LoweredBuilder::barrier(const Origin &origin)
{
    add(made(InstructionKind::Barrier, origin));
}

InstructionId LoweredBuilder::ptrcat(const Origin &origin, InstructionId memory, std::vector<InstructionId> indices)
{
    Instruction instruction = made(InstructionKind::Ptrcat, origin, std::move(indices));
    instruction.lanes = static_cast<std::uint32_t>(instruction.operands.size());
    instruction.operands.push_front(memory);
    instruction.dtype = at(memory).dtype;
    return add(std::move(instruction));
}

InstructionId LoweredBuilder::wmma(const Origin &origin, InstructionId a, InstructionId b, InstructionId c, std::int64_t rows)
{
    Instruction instruction = made(InstructionKind::Wmma, origin, at(c).dtype, at(c).lanes);
    instruction.operands = {a, b, c};
    instruction.rows = static_cast<std::uint32_t>(rows);
    return add(std::move(instruction));
}

InstructionId LoweredBuilder::load(const Origin &origin, InstructionId memory, InstructionId at, std::uint32_t lanes,
                                   AccessOptions options)
{
    Instruction instruction = made(InstructionKind::Load, origin, {memory, at});
    instruction.dtype = this->at(memory).dtype;
    instruction.lanes = lanes;
    instruction.isAligned = options.isAligned;
    instruction.hint = options.hint;
    return add(std::move(instruction));
}

InstructionId LoweredBuilder::custom(const Origin &origin, DType dtype, std::string name, std::string source,
                                     std::vector<InstructionId> operands)
{
    Instruction instruction = made(InstructionKind::Custom, origin, std::move(operands));
    instruction.dtype = dtype;
    instruction.name = std::move(name);
    instruction.source = std::move(source);
    return add(std::move(instruction));
}

InstructionId LoweredBuilder::defineVar(const Origin &origin, InstructionId memory, const SymbolicVariable &variable)
{
    Instruction instruction = made(InstructionKind::DefineVar, origin, {memory, index(origin, 0)});
    instruction.dtype = DType::I64;
    instruction.name = variable.name;
    instruction.low = variable.low;
    instruction.high = variable.high;
    return add(std::move(instruction));
}

InstructionId LoweredBuilder::maskedLoad(const Origin &origin, InstructionId memory, InstructionId at, InstructionId valid,
                                         InstructionId otherwise)
{
    Instruction instruction = made(InstructionKind::MaskedLoad, origin, {memory, at, valid, otherwise});
    instruction.dtype = this->at(memory).dtype;
    instruction.lanes = this->at(otherwise).lanes;
    return add(std::move(instruction));
}

InstructionId LoweredBuilder::prefetch(const Origin &origin, InstructionId memory, InstructionId at)
{
    Instruction instruction = made(InstructionKind::Prefetch, origin, {memory, at});
    instruction.dtype = this->at(memory).dtype;
    return add(std::move(instruction));
}

InstructionId LoweredBuilder::store(const Origin &origin, InstructionId memory, InstructionId at, InstructionId value,
                                    AccessOptions options)
{
    Instruction instruction = made(InstructionKind::Store, origin, {memory, at, value});
    instruction.dtype = this->at(value).dtype;
    instruction.lanes = this->at(value).lanes;
    instruction.isAligned = options.isAligned;
    instruction.hint = options.hint;
    return add(std::move(instruction));
}

InstructionId LoweredBuilder::alu(const Origin &origin, Op op, std::vector<InstructionId> operands)
{
    SW_ASSERT(operands.size() == arityOf(op), "as many operands as the operation takes");
    const Instruction &typed = at(operands[firstTypedOperand(op)]);
    Instruction instruction = made(InstructionKind::Alu, origin, resultType(op, typed.dtype), typed.lanes);
    instruction.op = op;
    instruction.operands = std::move(operands);
    return add(std::move(instruction));
}

InstructionId LoweredBuilder::cast(const Origin &origin, DType dtype, InstructionId value)
{
    if (at(value).dtype == dtype)
        return value;
    Instruction instruction = made(InstructionKind::Cast, origin, dtype, at(value).lanes);
    instruction.operands = {value};
    return add(std::move(instruction));
}

InstructionId LoweredBuilder::bitcast(const Origin &origin, DType dtype, InstructionId value)
{
    if (at(value).dtype == dtype)
        return value;
    Instruction instruction = made(InstructionKind::Bitcast, origin, dtype, at(value).lanes);
    instruction.operands = {value};
    return add(std::move(instruction));
}

InstructionId LoweredBuilder::vectorize(const Origin &origin, std::vector<InstructionId> scalars)
{
    SW_ASSERT(!scalars.empty(), "a scalar per lane");
    Instruction instruction =
        made(InstructionKind::Vectorize, origin, at(scalars.front()).dtype, static_cast<std::uint32_t>(scalars.size()));
    instruction.operands = std::move(scalars);
    return add(std::move(instruction));
}

InstructionId LoweredBuilder::broadcast(const Origin &origin, InstructionId scalar, std::uint32_t lanes)
{
    if (lanes == 1)
        return scalar;
    Instruction instruction = made(InstructionKind::Vectorize, origin, at(scalar).dtype, lanes);
    instruction.operands = {scalar};
    return add(std::move(instruction));
}

InstructionId LoweredBuilder::gep(const Origin &origin, InstructionId vector, std::uint32_t lane)
{
    Instruction instruction = made(InstructionKind::Gep, origin, at(vector).dtype);
    instruction.operands = {vector};
    instruction.lane = lane;
    return add(std::move(instruction));
}

InstructionId LoweredBuilder::shuffle(const Origin &origin, InstructionId a, InstructionId b,
                                      std::span<const std::uint32_t> lanes)
{
    Instruction instruction = made(InstructionKind::Shuffle, origin, at(a).dtype, static_cast<std::uint32_t>(lanes.size()));
    instruction.operands = {a, b};
    for (const std::uint32_t lane : lanes)
        instruction.constants.push_back(Scalar::of(DType::I64, std::int64_t{lane}));
    return add(std::move(instruction));
}

void LoweredBuilder::assign(const Origin &origin, InstructionId accumulator, InstructionId value)
{
    Instruction instruction = made(InstructionKind::Assign, origin, at(value).dtype, at(value).lanes);
    instruction.operands = {accumulator, value};
    add(std::move(instruction));
}

InstructionId LoweredBuilder::indexCheck(const Origin &origin, InstructionId at, std::int64_t bound, std::int32_t axis)
{
    Instruction instruction = made(InstructionKind::IndexCheck, origin, DType::Bool, this->at(at).lanes);
    instruction.operands = {at};
    instruction.bound = bound;
    instruction.axis = axis;
    return add(std::move(instruction));
}

void LoweredBuilder::addOrigin(InstructionId id, const Origin &origin)
{
    Origin &own = m_kernel.instructions.at(id.value).origin;
    own = Origin::merged(own, origin);
}

LoweredKernel LoweredBuilder::take()
{
    SW_ASSERT(m_open.empty(), "every block closed");
    return std::move(m_kernel);
}

} // namespace sw
