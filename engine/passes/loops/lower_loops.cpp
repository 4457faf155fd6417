#include "engine/passes/loops/lower_loops.h"

#include "engine/base/parallel.h"
#include "engine/loops/printer.h"
#include "engine/lowered/type_rules.h"
#include "engine/passes/kernel_memo.h"
#include "engine/passes/loops/factors.h"
#include "engine/passes/loops/kernel_lowering.h"
#include "engine/passes/loops/lowering_steps.h"
#include "engine/passes/loops/nest_structure.h"
#include "engine/passes/lowered/kernel_pass.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sw {

namespace {

// Work items that share nothing are grouped only so that a GPU fills its lanes: along x first, where memory runs.
std::array<std::int64_t, 3> groupFor(const LoweredKernel &kernel, const DeviceInfo &device)
{
    std::array<std::int64_t, 3> group{1, 1, 1};
    if (device.kind != DeviceKind::Gpu)
        return group;
    std::int64_t left = std::min(kItemsPerGroup, device.maxWorkgroup);
    for (std::size_t i = 0; i < group.size(); ++i) {
        group.at(i) = largestDivisor(kernel.globalSize.at(i), left);
        left /= group.at(i);
    }
    return group;
}

LoweredKernel lowered(const Schedule &schedule, const LoopNest &nest, FrameOrigins origins, const PassContext &context)
{
    LoweredKernel kernel = KernelLowering(schedule, nest, std::move(origins)).run();
    if (kernel.localSize == std::array<std::int64_t, 3>{1, 1, 1})
        kernel.localSize = groupFor(kernel, context.device(kernel.device));
    return kernel;
}

KernelBinding bindingOf(const Schedule &schedule, const LoopNest &nest)
{
    const ScheduledKernel &kernel = schedule.kernel(nest.kernel);
    KernelBinding binding{.kernel = nest.kernel, .name = kernel.name, .origin = kernel.origin};
    binding.arguments = argumentsOf(kernel);
    for (const BufferId argument : binding.arguments)
        binding.argumentNames.push_back(schedule.buffer(argument).name);
    binding.places = originsOf(schedule, nest);
    return binding;
}

// The line of the loop nest that an instruction comes from: of those with its origin, one of the kind that it writes out.
std::optional<std::uint32_t> lineOf(const Instruction &instruction, std::span<const LoopLine> lines)
{
    const auto isOfKind = [&](const LoopLine &line) {
        if (opensScope(instruction.kind) || closesScope(instruction.kind))
            return line.kind == LoopLineKind::Loop;
        if (instruction.kind == InstructionKind::Store)
            return line.kind == LoopLineKind::Store;
        if (instruction.kind == InstructionKind::Acc || instruction.kind == InstructionKind::Assign)
            return line.kind == LoopLineKind::Reduction;
        return line.kind == LoopLineKind::Value || line.kind == LoopLineKind::Loop || line.kind == LoopLineKind::Store;
    };
    const auto found =
        std::ranges::find_if(lines, [&](const LoopLine &line) { return isOfKind(line) && line.origin == instruction.origin; });
    if (found == lines.end())
        return std::nullopt;
    return static_cast<std::uint32_t>(found - lines.begin());
}

// Records the kernel's statements, one step each, and keeps the instructions of as many as the context allows. A kernel in
// between has blocks that are not closed.
LoweredKernel withAllowedSteps(LoweredKernel kernel, const Schedule &schedule, const LoopNest &nest, PassContext &context)
{
    std::uint32_t first = 0;
    const auto count = static_cast<std::uint32_t>(kernel.instructions.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::string_view rule = loweringStepOf(kernel.instructions[i].kind);
        if (rule.empty() && i + 1 < count)
            continue; // it belongs to the statement that reads it
        if (!context.mayRewrite()) {
            kernel.instructions.erase(kernel.instructions.begin() + first, kernel.instructions.end());
            break;
        }
        context.record(rule.empty() ? kComputeStep : rule, nest.kernel, [&] {
            RewriteDetail detail{instructionText(kernel.instructions[i])};
            const std::vector<LoopLine> lines = linesOf(nest, schedule);
            if (const std::optional<std::uint32_t> line = lineOf(kernel.instructions[i], lines)) {
                detail.before = {*line};
                detail.text = lines[*line].text.substr(lines[*line].text.find_first_not_of(' ')) + " -> " + detail.text;
            }
            for (std::uint32_t made = first; made <= i; ++made)
                detail.after.push_back(made);
            return detail;
        });
        first = i + 1;
    }
    return kernel;
}

// A nest that stands for all nests of equal structure, and what it is lowered to.
struct Lowering {
    std::size_t first = 0;  // the first of the nests
    bool hasPlaces = false; // its origins are places, so that others can have the body too: other nests, or later programs
    std::optional<PlacedNest> placed = {};
    std::optional<LoweredKernel> kernel = {};
    std::optional<KernelMemo::Made> made = {}; // the body and its steps, from the memo
    std::optional<std::size_t> body = {};      // once it is in the program

    void lower(const LoopProgram &program, const PassContext &context)
    {
        const Schedule &schedule = *program.schedule;
        const LoopNest &nest = *program.nests[first];
        if (hasPlaces)
            placed = withPlaces(schedule, nest);
        kernel = placed ? lowered(schedule, placed->nest, placed->frame, context)
                        : lowered(schedule, nest, frameOriginsOf(schedule, nest), context);
    }
};

// By nest, with those of equal structure pointing to the same.
struct Lowerings {
    std::vector<std::string> structures; // by nest
    std::deque<Lowering> all;
    std::vector<Lowering *> of;
};

Lowerings lowerings(const LoopProgram &program)
{
    Lowerings made;
    made.structures.resize(program.nests.size());
    inParallel(made.structures.size(),
               [&](std::size_t i) { made.structures[i] = structureOf(*program.schedule, *program.nests[i]); });
    std::unordered_map<std::string_view, Lowering *> byStructure;
    for (std::size_t i = 0; i < made.structures.size(); ++i) {
        Lowering *&one = byStructure[made.structures[i]];
        if (one == nullptr)
            one = &made.all.emplace_back(Lowering{.first = i});
        else
            one->hasPlaces = true;
        made.of.push_back(one);
    }
    return made;
}

BodyIdentity identityOf(const Schedule &schedule, const LoopNest &first)
{
    KernelBinding binding = bindingOf(schedule, first);
    return {binding.kernel, std::move(binding.name), std::move(binding.arguments), std::move(binding.argumentNames)};
}

void lookUp(Lowerings &of, const LoopProgram &program, KernelMemo &memo)
{
    for (Lowering &one : of.all) {
        one.hasPlaces = true;
        one.made = memo.lowered(of.structures[one.first], identityOf(*program.schedule, *program.nests[one.first]));
    }
}

// As long as no step is forbidden, all of them will be wanted.
void lowerTogether(std::deque<Lowering> &all, const LoopProgram &program, const PassContext &context)
{
    if (context.rewritesLeft() <= kNoRewriteLimit / 2)
        return;
    std::vector<Lowering *> longestFirst;
    for (Lowering &one : all)
        if (!one.made)
            longestFirst.push_back(&one);
    const auto length = [&](const Lowering *one) { return program.nests[one->first]->values.size(); };
    std::ranges::stable_sort(longestFirst, std::ranges::greater(), length);
    context.expectKernels(longestFirst.size());
    inParallel(longestFirst.size(), [&](std::size_t i) {
        if (!context.isCancelled())
            longestFirst[i]->lower(program, context);
        context.kernelDone();
    });
}

// The body of a nest that others can have too, with its steps recorded.
KernelList::Body bodyWithPlaces(Lowering &of, const LoopProgram &program, PassContext &context)
{
    return std::make_shared<const LoweredKernel>(
        withAllowedSteps(*std::exchange(of.kernel, {}), *program.schedule, of.placed->nest, context));
}

// The same from the memo, or made for it.
KernelList::Body rememberedBody(Lowering &of, const std::string &structure, const LoopProgram &program, PassContext &context)
{
    if (!of.made) {
        PassContext own(context.device(), context.language(), context.options(), {}, kNoRewriteLimit, {}, kNoRewrites);
        of.made = KernelMemo::Made{.body = bodyWithPlaces(of, program, own), .log = nullptr};
        of.made->log = std::make_shared<const RewriteLog>(std::move(own.rewrites()));
        context.memo()->keepLowered(structure, *of.made);
    }
    context.rewrites().append(*of.made->log, of.made->body->kernel);
    return of.made->body;
}

} // namespace

Result<LoweredProgram> lowerLoops(const LoopProgramPtr &program, PassContext &context)
{
    const Schedule &schedule = *program->schedule;
    Lowerings found = lowerings(*program);
    if (context.memo() != nullptr)
        lookUp(found, *program, *context.memo());
    lowerTogether(found.all, *program, context);
    LoweredProgram made{.schedule = program->schedule, .kernels = {}};
    for (std::size_t i = 0; i < program->nests.size(); ++i) {
        if (context.isCancelled())
            return Diagnostic::error(Code::Cancelled, {}, "cancelled while lowering");
        const LoopNest &nest = *program->nests[i];
        Lowering &own = *found.of[i];
        if (!context.mayRewrite())
            break;
        if (!own.kernel && !own.made && !own.body)
            own.lower(*program, context);
        if (!own.hasPlaces) {
            made.kernels.push_back(withAllowedSteps(*std::exchange(own.kernel, {}), schedule, nest, context));
            continue;
        }
        if (!own.body) {
            own.body =
                made.kernels.addBody(context.memo() == nullptr ? bodyWithPlaces(own, *program, context)
                                                               : rememberedBody(own, found.structures[i], *program, context));
        } else {
            context.record("same-body", nest.kernel, [&] {
                return RewriteDetail{format("its loops are those of {}", made.kernels.bodies()[*own.body]->name)};
            });
        }
        made.kernels.addBound(*own.body, bindingOf(schedule, nest));
    }
    return made;
}

} // namespace sw
