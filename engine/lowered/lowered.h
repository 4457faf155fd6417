#pragma once
// The lowered form: one linear list of instructions per kernel, in execution order, with structured loops and ifs. SSA but for
// accumulators (Acc), which Assign changes. A value has an element type and a number of lanes. Indices are i64 in elements.
//
// A kernel runs for every work item; Special(global_x) tells which. globalSize is the number of work items in each dimension.
//
// Memory (DefineGlobal, Buffer, Local) is named by operands in memory positions only, and is made outside of every loop and if.
// A value is visible to the end of the innermost Range, Unroll or If that it is made in. An operand that names an Acc stands for
// the Acc's value at that point. An instruction's operands have as many lanes as it, except indices, memory and where
// instruction_kinds.def says otherwise.

#include "engine/base/short_list.h"
#include "engine/lowered/kernel_list.h"
#include "engine/schedule/schedule.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace sw {

inline constexpr std::size_t kAnyOperands = std::numeric_limits<std::size_t>::max();

inline constexpr std::int64_t kMemoryAlignment = 64; // bytes; the address of any memory is a multiple of this

// As many of a vector's lanes as begin at an address that can be promised.
[[nodiscard]] inline std::int64_t alignedLanes(DType dtype, std::uint32_t lanes)
{
    return std::min<std::int64_t>(lanes, kMemoryAlignment / std::max<std::int64_t>(bytesOf(dtype), 1));
}

enum class InstructionKind : std::uint8_t {
#define SW_INSTRUCTION(kind, ...) kind,
#include "engine/lowered/instruction_kinds.def"
#undef SW_INSTRUCTION
};

struct InstructionKindInfo {
    std::string_view name = {};
    std::size_t operands = 0;
    bool makesValue = false;
    std::string_view doc = {};
};

[[nodiscard]] const InstructionKindInfo &infoOf(InstructionKind kind);
[[nodiscard]] std::span<const InstructionKind> allInstructionKinds();
[[nodiscard]] inline std::string_view nameOf(InstructionKind kind)
{
    return infoOf(kind).name;
}

enum class SpecialIndex : std::uint8_t { GlobalX, GlobalY, GlobalZ, LocalX, LocalY, LocalZ, GroupX, GroupY, GroupZ };
[[nodiscard]] std::string_view nameOf(SpecialIndex index); // "global_x"

// How a store should treat the caches; NonTemporal needs an address aligned to the vector's size, which the runtime's buffers
// and the index give where the loop stage asks for it.
enum class MemoryHint : std::uint8_t { None, NonTemporal };

struct Instruction {
    InstructionKind kind = InstructionKind::Noop;
    Op op = Op::Add;                           // Alu
    DType dtype = DType::I64;                  // of the value made; of memory: of its elements; of Store, Assign: of the value
    std::uint32_t lanes = 1;                   // of the value made or stored
    ShortList<InstructionId, 4> operands = {}; // instructions are copied in each pass, and few have more
    ShortList<Scalar, 1> constants = {};       // Const: one. Vconst: one per lane. Shuffle: see lanesPickedBy
    std::int64_t elements = 0;                 // DefineGlobal, Buffer, Local: how many the memory has
    std::uint32_t argument = 0;                // DefineGlobal: its position among the kernel's arguments
    std::int64_t low = 0;                      // DefineVar: the lowest value
    std::int64_t high = 0;                     // DefineVar: the highest value
    std::int64_t bound = 0;                    // IndexCheck: the index is below it, and not negative
    std::uint32_t lane = 0;                    // Gep: which of the operand's lanes
    std::uint32_t copies = 0;                  // Unroll: of the body
    std::uint32_t rows = 0;                    // Wmma: of the result
    SpecialIndex special = SpecialIndex::GlobalX;
    MemoryHint hint = MemoryHint::None;
    bool isAligned = false; // Load, Store with lanes > 1: the index is a multiple of alignedLanes, not only of one
    bool isWritten = false; // DefineGlobal: the kernel stores to it (else it only loads, and nothing else writes it meanwhile)
    std::string name =
        {}; // DefineGlobal, DefineVar, Range, Acc, Buffer, Block, Custom: for people and generated code; may be empty
    std::string source = {}; // Custom: the expression
    std::int32_t axis = -1;  // IndexCheck: the axis that is indexed, for the report
    Origin origin;

    bool operator==(const Instruction &) const = default;
};

// Shuffle: which lane of its two operands, one after the other, each lane is.
[[nodiscard]] std::vector<std::uint32_t> lanesPickedBy(const Instruction &shuffle);

struct LoweredKernel {
    KernelId kernel;
    std::string name;   // as ScheduledKernel::name
    std::string symbol; // the entry point
    std::vector<Instruction> instructions;
    std::vector<BufferId> arguments; // of DefineGlobal 0, 1, ...
    std::array<std::int64_t, 3> globalSize{1, 1, 1};
    std::array<std::int64_t, 3> localSize{1, 1, 1}; // divides globalSize
    Origin origin;
    DeviceSlot device = DeviceSlot(0U); // as ScheduledKernel::device

    [[nodiscard]] const Instruction &instruction(InstructionId id) const { return instructions.at(id.value); }
    bool operator==(const LoweredKernel &) const = default;
};

// What became of the text that a person gave for a kernel (an override of code).
struct KernelEdit {
    std::uint32_t override = 0; // its place in the list
    KernelId kernel = {};       // invalid: it found none
    OverrideOutcome outcome = {};
    Diagnostics problems = {}; // in the given text, whose lines count from 1
};

struct LoweredProgram {
    SchedulePtr schedule;
    KernelList kernels;                 // by KernelId
    std::vector<KernelEdit> edits = {}; // of lowered texts
};

// An index of Gather or Index that was out of range during a launch. Nothing was read for it.
struct IndexFault {
    InstructionId instruction; // the IndexCheck
    std::int64_t index = 0;    // the first that was found
    std::int64_t count = 0;
};

using LoweredProgramPtr = std::shared_ptr<const LoweredProgram>;

} // namespace sw
