#include "engine/passes/lowered/simplify_rules.h"

#include "engine/lowered/type_rules.h"

#include <algorithm>
#include <array>

namespace sw {

namespace {

using Made = std::optional<InstructionId>;

constexpr int kMaxDepth = 6;

const Scalar *constantOf(const Instruction &instruction)
{
    return instruction.kind == InstructionKind::Const ? &instruction.constants.front() : nullptr;
}

bool isAlu(const Instruction &instruction)
{
    return instruction.kind == InstructionKind::Alu;
}

// Operations that devices may compute with an error are not folded: the value would depend on where it is made.
Made foldConstants(Simplifier &simplifier, const Instruction &instruction)
{
    if (!isAlu(instruction) || has(infoOf(instruction.op).traits, Trait::Transcendental))
        return std::nullopt;
    std::vector<Scalar> operands;
    for (const InstructionId operand : instruction.operands) {
        const Scalar *constant = constantOf(simplifier.at(operand));
        if (constant == nullptr)
            return std::nullopt;
        operands.push_back(*constant);
    }
    const DType type = operands[firstTypedOperand(instruction.op)].dtype();
    return simplifier.constant(instruction, evaluate(instruction.op, type, operands));
}

Made foldConversions(Simplifier &simplifier, const Instruction &instruction)
{
    if (instruction.kind != InstructionKind::Cast && instruction.kind != InstructionKind::Bitcast)
        return std::nullopt;
    const Scalar *constant = constantOf(simplifier.operand(instruction, 0));
    if (constant == nullptr)
        return std::nullopt;
    const DType dtype = instruction.dtype;
    return simplifier.constant(instruction, instruction.kind == InstructionKind::Cast
                                                ? constant->castTo(dtype)
                                                : Scalar::fromBits(dtype, constant->bits()));
}

// The vector whose lanes were all taken out and packed again in order.
Made wholeVector(Simplifier &simplifier, const Instruction &instruction)
{
    if (instruction.kind != InstructionKind::Vectorize || instruction.operands.size() < 2)
        return std::nullopt;
    const InstructionId vector = simplifier.operand(instruction, 0).operands.empty()
                                     ? InstructionId()
                                     : simplifier.operand(instruction, 0).operands.front();
    for (std::size_t lane = 0; lane < instruction.operands.size(); ++lane) {
        const Instruction &taken = simplifier.operand(instruction, lane);
        if (taken.kind != InstructionKind::Gep || taken.operands.front() != vector || taken.lane != lane)
            return std::nullopt;
    }
    return simplifier.at(vector).lanes == instruction.lanes ? simplifier.stable(vector) : std::nullopt;
}

Made foldVectors(Simplifier &simplifier, const Instruction &instruction)
{
    if (instruction.kind == InstructionKind::Vectorize && instruction.operands.size() == 1) {
        const Scalar *constant = constantOf(simplifier.operand(instruction, 0));
        return constant != nullptr ? Made(simplifier.constant(instruction, *constant)) : std::nullopt;
    }
    if (const auto whole = wholeVector(simplifier, instruction))
        return whole;
    if (instruction.kind != InstructionKind::Gep)
        return std::nullopt;
    const Instruction &vector = simplifier.operand(instruction, 0);
    const auto lane = std::size_t{instruction.lane};
    if (vector.kind == InstructionKind::Const)
        return simplifier.constant(instruction, vector.constants.front());
    if (vector.kind == InstructionKind::Vconst)
        return simplifier.constant(instruction, vector.constants[lane]);
    if (vector.kind == InstructionKind::Vectorize)
        return simplifier.stable(vector.operands[vector.operands.size() == 1 ? 0 : lane]);
    return std::nullopt;
}

// Whether every value of `from` survives the way to `to` and back.
bool holdsAll(DType from, DType to)
{
    if (isStorageOnly(from))
        return to == DType::F32 || to == DType::F64;
    if (isFloat(from))
        return from == DType::F32 && to == DType::F64;
    if (!isInteger(from) || !isInteger(to))
        return false;
    return isSigned(from) == isSigned(to) ? bytesOf(to) >= bytesOf(from) : isSigned(to) && bytesOf(to) > bytesOf(from);
}

Made dropRoundTrip(Simplifier &simplifier, const Instruction &instruction)
{
    if (instruction.kind != InstructionKind::Cast)
        return std::nullopt;
    const Instruction &inner = simplifier.operand(instruction, 0);
    if (inner.kind != InstructionKind::Cast || simplifier.operand(inner, 0).dtype != instruction.dtype ||
        !holdsAll(instruction.dtype, inner.dtype))
        return std::nullopt;
    return simplifier.stable(inner.operands[0]);
}

Made dropIdentity(Simplifier &simplifier, const Instruction &instruction)
{
    if (!isAlu(instruction) || instruction.operands.size() != 2 || infoOf(instruction.op).result == OpResult::Bool)
        return std::nullopt;
    for (const Side side : {Side::Right, Side::Left}) {
        const std::optional<Scalar> neutral = neutralOf(instruction.op, side, instruction.dtype);
        const std::size_t position = side == Side::Left ? 0 : 1;
        const Scalar *constant = constantOf(simplifier.operand(instruction, position));
        if (neutral && constant != nullptr && *constant == *neutral)
            return simplifier.stable(instruction.operands[1 - position]);
    }
    return std::nullopt;
}

Made makeChoices(Simplifier &simplifier, const Instruction &instruction)
{
    if (!isAlu(instruction) || instruction.op != Op::Where)
        return std::nullopt;
    if (instruction.operands[1] == instruction.operands[2])
        return simplifier.stable(instruction.operands[1]);
    const Scalar *condition = constantOf(simplifier.operand(instruction, 0));
    return condition != nullptr ? simplifier.stable(instruction.operands[condition->asBool() ? 1 : 2]) : std::nullopt;
}

Made decideLogic(Simplifier &simplifier, const Instruction &instruction)
{
    if (!isAlu(instruction) || instruction.dtype != DType::Bool || (instruction.op != Op::And && instruction.op != Op::Or))
        return std::nullopt;
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        const Scalar *constant = constantOf(simplifier.operand(instruction, side));
        if (constant == nullptr)
            continue;
        const bool decides = constant->asBool() == (instruction.op == Op::Or);
        return decides ? simplifier.stable(instruction.operands[side]) : simplifier.stable(instruction.operands[1 - side]);
    }
    return std::nullopt;
}

Made openMasks(Simplifier &simplifier, const Instruction &instruction)
{
    if (instruction.kind != InstructionKind::MaskedLoad)
        return std::nullopt;
    const Scalar *valid = constantOf(simplifier.operand(instruction, 2));
    if (valid == nullptr)
        return std::nullopt;
    if (!valid->asBool())
        return simplifier.stable(instruction.operands[3]);
    Instruction load = instruction;
    load.kind = InstructionKind::Load;
    load.operands.shorten(2);
    return simplifier.builder().add(std::move(load));
}

constexpr std::array kRules = {
    SimplificationRule{"fold-constants", "Evaluates operations on constants.", &foldConstants},
    SimplificationRule{"fold-conversions", "Converts constants.", &foldConversions},
    SimplificationRule{"fold-vectors", "Takes lanes of what was just packed, and packs constants.", &foldVectors},
    SimplificationRule{"drop-round-trip", "A conversion to a type that holds every value, and back, changes nothing.",
                       &dropRoundTrip},
    SimplificationRule{"drop-identity", "x + 0, x * 1, x / 1 and their like are x.", &dropIdentity},
    SimplificationRule{"make-choice", "A choice with a known or no difference is made.", &makeChoices},
    SimplificationRule{"decide-logic", "and, or with a constant.", &decideLogic},
    SimplificationRule{"open-mask", "A masked load whose condition is known.", &openMasks},
};

} // namespace

bool Simplifier::hasStableOperands(const Instruction &instruction) const
{
    return std::ranges::all_of(instruction.operands, [this](InstructionId id) { return isStable(id); });
}

InstructionId Simplifier::constant(const Instruction &like, const Scalar &value)
{
    return m_builder.constant(Origin(like.origin), value, like.lanes);
}

InstructionId Simplifier::integer(const Instruction &like, std::int64_t value)
{
    return constant(like, Scalar::of(like.dtype, value));
}

InstructionId Simplifier::alu(const Instruction &like, Op op, InstructionId a, InstructionId b)
{
    Instruction wanted{.kind = InstructionKind::Alu, .op = op, .dtype = like.dtype, .lanes = like.lanes, .origin = like.origin};
    wanted.operands = {a, b};
    if (m_depth < kMaxDepth) {
        ++m_depth;
        for (const auto rules : {constantRules(), integerRules()})
            for (const SimplificationRule &rule : rules)
                if (const Made made = rule.apply(*this, wanted)) {
                    --m_depth;
                    return *made;
                }
        --m_depth;
    }
    return m_builder.add(std::move(wanted));
}

std::span<const SimplificationRule> constantRules()
{
    return kRules;
}

} // namespace sw
