#include "engine/lowered/uniform_values.h"

#include "engine/base/assert.h"

#include <algorithm>

namespace sw {

namespace {

// Along a dimension in which a group has one item, its items do not differ.
bool isOfGroup(SpecialIndex index, const LoweredKernel &kernel)
{
    const bool isOne = kernel.localSize.at(static_cast<std::size_t>(index) % 3) == 1;
    switch (index) {
    case SpecialIndex::GroupX:
    case SpecialIndex::GroupY:
    case SpecialIndex::GroupZ:
        return true;
    case SpecialIndex::GlobalX:
    case SpecialIndex::GlobalY:
    case SpecialIndex::GlobalZ:
    case SpecialIndex::LocalX:
    case SpecialIndex::LocalY:
    case SpecialIndex::LocalZ:
        return isOne;
    }
    SW_UNREACHABLE();
}

bool isUniform(const Instruction &instruction, const LoweredKernel &kernel, const std::vector<bool> &known)
{
    const auto areOperands = [&] {
        return std::ranges::all_of(instruction.operands,
                                   [&](InstructionId operand) { return operand.value < known.size() && known[operand.value]; });
    };
    switch (instruction.kind) {
    case InstructionKind::Const:
    case InstructionKind::Vconst:
        return true;
    case InstructionKind::DefineGlobal:
        return !instruction.isWritten;
    case InstructionKind::Special:
        return isOfGroup(instruction.special, kernel);
    case InstructionKind::Range:
    case InstructionKind::Unroll:
    case InstructionKind::Ptrcat:
    case InstructionKind::Load:
    case InstructionKind::DefineVar:
    case InstructionKind::MaskedLoad:
    case InstructionKind::Alu:
    case InstructionKind::Custom:
    case InstructionKind::Cast:
    case InstructionKind::Bitcast:
    case InstructionKind::Vectorize:
    case InstructionKind::Gep:
    case InstructionKind::Shuffle:
    case InstructionKind::Wmma:
    case InstructionKind::IndexCheck:
        return areOperands();
    case InstructionKind::Buffer:
    case InstructionKind::Local:
    case InstructionKind::Acc:
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
        return false;
    }
    SW_UNREACHABLE();
}

} // namespace

std::vector<bool> uniformValues(const LoweredKernel &kernel)
{
    const bool isAlone = std::ranges::all_of(kernel.localSize, [](std::int64_t size) { return size == 1; });
    std::vector<bool> known;
    known.reserve(kernel.instructions.size());
    for (const Instruction &instruction : kernel.instructions)
        known.push_back(isAlone || isUniform(instruction, kernel, known));
    return known;
}

} // namespace sw
