#include "engine/api/describe.h"

namespace sw {

namespace {

struct Describe {
    StageDocumentPtr operator()(const GraphPtr &graph) const { return describeGraph(*graph, nullptr); }
    StageDocumentPtr operator()(const SchedulePtr &schedule) const { return describeSchedule(*schedule, nullptr); }
    StageDocumentPtr operator()(const LoopProgramPtr &program) const { return describeLoops(*program); }
    StageDocumentPtr operator()(const LoweredProgramPtr &program) const { return describeLowered(*program); }
};

} // namespace

StageDocumentPtr describeStage(const Stage &stage)
{
    return std::visit(Describe{}, stage);
}

StageKind kindOf(StageLevel level)
{
    switch (level) {
    case StageLevel::Graph:
        return StageKind::Graph;
    case StageLevel::Schedule:
        return StageKind::Schedule;
    case StageLevel::Loops:
        return StageKind::Loops;
    case StageLevel::Lowered:
        return StageKind::Lowered;
    }
    SW_UNREACHABLE();
}

std::string_view nameOf(StageKind kind)
{
    switch (kind) {
    case StageKind::Program:
        return "program";
    case StageKind::Graph:
        return "graph";
    case StageKind::Schedule:
        return "schedule";
    case StageKind::Loops:
        return "loops";
    case StageKind::Lowered:
        return "lowered";
    case StageKind::Code:
        return "code";
    case StageKind::Machine:
        return "machine";
    }
    SW_UNREACHABLE();
}

} // namespace sw
