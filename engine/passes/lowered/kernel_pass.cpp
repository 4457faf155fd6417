#include "engine/passes/lowered/kernel_pass.h"

#include "engine/base/parallel.h"
#include "engine/lowered/type_rules.h"
#include "engine/passes/common_options.h"

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

using Made = KernelMemo::Made;

Made madeAlone(const KernelList::Body &body, PassContext own, KernelPass pass)
{
    Made made;
    if (std::optional<LoweredKernel> rewritten = pass(*body, own))
        made.body = std::make_shared<const LoweredKernel>(std::move(*rewritten));
    made.log = std::make_shared<const RewriteLog>(std::move(own.rewrites()));
    return made;
}

bool isWorthThreads(std::span<const KernelList::Body> bodies, std::span<const std::size_t> numbers)
{
    std::size_t instructions = 0;
    for (const std::size_t number : numbers)
        instructions += bodies[number]->instructions.size();
    return numbers.size() > 1 && instructions >= kWorthThreads;
}

// By body, side by side where that is worth it. Those that the memo knows are taken from it. Nothing is missing unless the
// compilation was cancelled.
std::vector<std::optional<Made>> madeApart(std::span<const KernelList::Body> bodies, const PassContext &context, KernelPass pass)
{
    std::vector<TargetDevice> others;
    for (std::size_t slot = 1; slot < context.deviceCount(); ++slot)
        others.push_back({context.device(DeviceSlot(slot)), context.language(DeviceSlot(slot))});
    const CompileOptions options = commonOptions(context.options());
    KernelMemo *const memo = context.memo();
    std::vector<std::optional<Made>> made(bodies.size());
    std::vector<std::size_t> longestFirst; // of those that are not known
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        if (memo != nullptr)
            made[i] = memo->rewritten(pass, bodies[i]);
        if (!made[i])
            longestFirst.push_back(i);
    }
    std::ranges::stable_sort(longestFirst, std::ranges::greater(), [&](std::size_t i) { return bodies[i]->instructions.size(); });
    context.expectKernels(longestFirst.size());
    const auto makeOne = [&](std::size_t turn) {
        const std::size_t i = longestFirst[turn];
        if (context.isCancelled())
            return;
        made[i] =
            madeAlone(bodies[i], {context.device(), context.language(), options, {}, kNoRewriteLimit, others, kNoRewrites}, pass);
        context.kernelDone();
    };
    if (isWorthThreads(bodies, longestFirst))
        inParallel(longestFirst.size(), makeOne);
    else
        for (std::size_t turn = 0; turn < longestFirst.size(); ++turn)
            makeOne(turn);
    if (memo != nullptr && !context.isCancelled())
        for (const std::size_t i : longestFirst)
            if (memo->gave(bodies[i]))
                memo->keepRewritten(pass, bodies[i], *made[i]);
    return made;
}

// Each body apart, which is possible as long as no rewrite is forbidden. The rewrites are listed in the order of the bodies;
// where one of them is to be told in full, the pass tells it by going over its body once more.
std::vector<KernelList::Body> rewrittenApart(std::span<const KernelList::Body> bodies, PassContext &context, KernelPass pass)
{
    const std::vector<std::optional<Made>> parts = madeApart(bodies, context, pass);
    if (context.isCancelled())
        return {};
    std::vector<KernelList::Body> made;
    made.reserve(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Made &part = *parts[i];
        made.push_back(part.body == nullptr ? bodies[i] : part.body);
        if (!context.rewrites().canAppend(*part.log)) {
            static_cast<void>(pass(*bodies[i], context));
            continue;
        }
        context.rewrites().append(*part.log, bodies[i]->kernel);
    }
    return made;
}

} // namespace

Result<std::optional<LoweredProgram>> rewriteKernels(const LoweredProgram &program, PassContext &context, KernelPass pass)
{
    const std::span<const KernelList::Body> bodies = program.kernels.bodies();
    std::vector<KernelList::Body> made;
    if (context.rewritesLeft() > kNoRewriteLimit / 2) {
        made = rewrittenApart(bodies, context, pass);
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
