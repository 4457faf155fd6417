#include "engine/passes/lowered/kernel_pass.h"

#include "engine/base/parallel.h"
#include "engine/lowered/type_rules.h"
#include "engine/passes/counted_rewrites.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace sw {

namespace {

LoweredKernel frameOf(const LoweredKernel &kernel)
{
    std::vector<Instruction> instructions;
    instructions.reserve(kernel.instructions.size() + kernel.instructions.size() / 8); // few passes make more
    return {.kernel = kernel.kernel,
            .name = kernel.name,
            .symbol = kernel.symbol,
            .instructions = std::move(instructions),
            .arguments = kernel.arguments,
            .globalSize = kernel.globalSize,
            .localSize = kernel.localSize,
            .origin = kernel.origin,
            .device = kernel.device};
}

// Threads gain nothing on less.
constexpr std::size_t kWorthThreads = 5000; // instructions

// What the pass made of a body, and the rewrites that it counted.
struct Rewritten {
    KernelList::Body body; // null: nothing
    RewriteLog log;
};

std::vector<Rewritten> rewrittenAlone(std::span<const KernelList::Body> bodies, const PassContext &context, KernelPass pass)
{
    std::vector<TargetDevice> others;
    for (std::size_t slot = 1; slot < context.deviceCount(); ++slot)
        others.push_back({context.device(DeviceSlot(slot)), context.language(DeviceSlot(slot))});
    std::vector<std::size_t> longestFirst(bodies.size());
    std::iota(longestFirst.begin(), longestFirst.end(), std::size_t{0});
    std::ranges::stable_sort(longestFirst, std::ranges::greater(), [&](std::size_t i) { return bodies[i]->instructions.size(); });
    std::vector<Rewritten> made(bodies.size());
    context.expectKernels(bodies.size());
    inParallel(bodies.size(), [&](std::size_t turn) {
        const std::size_t i = longestFirst[turn];
        if (context.isCancelled())
            return;
        PassContext own(context.device(), context.language(), context.options(), {}, kNoRewriteLimit, others, kNoRewrites);
        if (std::optional<LoweredKernel> rewritten = pass(*bodies[i], own))
            made[i].body = std::make_shared<const LoweredKernel>(std::move(*rewritten));
        made[i].log = std::move(own.rewrites());
        context.kernelDone();
    });
    return made;
}

// Several bodies at the same time, which is possible as long as no rewrite is forbidden. The rewrites are listed in the order of
// the bodies; where one of them is to be told in full, the pass tells it by going over its body once more.
std::vector<KernelList::Body> rewrittenTogether(std::span<const KernelList::Body> bodies, PassContext &context, KernelPass pass)
{
    std::vector<Rewritten> parts = rewrittenAlone(bodies, context, pass);
    std::vector<KernelList::Body> made;
    made.reserve(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        Rewritten &part = parts[i];
        made.push_back(part.body == nullptr ? bodies[i] : std::move(part.body));
        if (tellsAnyOf(context.rewrites(), part.log)) {
            static_cast<void>(pass(*bodies[i], context));
            continue;
        }
        addCounted(context.rewrites(), part.log);
    }
    return made;
}

bool isWorthThreads(std::span<const KernelList::Body> bodies, const PassContext &context)
{
    std::size_t instructions = 0;
    for (const KernelList::Body &body : bodies)
        instructions += body->instructions.size();
    return bodies.size() > 1 && instructions >= kWorthThreads && context.rewritesLeft() > kNoRewriteLimit / 2;
}

} // namespace

Result<std::optional<LoweredProgram>> rewriteKernels(const LoweredProgram &program, PassContext &context, KernelPass pass)
{
    const std::span<const KernelList::Body> bodies = program.kernels.bodies();
    std::vector<KernelList::Body> made;
    if (isWorthThreads(bodies, context)) {
        made = rewrittenTogether(bodies, context, pass);
    } else {
        for (const KernelList::Body &body : bodies) {
            if (context.isCancelled())
                break;
            std::optional<LoweredKernel> rewritten = pass(*body, context);
            made.push_back(rewritten ? std::make_shared<const LoweredKernel>(std::move(*rewritten)) : body);
        }
    }
    if (context.isCancelled())
        return Diagnostic::error(Code::Cancelled, {}, "compiling was cancelled");
    const bool isChanged = !std::ranges::equal(made, bodies);
    if (!isChanged)
        return std::optional<LoweredProgram>();
    return std::optional(LoweredProgram{program.schedule, program.kernels.withBodies(std::move(made))});
}

KernelCopier::KernelCopier(const LoweredKernel &source)
    : m_source(source), m_builder(frameOf(source)), m_made(source.instructions.size())
{
}

InstructionId KernelCopier::keep(InstructionId old)
{
    Instruction copy = m_source.instruction(old);
    for (InstructionId &operand : copy.operands)
        operand = m_made[operand.value];
    m_made[old.value] = m_builder.add(std::move(copy));
    return m_made[old.value];
}

std::vector<InstructionId> KernelCopier::madeOperands(const Instruction &old) const
{
    std::vector<InstructionId> out;
    out.reserve(old.operands.size());
    for (const InstructionId operand : old.operands)
        out.push_back(m_made[operand.value]);
    return out;
}

std::string aluText(const Instruction &alu)
{
    return format("{} {}", nameOf(alu.op), typeText(alu.dtype, alu.lanes));
}

std::string instructionText(const Instruction &instruction)
{
    return instruction.kind == InstructionKind::Alu ? aluText(instruction) : std::string(nameOf(instruction.kind));
}

} // namespace sw
