#pragma once
// The canonical text of lowered kernels (.lowered); parser.h reads it back to the same kernels.
//
//   kernel "k0_add" symbol "add_16" id 0 global [1, 1, 1] local [1, 1, 1] arguments [0, 1] from 0
//     %x = define_global f32[16] argument 0 from 1
//     %y = define_global f32[16] argument 1 written from 1
//     %2 = const i64 16 from 2
//     %i = range %2 unroll 4 from 2
//       %4 = load f32 %x[%i] from 2
//       %5 = add f32 %4, %4 from 2
//       store f32 %y[%i], %5 from 2
//     end_range %i from 2
//   end
//
// A value is written by its name if that is an identifier that no other value of the kernel has, else by its number.

#include "engine/lowered/lowered.h"

#include <string>
#include <vector>

namespace sw {

struct LoweredText {
    std::string text;
    std::vector<InstructionId> lineInstructions; // one per line; invalid for the kernel's first and last line
    std::vector<KernelId> lineKernels;           // one per line; invalid for the empty lines between kernels
};

// Hidden leaves out the "from" at the end of the lines, for people and goldens.
enum class PrintOrigins : std::uint8_t { Shown, Hidden };

[[nodiscard]] LoweredText printLowered(const LoweredKernel &kernel, PrintOrigins origins = PrintOrigins::Shown);
// A kernel of the program, without origins, and without writing it out where it shares its body.
[[nodiscard]] LoweredText printLowered(const KernelList &kernels, std::size_t kernel);
[[nodiscard]] LoweredText printLowered(const LoweredProgram &program, PrintOrigins origins = PrintOrigins::Shown);

// What the text calls each value, without the '%': by instruction.
[[nodiscard]] std::vector<std::string> valueNames(const LoweredKernel &kernel);

} // namespace sw
