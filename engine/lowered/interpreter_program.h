#pragma once
// The form that a kernel is prepared in before the interpreter runs it. Private to the interpreter.

#include "engine/lowered/interpreter.h"
#include "engine/lowered/lane_functions.h"

#include <string>

namespace sw {

enum class StepKind : std::uint8_t {
    Compute,
    Special,
    LoopBegin,
    LoopEnd,
    If,
    Load,
    MaskedLoad,
    Store,
    IndexCheck,
    Barrier,
};

struct Step {
    StepKind kind = StepKind::Compute;
    bool isTraced = false;
    bool hasLaneMask = false; // MaskedLoad: a condition per lane
    bool startsInstruction = false;
    SpecialIndex special = SpecialIndex::GlobalX;
    LaneFunction compute = nullptr;
    LaneStep lanes;                // Load: operands index, valid, otherwise. Store: index, value. Loops: extent
    std::uint32_t memory = 0;      // Load, Store: which of InterpreterProgram::memories
    std::uint32_t target = 0;      // LoopBegin, If: the step after the block. LoopEnd: the first step of the body
    std::uint32_t counter = 0;     // LoopBegin, LoopEnd: place of the counter; the extent lies in the next eight bytes
    std::uint32_t fault = 0;       // IndexCheck: position in the list of faults
    std::int64_t bound = 0;        // IndexCheck
    std::uint32_t traceResult = 0; // place and lanes of the whole value; a copy may fill only one lane
    std::uint32_t traceLanes = 1;
    InstructionId instruction;
};

enum class MemoryKind : std::uint8_t { Argument, Scratch, Shared };

struct MemoryPlan {
    MemoryKind kind = MemoryKind::Argument;
    DType dtype = DType::F32;
    std::int64_t elements = 0;
    std::size_t position = 0; // Argument: of the argument. Others: byte offset into the scratch or shared memory
    std::string name;
    InstructionId instruction = {};
};

struct InterpreterProgram {
    std::string name;
    std::vector<Step> steps;
    std::vector<MemoryPlan> memories;
    std::vector<std::byte> frame;      // of one work item, with the constants in place
    std::vector<std::uint32_t> places; // by instruction: byte offset of its value in the frame
    std::size_t scratchBytes = 0;
    std::size_t sharedBytes = 0;
    std::size_t argumentCount = 0;
    bool hasBarriers = false;
    std::vector<InstructionId> checks;                    // IndexCheck instructions, by Step::fault
    std::vector<std::vector<std::uint32_t>> openCounters; // by step: places of the counters around it
};

// The kernel must have passed the verifier.
[[nodiscard]] Result<std::unique_ptr<const InterpreterProgram>> prepareProgram(const LoweredKernel &kernel);

} // namespace sw
