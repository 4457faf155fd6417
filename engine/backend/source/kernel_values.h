#pragma once
// What every source renderer asks about a kernel: names, constants and index checks.

#include "engine/backend/backend.h"
#include "engine/base/checked_size.h"
#include "engine/lowered/lowered.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

// The names in a kernel's text depend only on what the kernel contains and where, never on the user's names. So kernels that do
// the same have the same text, and no name is a keyword of a language.

// The function that the text defines: "k_add_4_1f0c93d2".
[[nodiscard]] std::string entryPointOf(const LoweredKernel &kernel);

// By argument position: "out0" for the first argument that is written, "in0" for the first that is only read.
[[nodiscard]] std::vector<std::string> argumentNames(const LoweredKernel &kernel);

// One name per instruction, unique in the kernel and valid in C, OpenCL C and (after a %) LLVM IR: "in0", "acc1", "i0_o" for the
// loop over the axis i0.o, otherwise "v12".
[[nodiscard]] std::vector<std::string> generatedNames(const LoweredKernel &kernel);

// The value of an integer Const; nothing for other instructions.
[[nodiscard]] std::optional<std::int64_t> constantInteger(const LoweredKernel &kernel, InstructionId id);

// The IndexCheck instructions in order; an instruction's position in this list is the number of its fault record.
[[nodiscard]] std::vector<InstructionId> indexChecks(const LoweredKernel &kernel);

// An integer operation may use the plain spelling when its second operand is a constant other than 0 and -1.
[[nodiscard]] std::string_view aluSpelling(const LoweredKernel &kernel, const Instruction &alu, TargetLanguage language,
                                           DType operandType);

// Checks that the kernel needs no groups. Errors: Unsupported for Local or Barrier when a group has more than one work item;
// device is the target's name in the message.
[[nodiscard]] Result<Done> checkNeedsNoGroups(const LoweredKernel &kernel, std::string_view device);

// An instruction that an earlier pass should have rewritten into others: Unsupported.
[[nodiscard]] Diagnostic notWrittenOut(const LoweredKernel &kernel, const Instruction &instruction);

// The name of a Block in a form fit for a comment: one line that no backslash or trigraph continues.
[[nodiscard]] std::string commentText(std::string_view name);

// The bytes of memory of this kind that the kernel declares: per work item (Buffer) or per group (Local).
[[nodiscard]] CheckedSize scratchBytes(const LoweredKernel &kernel, InstructionKind kind);

// bytes: what one work item needs of the scratch memory. Errors: the device has less.
[[nodiscard]] Result<Done> checkScratchFits(const LoweredKernel &kernel, const DeviceInfo &device, CheckedSize bytes);

// The expression of a Custom with its operands filled in. Errors: it refers to an operand that does not exist.
[[nodiscard]] Result<std::string> customExpression(const Instruction &custom, std::span<const std::string> operands);

} // namespace sw
