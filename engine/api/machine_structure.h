#pragma once
// What the lines of machine code have besides their text: loops, jumps, written-out copies and the registers in use. Lines are
// indices into StageDocument::lines.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace sw {

struct MachineLoopLines {
    std::uint32_t kernel = 0;
    std::uint32_t header = 0; // the line that each round begins with
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::uint32_t depth = 0;   // 0: in no other loop
    std::uint32_t rank = 0;    // among the loops of its kernel, 0: the hottest
    std::string name;          // "1.2"
    std::string summary;       // "loop 1.2: 12 instructions, 256 rounds per work item"
    std::string throughput;    // "4.02 cycles per round, ..."; empty: not simulated
    double cyclesPerRound = 0; // 0: not simulated
    std::int64_t rounds = 0;   // in one launch, of all work items; 0: not known
};

struct MachineJump {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint32_t loop = ~std::uint32_t{0}; // the loop that it goes round in; none: it leads on
    std::uint32_t lane = 0;                 // 0 is next to the text; arrows of one lane do not overlap
};

struct MachineCopyLines {
    std::uint32_t first = 0;
    std::uint32_t length = 0; // lines of one copy
    std::uint32_t count = 0;
    std::string summary; // "x 8, 3 instructions, 4 registers each"
};

struct MachineLineFacts {
    std::array<std::uint16_t, 4> live{}; // registers in use: general, vector, mask, scalar
    std::string bytes;                   // "62 f1 7c 48 58 c0"
};

struct MachineKernelLines {
    std::uint32_t first = 0; // its heading
    std::uint32_t last = 0;
    std::string target;
    std::string registers; // "28 of 32 zmm, 12 of 16 general"
    std::string whole;     // the throughput of a kernel without loops
};

struct MachineStructure {
    std::vector<MachineKernelLines> kernels; // that are read
    std::vector<MachineLoopLines> loops;     // outer loops before inner ones, kernel after kernel
    std::vector<std::uint32_t> byHeat;       // indices of loops: kernel after kernel, the hottest first
    std::vector<MachineJump> jumps;
    std::vector<MachineCopyLines> copies; // sorted, apart from each other
    std::vector<MachineLineFacts> lines;  // by line of the document
    std::uint32_t lanes = 0;              // that the jumps need
};

} // namespace sw
