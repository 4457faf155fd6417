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

// More: other stages are on their way.
enum class Expected : std::uint8_t { More, Nothing };

// Makes the documents of the stages that are there and not described yet, and the lists anew. What is stopped is filled in part.
void fillReport(Report &report, Described &described, const Compilation &compilation, Expected expected,
                const std::stop_token &stop);

} // namespace sw
