#include "engine/lowered/same_value.h"

#include "engine/base/assert.h"

#include <tuple>

namespace sw {

namespace {

// The binding names every field, so that a new one does not compile until somebody has decided whether it belongs here.
auto ownParts(const Instruction &of)
{
    const auto &[kind, op, dtype, lanes, operands, constants, elements, argument, low, high, bound, lane, copies, rows, special,
                 hint, isAligned, isWritten, name, source, axis, origin] = of;
    return std::tie(kind, op, dtype, lanes, constants, elements, argument, low, high, bound, lane, copies, rows, special, hint,
                    isAligned, isWritten, source, axis);
}

} // namespace

bool isSameOperation(const Instruction &a, const Instruction &b)
{
    return ownParts(a) == ownParts(b);
}

void addOperation(WordHasher &hasher, const Instruction &instruction)
{
    hasher.add(static_cast<std::uint64_t>(instruction.kind)).add(static_cast<std::uint64_t>(instruction.op));
    hasher.add(static_cast<std::uint64_t>(instruction.dtype)).add(std::uint64_t{instruction.lanes});
    for (const Scalar &constant : instruction.constants)
        hasher.add(constant.bits());
}

ValueBasis valueBasisOf(InstructionKind kind)
{
    switch (kind) {
    case InstructionKind::Const:
    case InstructionKind::Vconst:
    case InstructionKind::Special:
    case InstructionKind::Alu:
    case InstructionKind::Custom:
    case InstructionKind::Cast:
    case InstructionKind::Bitcast:
    case InstructionKind::Vectorize:
    case InstructionKind::Gep:
    case InstructionKind::Shuffle:
    case InstructionKind::Ptrcat:
    case InstructionKind::Wmma:
        return ValueBasis::Operands;
    case InstructionKind::Load:
    case InstructionKind::DefineVar:
    case InstructionKind::MaskedLoad:
        return ValueBasis::Memory;
    case InstructionKind::IndexCheck:
        return ValueBasis::Reported;
    case InstructionKind::DefineGlobal:
    case InstructionKind::Buffer:
    case InstructionKind::Local:
    case InstructionKind::Acc:
    case InstructionKind::Range:
    case InstructionKind::Unroll:
    case InstructionKind::EndRange:
    case InstructionKind::If:
    case InstructionKind::EndIf:
    case InstructionKind::Block:
    case InstructionKind::EndBlock:
    case InstructionKind::Barrier:
    case InstructionKind::Store:
    case InstructionKind::Prefetch:
    case InstructionKind::Assign:
    case InstructionKind::Noop:
        return ValueBasis::None;
    }
    SW_UNREACHABLE();
}

} // namespace sw
