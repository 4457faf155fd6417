#pragma once
// What the passes over lowered programs share: going through the kernels, and copying a kernel instruction by instruction while
// some are replaced.

#include "engine/lowered/builder.h"
#include "engine/passes/kernel_memo.h"
#include "engine/passes/pass_context.h"

#include <optional>
#include <vector>

namespace sw {

// Kernels that share a body are rewritten together, and what the context's memo knows is taken from there.
[[nodiscard]] Result<std::optional<LoweredProgram>> rewriteKernels(const LoweredProgram &program, PassContext &context,
                                                                   KernelPass pass);

// Copies a kernel in order. Every instruction of the source is kept, replaced by a value made before, or dropped.
class KernelCopier {
public:
    explicit KernelCopier(const LoweredKernel &source);

    // Copies the instruction with its operands as they are now.
    InstructionId keep(InstructionId old);
    // Later uses of `old` become uses of `made`, a value of the new kernel.
    void replace(InstructionId old, InstructionId made) { m_made[old.value] = made; }

    [[nodiscard]] InstructionId made(InstructionId old) const { return m_made[old.value]; }
    [[nodiscard]] std::vector<InstructionId> madeOperands(const Instruction &old) const;
    [[nodiscard]] LoweredBuilder &builder() { return m_builder; }
    [[nodiscard]] InstructionId next() const { return InstructionId(m_builder.kernel().instructions.size()); }
    [[nodiscard]] LoweredKernel take() { return m_builder.take(); }

private:
    const LoweredKernel &m_source;
    LoweredBuilder m_builder;
    std::vector<InstructionId> m_made; // by instruction of the source
};

// Records a rewrite of the instruction `old` into the new ones from `first` to `end`. `text` makes its text, when it is told.
template <class Text>
void recordRewrite(PassContext &context, std::string_view rule, const LoweredKernel &kernel, InstructionId old,
                   InstructionId first, InstructionId end, Text &&text)
{
    context.record(rule, kernel.kernel, [&] {
        RewriteDetail detail{text(), {old.value}};
        for (std::uint32_t i = first.value; i < end.value; ++i)
            detail.after.push_back(i);
        return detail;
    });
}

// "exp f32x16"
[[nodiscard]] std::string aluText(const Instruction &alu);
// aluText, or the name of the instruction's kind.
[[nodiscard]] std::string instructionText(const Instruction &instruction);

} // namespace sw
