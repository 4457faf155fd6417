#pragma once
// Machine code as a compiler's backend shows it: instructions with their places in the source, and what the processor's
// description says about each one. Nothing here needs a compiler, so it can be sent to another process and analysed there
// (engine/backend/machine).

#include "engine/lowered/lowered.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

// Where a line of generated source, or a machine instruction, came from.
enum class CodeTag : std::uint8_t {
    Instruction,       // made for a lowered instruction
    Frame,             // prologue, epilogue, braces, declarations, prelude
    AddressArithmetic, // made by the compiler for indexing
    Spill,             // saves or restores a register
    Compiler,          // other work of the compiler: constants, padding
};
[[nodiscard]] std::string_view nameOf(CodeTag tag);

struct SourceLine {
    CodeTag tag = CodeTag::Frame;
    InstructionId instruction; // valid when tag is Instruction
};

// What runs after an instruction.
enum class MachineFlow : std::uint8_t {
    Next,   // the instruction behind it
    Jump,   // its target
    Branch, // its target or the instruction behind it
    Call,   // a function that comes back
    Leave,  // nothing in this kernel: a return, a trap, a jump elsewhere
};

enum class RegisterKind : std::uint8_t { General, Vector, Mask, Scalar, Other };
inline constexpr std::size_t kRegisterKinds = 5;
[[nodiscard]] std::string_view nameOf(RegisterKind kind); // "general"; Scalar: floating-point registers that are no vectors

// A part of a register that is read and written on its own: "al" and "ah" are two parts of "rax".
struct RegisterUnit {
    std::string name;        // of the widest register that it is a part of: "zmm3"
    std::uint16_t whole = 0; // the first unit of that register
    RegisterKind kind = RegisterKind::Other;
};

// What the processor's scheduling model says about an instruction. All are 0 when there is no model.
struct InstructionCost {
    std::uint32_t microOps = 0;
    std::uint32_t latency = 0; // cycles from its operands to its result
    double cycles = 0;         // that it keeps its busiest port occupied: its reciprocal throughput
};

struct MachineInstruction {
    std::uint64_t address = 0; // from the entry point
    std::vector<std::uint8_t> bytes = {};
    std::string text = {};        // "vaddps zmm0, zmm0, zmmword ptr [rsi + rax]"
    std::uint32_t sourceLine = 0; // line of the rendered text, counted from 1; 0: none
    CodeTag tag = CodeTag::Compiler;
    bool isInferred = false;  // the compiler gave no line; sourceLine is the line that the instruction works for
    std::uint64_t target = 0; // address that a jump inside the kernel goes to; see hasTarget()
    MachineFlow flow = MachineFlow::Next;
    bool isLoad = false;
    bool isStore = false;
    std::vector<std::uint16_t> reads = {}; // units of MachineCode::units, implicit ones too
    std::vector<std::uint16_t> writes = {};
    std::uint64_t form = 0; // equal for instructions that differ in registers and displacements only; 0: not known
    InstructionCost cost = {};

    [[nodiscard]] bool hasTarget() const { return flow == MachineFlow::Jump || flow == MachineFlow::Branch; }
};

// How many registers of a kind the processor has, and what they are called: 32 "zmm".
struct RegisterFile {
    RegisterKind kind = RegisterKind::Other;
    std::uint32_t count = 0;
    std::string name = {};
};

// What keeps a loop from running faster.
enum class Bottleneck : std::uint8_t {
    FrontEnd,  // so many micro-operations begin per cycle and no more
    Port,      // an execution unit is busy all the time
    Registers, // results that are not ready yet
    Memory,    // loads that wait for stores
};
[[nodiscard]] std::string_view nameOf(Bottleneck bottleneck);

struct PortUse {
    std::string name;  // "SPRPort00"
    double cycles = 0; // per round
};

// What the static analyser says about instructions that run again and again, with every access in the nearest cache.
struct Throughput {
    std::uint32_t first = 0; // index of the first instruction of the loop; its last one is `last`
    std::uint32_t last = 0;
    std::uint32_t rounds = 0; // that were simulated
    double cycles = 0;        // per round, as all below
    double microOps = 0;
    std::uint32_t width = 0; // micro-operations that may begin per cycle
    std::vector<PortUse> ports = {};
    Bottleneck bottleneck = Bottleneck::FrontEnd;
    std::vector<std::string> busiest = {};   // Port: which
    std::vector<std::uint32_t> waiting = {}; // Registers, Memory: the instructions that wait longest, by index
    std::string problem = {};                // why there is no analysis; empty: there is one
};

struct MachineCode {
    std::string target = {}; // "x86_64, sapphirerapids"
    std::vector<MachineInstruction> instructions = {};
    std::vector<RegisterUnit> units = {};
    std::vector<RegisterFile> registers = {};
    std::vector<Throughput> throughputs = {}; // of the innermost loops, or of the whole kernel when it has none

    [[nodiscard]] bool empty() const { return instructions.empty(); }
    [[nodiscard]] std::size_t size() const { return instructions.size(); }
    [[nodiscard]] auto begin() const { return instructions.begin(); }
    [[nodiscard]] auto end() const { return instructions.end(); }
    [[nodiscard]] const MachineInstruction &front() const { return instructions.front(); }
};

} // namespace sw
