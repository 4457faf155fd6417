#pragma once
// The documents and lists of a report, made from a compilation as it grows.

#include "engine/api/compilation.h"
#include "engine/api/report.h"

#include <future>
#include <memory>
#include <stop_token>

namespace sw {

class FiguresStore;

// The documents of the stages down to the loops; null: not made anew.
struct UpperDocuments {
    StageDocumentPtr graph;
    StageDocumentPtr schedule;
    StageDocumentPtr loops;
};

// Documents that a thread of their own makes while the program is lowered.
struct DocumentsToCome {
    UpperDocuments documents;
    std::future<void> done; // waits for the thread when it is destroyed, so it comes last
};

// What the documents of a report were made from.
struct Described {
    GraphPtr graph;
    SchedulePtr schedule;
    LoopProgramPtr loops;
    LoweredProgramPtr lowered;
    std::shared_ptr<const std::vector<RenderedSource>> code;
    CompiledProgramPtr program;
    const FiguresStore *figures = nullptr;
    std::unique_ptr<DocumentsToCome> toCome = {}; // null: all are in the report
};

// More: further stages will follow.
enum class Expected : std::uint8_t { More, Nothing };

// Makes documents for the stages that have none yet, and makes the lists again. When stopped, it fills the report only in part.
void fillReport(Report &report, Described &described, const Compilation &compilation, Expected expected,
                const std::stop_token &stop);

} // namespace sw
