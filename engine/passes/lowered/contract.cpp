#include "engine/passes/lowered/contract.h"

#include "engine/passes/lowered/kernel_pass.h"

#include <algorithm>

namespace sw {

namespace {

// How often each value is read; an accumulator counts as changing, so it is never folded away.
std::vector<std::uint32_t> usesOf(const LoweredKernel &kernel)
{
    std::vector<std::uint32_t> uses(kernel.instructions.size());
    for (const Instruction &instruction : kernel.instructions)
        for (const InstructionId operand : instruction.operands)
            ++uses[operand.value];
    return uses;
}

class Contraction {
public:
    Contraction(const LoweredKernel &kernel, PassContext &context)
        : m_kernel(kernel), m_context(context), m_uses(usesOf(kernel)), m_copier(kernel)
    {
    }

    std::optional<LoweredKernel> run()
    {
        for (std::size_t i = 0; i < m_kernel.instructions.size(); ++i) {
            const InstructionId id(i);
            if (!fuse(id))
                m_copier.keep(id);
        }
        return m_changed ? std::optional(m_copier.take()) : std::nullopt;
    }

private:
    bool fuse(InstructionId id)
    {
        const Instruction &sum = m_kernel.instruction(id);
        const bool isSum = sum.kind == InstructionKind::Alu && (sum.op == Op::Add || sum.op == Op::Sub);
        if (sum.kind == InstructionKind::Alu && sum.op == Op::Mulacc && isComputedFloat(sum) && m_context.mayRewrite()) {
            const std::vector<InstructionId> operands = m_copier.madeOperands(sum);
            replace("mulacc-to-fma", id, sum.origin, operands);
            return true;
        }
        if (!isSum || !isComputedFloat(sum))
            return false;
        for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
            const InstructionId productId = sum.operands[side];
            if (!isFoldable(productId) || !m_context.mayRewrite())
                continue;
            const Instruction &product = m_kernel.instruction(productId);
            std::vector<InstructionId> operands = m_copier.madeOperands(product);
            InstructionId rest = m_copier.made(sum.operands[1 - side]);
            LoweredBuilder &builder = m_copier.builder();
            const Origin origin = Origin::merged(sum.origin, product.origin);
            // a*b - c is fma(a, b, -c); c - a*b is fma(-a, b, c).
            if (sum.op == Op::Sub && side == 0)
                rest = builder.alu(origin, Op::Neg, {rest});
            else if (sum.op == Op::Sub)
                operands[0] = builder.alu(origin, Op::Neg, {operands[0]});
            operands.push_back(rest);
            replace("multiply-add-to-fma", id, origin, operands);
            return true;
        }
        return false;
    }

    static bool isComputedFloat(const Instruction &instruction)
    {
        return instruction.dtype == DType::F32 || instruction.dtype == DType::F64;
    }

    // The product stays behind unused until dead instructions are removed. It must not be computed from an accumulator that
    // changes between the product and the sum.
    bool isFoldable(InstructionId id) const
    {
        const Instruction &product = m_kernel.instruction(id);
        if (product.kind != InstructionKind::Alu || product.op != Op::Mul || m_uses[id.value] != 1)
            return false;
        return std::ranges::none_of(
            product.operands, [&](InstructionId operand) { return m_kernel.instruction(operand).kind == InstructionKind::Acc; });
    }

    void replace(std::string_view rule, InstructionId id, const Origin &origin, const std::vector<InstructionId> &operands)
    {
        const InstructionId first = m_copier.next();
        m_copier.replace(id, m_copier.builder().alu(origin, Op::Fma, operands));
        recordRewrite(m_context, rule, m_kernel, id, first, m_copier.next(), [&] { return aluText(m_kernel.instruction(id)); });
        m_changed = true;
    }

    const LoweredKernel &m_kernel;
    PassContext &m_context;
    std::vector<std::uint32_t> m_uses;
    KernelCopier m_copier;
    bool m_changed = false;
};

std::optional<LoweredKernel> contractKernel(const LoweredKernel &kernel, PassContext &context)
{
    return Contraction(kernel, context).run();
}

} // namespace

Result<std::optional<LoweredProgram>> contract(const LoweredProgram &program, PassContext &context)
{
    if (!context.options().contract)
        return std::optional<LoweredProgram>();
    return rewriteKernels(program, context, &contractKernel);
}

} // namespace sw
