#pragma once
// Everything that one compilation (and run) of one program on one device produced, as documents. A report is immutable: when
// there is more (the code is ready, a run ended), a new report shares the documents of the old one.

#include "engine/api/inputs.h"
#include "engine/api/stage_document.h"
#include "engine/types/dimension_choice.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sw {

enum class MessageSeverity : std::uint8_t { Error, Warning, Note };

struct Message {
    MessageSeverity severity = MessageSeverity::Error;
    std::string code; // "shape"
    std::string text;
    std::string hint;
    std::string file;
    std::uint32_t line = 0; // from 1; 0: no place
    std::uint32_t column = 0;
    std::uint32_t endLine = 0;
    std::uint32_t endColumn = 0;
    // Whether the place is in the text of the program itself. Otherwise it is in the named file: a function of the
    // library (Explorer::libraryText), generated code, or a file that was loaded.
    bool isInProgram = false;
    // For a place elsewhere: the call of a library function in the program that led there. Line 0: there is none.
    DocumentPlace call = {};
};

// How often a pass applied a rule.
struct RuleEntry {
    std::string rule;
    std::uint32_t rewrites = 0;
};

// One pass of the pipeline. The documents before and after are made on demand: Explorer::passDocuments.
struct PassEntry {
    std::string id;
    std::string title;
    std::string doc;
    StageKind input = StageKind::Graph;
    StageKind output = StageKind::Graph;
    bool changed = false;
    std::uint32_t rewrites = 0;
    std::vector<RuleEntry> rules; // the rules that were applied, the most frequent first
    std::int64_t nanoseconds = 0;
    bool failed = false;
};

struct KernelEntry {
    std::string name;
    std::int64_t flops = 0;     // executed by the kernel; from its nodes' formulas until it is lowered
    std::int64_t mathFlops = 0; // from its nodes' formulas, one operation per element
    std::int64_t bytes = 0;     // read and written, each once
    std::uint32_t nodes = 0;
    // Of the last run on this device; absent before.
    std::optional<std::int64_t> medianNanoseconds;
    std::int64_t minNanoseconds = 0;
    std::int64_t maxNanoseconds = 0;
    std::int64_t lowNanoseconds = 0; // the 95 % band of the median; with too few runs for one, min and max
    std::int64_t highNanoseconds = 0;
    std::int64_t estimatedNanoseconds = 0; // by the figures of its device; 0: not known yet
    std::int64_t compileNanoseconds = 0;
    std::string tensorInstruction; // that computes its products, as its table names it; empty: none
    bool isOfLoad = false;         // it runs once, when the program is loaded: no run takes its time
};
// Its part of the time of a run.
[[nodiscard]] inline std::int64_t runNanosecondsOf(const KernelEntry &kernel)
{
    return kernel.isOfLoad ? 0 : kernel.medianNanoseconds.value_or(0);
}

struct StageTime {
    std::string name; // "parse", "graph", "schedule", "loops", "lower", "render", "compile"
    std::int64_t nanoseconds = 0;
};

// A part of a run's time; the parts add up to the whole time.
struct RunPart {
    std::string name; // "kernels", "launches", "transfers", "host", "waiting", "between"
    std::int64_t nanoseconds = 0;
};

// A size that is known when the program runs.
struct DimensionEntry {
    std::string name;
    std::int64_t low = 0;
    std::int64_t high = 0;
    std::int64_t value = 0; // used when a run does not give another one
    bool operator==(const DimensionEntry &) const = default;
};

// One of the overrides that the program was compiled with, and what became of it.
struct OverrideEntry {
    std::string text;  // "apart softmax/exp -> softmax/sum"
    std::string title; // the same in one line, without the text of a kernel
    std::string kind;  // "apart", "fuse", "store", "loops", "order", "code"
    bool isOn = true;
    std::string note;
    std::string state;                // "applied", "no change", "refused", "unknown value", "off"
    std::string reason;               // why, unless it is applied
    std::string where;                // the kernels that it is about: "k0_softmax, k1_softmax"
    std::vector<std::uint32_t> nodes; // of the graph, that it is about
    std::uint32_t line = 0;           // in the text; 0: none
    std::vector<Message> problems;    // in the text of a kernel, whose lines count from 1
};

// What a program costs as a whole.
struct ProgramFigures {
    std::int64_t kernels = 0;
    std::int64_t bytes = 0;                        // read and written by all kernels, each once
    std::int64_t instructions = 0;                 // of the lowered kernels
    std::int64_t estimatedNanoseconds = 0;         // along the critical path
    std::string estimatedBy = {};                  // "assumed", "measured on this machine, 2026-11-22"
    std::optional<std::int64_t> medianNanoseconds; // of the last run
    std::int64_t minNanoseconds = 0;
    std::int64_t maxNanoseconds = 0;
    bool operator==(const ProgramFigures &) const = default;
};

struct RunOutputs; // engine/api/effect.h

struct Report {
    std::string device;
    std::vector<Message> messages;
    bool succeeded = false; // no errors in the stages so far

    // Null when the compilation stopped earlier.
    StageDocumentPtr program;
    StageDocumentPtr graph;
    StageDocumentPtr schedule;
    StageDocumentPtr loops;
    StageDocumentPtr lowered;
    StageDocumentPtr code;    // of all kernels, one after the other
    StageDocumentPtr machine; // likewise

    std::vector<PassEntry> passes;
    std::vector<DimensionEntry> dimensions;
    std::vector<DimensionChoice> modelDimensions; // of a model's inputs: what each was compiled for; not in files
    std::vector<KernelEntry> kernels;             // by kernel index of the documents
    std::vector<StageTime> compileTimes;
    std::vector<InputEntry> inputs;     // and parameters, in the program's order
    std::vector<TensorViewPtr> outputs; // of the last run
    std::optional<std::int64_t> totalMedianNanoseconds;
    std::vector<RunPart> runParts; // of the run that took the median time; empty before a run
    std::vector<OverrideEntry> overrides;
    std::optional<ProgramFigures> figures;        // once the kernels are known
    std::shared_ptr<const RunOutputs> runOutputs; // of the last run, to compare with others; null before
};

using ReportPtr = std::shared_ptr<const Report>;

} // namespace sw
