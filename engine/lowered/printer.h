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

#include <memory>
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
[[nodiscard]] LoweredText printLowered(const LoweredProgram &program, PrintOrigins origins = PrintOrigins::Shown);

// Prints the kernels of one body, without origins and without writing them out. They have most lines in common.
class SharedBodyPrinter {
public:
    struct Known;

    // kernel: one of those that have the body. The list must outlive the printer.
    SharedBodyPrinter(const KernelList &kernels, std::size_t kernel);
    ~SharedBodyPrinter();
    SharedBodyPrinter(const SharedBodyPrinter &) = delete;
    SharedBodyPrinter &operator=(const SharedBodyPrinter &) = delete;

    // The text of any of them; may be called by several threads.
    [[nodiscard]] LoweredText print(std::size_t kernel) const;

private:
    const KernelList &m_kernels;
    std::unique_ptr<Known> m_first;
};

} // namespace sw
