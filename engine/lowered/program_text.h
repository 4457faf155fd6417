#pragma once
// The text of a whole lowered program (.lowered): the device that it was compiled for, the values and buffers that its kernels
// share, then the kernels (see printer.h). With it a program runs as it would from its own text.
//
//   stepwell lowered 1
//   device "llvm"
//   buffers
//     %0 = placeholder {name = "x", role = input} : f32[4]
//     %1 = vconst {value = [1.0, 2.0, 3.0, 4.0]} : f32[4]
//     %2 = buffer : f32[4]
//     %3 = reshape %2 : f32[2, 2]
//     sink %3 {names = ["output"]}
//   end
//
//   kernel "k0_add" symbol ...
//
// The lines of buffers are those of a graph's text: placeholders (inputs, parameters with what they start as, dimensions),
// constants, and buffers that kernels write, by the numbers that the kernels' arguments use; reshapes give outputs their shapes.
// A text without this part holds kernels alone. For a program that moves one buffer to another (a copy with clone, several
// devices), lines "move %2 to %3" after the device say so, and "upload %2" where the host fills a buffer with a view of an input.
// People can read such a text, but opening it is refused, because it does not say when and how buffers are filled. A line
// "join %9 of %5 %7" says that others lie in a buffer, one after the other, and fill it. No kernel writes it, none reads it
// before all parts are written, and what is joined into another one stands before that.

#include "engine/graph/parser.h"
#include "engine/graph/printer.h"
#include "engine/lowered/lowered.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

// The device of a schedule whose kernels were read from a text: people write such kernels, for any device.
inline constexpr std::string_view kAnyDevice = "any";
[[nodiscard]] bool isFromText(const LoweredProgram &program);

// kernel: only this one, with what it reads as inputs and what it writes as outputs; invalid: all. Larger tensors than
// maxTensorBytes are left out, so that the text cannot be read back.
[[nodiscard]] std::string programText(const LoweredProgram &program, KernelId kernel = {}, TensorFiles *files = nullptr,
                                      std::int64_t maxTensorBytes = kAllBytes);

struct JoinLine {
    BufferId whole;
    std::vector<BufferId> parts;
    SourceRange place;
};

struct LoweredFrame {
    std::vector<std::string> devices; // one, except in the text of a program on several
    SourceRange devicesPlace;
    NumberedGraph buffers;            // its origins are lines of the graph's source map
    std::optional<SourceRange> moves; // the last line that says what fills a buffer
    std::vector<JoinLine> joins = {};
};

struct FramedText {
    std::optional<LoweredFrame> frame;
    std::string_view kernels; // the rest of the text
    std::uint32_t firstLine = 1;
};

[[nodiscard]] Result<FramedText> readFrame(std::string_view text, const std::string &fileName);

} // namespace sw
