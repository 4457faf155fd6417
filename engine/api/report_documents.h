#pragma once
// The documents and lists of a report, made from a compilation as it grows.

#include "engine/api/compilation.h"
#include "engine/api/report.h"

#include <stop_token>

namespace sw {

class FiguresStore;

// What the documents of a report were made from.
struct Described {
    GraphPtr graph;
    SchedulePtr schedule;
    LoopProgramPtr loops;
    LoweredProgramPtr lowered;
    std::shared_ptr<const std::vector<RenderedSource>> code;
    CompiledProgramPtr program;
    const FiguresStore *figures = nullptr;
};

// More: further stages will follow.
enum class Expected : std::uint8_t { More, Nothing };

// Makes documents for the stages that have none yet, and makes the lists again. When stopped, it fills the report only in part.
void fillReport(Report &report, Described &described, const Compilation &compilation, Expected expected,
                const std::stop_token &stop);

} // namespace sw
