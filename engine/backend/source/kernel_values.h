#pragma once
// What every renderer of source asks of a kernel: names, constants, and the checks of indices.

#include "engine/backend/backend.h"
#include "engine/base/checked_size.h"
#include "engine/lowered/lowered.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

// The names that a kernel's text is made of follow from what is in the kernel and where, never from what the user calls things:
// kernels that do the same have the same text, and no name is a word of a language.

// The function that the text defines: "k_add_4_1f0c93d2".
[[nodiscard]] std::string entryPointOf(const LoweredKernel &kernel);

// By argument position: "out0" for the first that is written, "in0" for the first that is only read.
[[nodiscard]] std::vector<std::string> argumentNames(const LoweredKernel &kernel);

// A name per instruction, unique in the kernel and valid in C, OpenCL C and (behind a %) LLVM IR: "in0", "acc1", "i0_o" for the
// loop over the axis i0.o, else "v12".
[[nodiscard]] std::vector<std::string> generatedNames(const LoweredKernel &kernel);

// The value of an integer Const; nothing for other instructions.
[[nodiscard]] std::optional<std::int64_t> constantInteger(const LoweredKernel &kernel, InstructionId id);

// The IndexCheck instructions in order: the place in this list is the number of the fault record that they write.
[[nodiscard]] std::vector<InstructionId> indexChecks(const LoweredKernel &kernel);

// An integer operation whose second operand is a constant that is neither 0 nor -1 may use the plain spelling.
[[nodiscard]] std::string_view aluSpelling(const LoweredKernel &kernel, const Instruction &alu, TargetLanguage language,
                                           DType operandType);

// The buffers and accumulators of a kernel that needs no groups: Unsupported for Local, Barrier with more than one work item
// per group, where device is what to call the target in the message.
[[nodiscard]] Result<Done> checkNeedsNoGroups(const LoweredKernel &kernel, std::string_view device);

// An instruction that a pass before writes as others: Unsupported.
[[nodiscard]] Diagnostic notWrittenOut(const LoweredKernel &kernel, const Instruction &instruction);

// The name of a Block as a comment holds it: one line, which no backslash or trigraph continues.
[[nodiscard]] std::string commentText(std::string_view name);

// Bytes of the memory of a kind that the kernel makes: of one work item (Buffer) or of a group (Local).
[[nodiscard]] CheckedSize scratchBytes(const LoweredKernel &kernel, InstructionKind kind);

// bytes: what one work item takes of the memory that holds scratch. Errors: the device has less.
[[nodiscard]] Result<Done> checkScratchFits(const LoweredKernel &kernel, const DeviceInfo &device, CheckedSize bytes);

// The expression of a Custom with its operands in place. Errors: a place for which there is no operand.
[[nodiscard]] Result<std::string> customExpression(const Instruction &custom, std::span<const std::string> operands);

} // namespace sw
