#pragma once
// The texts of a kernel as a person edits them: without what only its program knows, such as the number of the kernel and of its
// buffers, so that such a text still fits after an edit elsewhere in the program.

#include "engine/lowered/printer.h"

namespace sw {

// "f32[64], f32[64] written; global [64, 1, 1], local [1, 1, 1]": what a launch gives the kernel.
[[nodiscard]] std::string interfaceText(const LoweredKernel &kernel);

// The lowered instructions, without origins; named by the symbol, with arguments that count from 0.
[[nodiscard]] LoweredText editableText(const LoweredKernel &kernel);

// The line of each instruction, counted from 1: in the editable text, or in the text `given` that the kernel was read from,
// unless that is empty.
[[nodiscard]] std::vector<std::uint32_t> linesOfInstructions(const LoweredKernel &kernel, std::string_view given = {});

// Tells one text from another one: 16 hexadecimal digits.
[[nodiscard]] std::string textMark(std::string_view text);

// Reads an edited text in place of the kernel: what only the program knows is the kernel's, and so are the origins of lines that
// stayed or were changed in their places. Other lines are of the whole kernel. A text that begins as that of a whole program does
// (program_text.h) is read, too. Errors: as the parser's; several kernels; other arguments or dimensions. Places are lines of the
// text.
[[nodiscard]] Result<LoweredKernel> readEditedText(const LoweredKernel &kernel, std::string_view text);

} // namespace sw
