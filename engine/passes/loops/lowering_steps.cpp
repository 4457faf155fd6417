#include "engine/passes/loops/lowering_steps.h"

#include "engine/base/assert.h"

#include <array>

namespace sw {

namespace {

constexpr std::array kRules{
    StepRule{"memory", "A buffer that the kernel reads or writes, or memory of its own, gets a name."},
    StepRule{"open-block", "A loop, a condition or a rest begins; what follows stands inside of it."},
    StepRule{"close-block", "The innermost open loop, condition or rest ends."},
    StepRule{"load", "The elements of a vector, or one element, are read from memory."},
    StepRule{kComputeStep, "An operation is written for one element, for the lanes of a vector, or for an index."},
    StepRule{"check-index", "An index that the program computes is compared with the extent before memory is touched."},
    StepRule{"start-reduction", "An accumulator is made for the reduction; each step of the loop goes into it."},
    StepRule{"accumulate", "The accumulator takes its new value."},
    StepRule{"store", "A result is written to its buffer."},
    StepRule{"wait", "The work items of a group wait for each other, so that they see what the others stored."},
    StepRule{"same-body", "The kernel's loops are those of an earlier kernel, so that both share one list of instructions."},
};

} // namespace

std::span<const StepRule> loweringStepRules()
{
    return kRules;
}

std::string_view loweringStepOf(InstructionKind kind)
{
    switch (kind) {
    case InstructionKind::DefineGlobal:
    case InstructionKind::Buffer:
    case InstructionKind::Local:
        return "memory";
    case InstructionKind::Range:
    case InstructionKind::Unroll:
    case InstructionKind::If:
    case InstructionKind::Block:
        return "open-block";
    case InstructionKind::EndRange:
    case InstructionKind::EndIf:
    case InstructionKind::EndBlock:
        return "close-block";
    case InstructionKind::Load:
    case InstructionKind::MaskedLoad:
    case InstructionKind::DefineVar:
        return "load";
    case InstructionKind::Alu:
    case InstructionKind::Custom:
    case InstructionKind::Wmma:
        return kComputeStep;
    case InstructionKind::IndexCheck:
        return "check-index";
    case InstructionKind::Acc:
        return "start-reduction";
    case InstructionKind::Assign:
        return "accumulate";
    case InstructionKind::Store:
        return "store";
    case InstructionKind::Prefetch:
        return "prefetch";
    case InstructionKind::Barrier:
        return "wait";
    case InstructionKind::Const:
    case InstructionKind::Vconst:
    case InstructionKind::Special:
    case InstructionKind::Cast:
    case InstructionKind::Bitcast:
    case InstructionKind::Vectorize:
    case InstructionKind::Gep:
    case InstructionKind::Shuffle:
    case InstructionKind::Ptrcat:
    case InstructionKind::Noop:
        return {};
    }
    SW_UNREACHABLE();
}

} // namespace sw
