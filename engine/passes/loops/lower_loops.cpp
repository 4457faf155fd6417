#include "engine/passes/loops/lower_loops.h"

#include "engine/base/parallel.h"
#include "engine/loops/printer.h"
#include "engine/lowered/type_rules.h"
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
    std::size_t first = 0; // the first of the nests
    std::size_t count = 0;
    std::optional<PlacedNest> placed = {}; // when there are several
    std::optional<LoweredKernel> kernel = {};
    std::optional<std::size_t> body = {}; // once it is in the program

    void lower(const LoopProgram &program, const PassContext &context)
    {
        const Schedule &schedule = *program.schedule;
        const LoopNest &nest = *program.nests[first];
        if (count > 1)
            placed = withPlaces(schedule, nest);
        kernel = placed ? lowered(schedule, placed->nest, placed->frame, context)
                        : lowered(schedule, nest, frameOriginsOf(schedule, nest), context);
    }
};

// By nest, with those of equal structure pointing to the same.
struct Lowerings {
    std::deque<Lowering> all;
    std::vector<Lowering *> of;
};

Lowerings lowerings(const LoopProgram &program)
{
    std::vector<std::string> structures(program.nests.size());
    inParallel(structures.size(), [&](std::size_t i) { structures[i] = structureOf(*program.schedule, *program.nests[i]); });
    Lowerings made;
    std::unordered_map<std::string_view, Lowering *> byStructure;
    for (std::size_t i = 0; i < structures.size(); ++i) {
        Lowering *&one = byStructure[structures[i]];
        if (one == nullptr)
            one = &made.all.emplace_back(Lowering{.first = i});
        ++one->count;
        made.of.push_back(one);
    }
    return made;
}

// As long as no step is forbidden, all of them will be wanted.
void lowerTogether(std::deque<Lowering> &all, const LoopProgram &program, const PassContext &context)
{
    if (context.rewritesLeft() <= kNoRewriteLimit / 2)
        return;
    std::vector<Lowering *> longestFirst;
    for (Lowering &one : all)
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

} // namespace

Result<LoweredProgram> lowerLoops(const LoopProgramPtr &program, PassContext &context)
{
    const Schedule &schedule = *program->schedule;
    Lowerings found = lowerings(*program);
    lowerTogether(found.all, *program, context);
    LoweredProgram made{.schedule = program->schedule, .kernels = {}};
    for (std::size_t i = 0; i < program->nests.size(); ++i) {
        if (context.isCancelled())
            return Diagnostic::error(Code::Cancelled, {}, "cancelled while lowering");
        const LoopNest &nest = *program->nests[i];
        Lowering &own = *found.of[i];
        if (!context.mayRewrite())
            break;
        if (!own.kernel && !own.body)
            own.lower(*program, context);
        if (!own.placed) {
            made.kernels.push_back(withAllowedSteps(*std::exchange(own.kernel, {}), schedule, nest, context));
            continue;
        }
        if (!own.body) {
            own.body =
                made.kernels.addBody(withAllowedSteps(*std::exchange(own.kernel, {}), schedule, own.placed->nest, context));
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
