#pragma once
// Makes the documents of the stages. Items are numbered so that one stage can name the items of another:
//   graph     item n is node n
//   schedule  kernels by KernelId, then buffers by BufferId,
//             then decisions in their order (ScheduleItems numbers these three),
//             then the steps that are not kernels, in their order
//   loops     one item per axis, value, reduction and store of every nest, kernel after kernel
//   lowered   one item per instruction, kernel after kernel
//   code      one item per kernel (its frame), then one per instruction that has a line of its own
//   machine   one item per machine instruction, kernel after kernel
// Functions that take a stop token cut their document short when they are stopped. Those that are given a stage to share make the
// fields of items when somebody reads them, from the stage; those that are given a reference make them at once.

#include "engine/api/stage_document.h"
#include "engine/execute/opened_device.h"
#include "engine/passes/stage.h"

#include <span>
#include <stop_token>

namespace sw {

struct ScheduleItems {
    std::size_t kernels = 0;
    std::size_t buffers = 0;

    explicit ScheduleItems(const Schedule &schedule) : kernels(schedule.kernels.size()), buffers(schedule.buffers.size()) {}
    [[nodiscard]] ItemIndex kernel(KernelId id) const { return id.value; }
    [[nodiscard]] ItemIndex buffer(BufferId id) const { return static_cast<ItemIndex>(kernels + id.value); }
    [[nodiscard]] ItemIndex decision(std::size_t index) const { return static_cast<ItemIndex>(kernels + buffers + index); }
};

[[nodiscard]] StageDocumentPtr describeProgram(const SourceMap &sources);
// schedule: null before there is one; it tints the nodes by kernel and links edges to decisions.
[[nodiscard]] StageDocumentPtr describeGraph(const Graph &graph, const Schedule *schedule, const std::stop_token &stop = {});
[[nodiscard]] StageDocumentPtr describeGraph(const GraphPtr &graph, const SchedulePtr &schedule,
                                             const std::stop_token &stop = {});

// A graph that was described already.
struct DescribedGraph {
    const Graph &graph;
    const Schedule *schedule = nullptr;
    const StageDocument &document;
};
// The same document, which shares with that of another graph what both have in common.
[[nodiscard]] StageDocumentPtr describeGraphLike(const DescribedGraph &like, const Graph &graph, const Schedule *schedule,
                                                 const std::stop_token &stop);
// loops: null while there are none; they say what became of the kernels' axes. figures: by slot, used for the items' estimates
// and the critical path; the text of the schedule keeps the assumed figures.
[[nodiscard]] StageDocumentPtr describeSchedule(const Schedule &schedule, const LoopProgram *loops,
                                                std::span<const DeviceFigures> figures = {}, const std::stop_token &stop = {});
[[nodiscard]] StageDocumentPtr describeSchedule(const SchedulePtr &schedule, const LoopProgramPtr &loops,
                                                std::span<const DeviceFigures> figures = {}, const std::stop_token &stop = {});
[[nodiscard]] StageDocumentPtr describeLoops(const LoopProgram &program, const std::stop_token &stop = {});
[[nodiscard]] StageDocumentPtr describeLoops(const LoopProgramPtr &program, const std::stop_token &stop = {});
[[nodiscard]] StageDocumentPtr describeLowered(const LoweredProgram &program, const std::stop_token &stop = {});
[[nodiscard]] StageDocumentPtr describeCode(const LoweredProgram &program, std::span<const RenderedSource> sources,
                                            const std::stop_token &stop = {});
// A kernel whose machine code was not asked for yet has only its heading.
[[nodiscard]] StageDocumentPtr describeMachine(const LoweredProgram &program, std::span<const RenderedSource> sources,
                                               std::span<const MachineListing> listings);
// Of one kernel alone.
[[nodiscard]] StageDocumentPtr describeKernelMachine(const LoweredProgram &program, std::span<const RenderedSource> sources,
                                                     KernelId kernel, const MachineListing &listing);
// Any of the four stages that passes work on.
[[nodiscard]] StageDocumentPtr describeStage(const Stage &stage);

[[nodiscard]] StageKind kindOf(StageLevel level);
[[nodiscard]] std::string_view nameOf(StageKind kind); // "graph"

} // namespace sw
