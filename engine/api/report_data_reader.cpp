#include "engine/api/report_data.h"
#include "engine/api/report_data_documents.h"

#include <algorithm>

namespace sw {

namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMostExtent = std::int64_t{1} << 40;

std::uint32_t numberAt(const JsonValue::Integers &numbers, std::size_t at)
{
    return at < numbers.size() && numbers[at] >= 0 && numbers[at] < std::int64_t{kNoIndex}
               ? static_cast<std::uint32_t>(numbers[at])
               : 0;
}

Message readMessage(const JsonFields &data)
{
    Message message;
    const std::string severity = data.text("severity");
    message.severity = severity == "warning" ? MessageSeverity::Warning
                       : severity == "note"  ? MessageSeverity::Note
                                             : MessageSeverity::Error;
    message.code = data.text("code");
    message.text = data.text("text");
    message.hint = data.text("hint");
    message.file = data.text("file");
    message.isInProgram = data.truth("in_program");
    const JsonValue::Integers &place = data.integers("place");
    message.line = numberAt(place, 0);
    message.column = numberAt(place, 1);
    message.endLine = numberAt(place, 2);
    message.endColumn = numberAt(place, 3);
    const JsonValue::Integers &call = data.integers("call");
    message.call = {numberAt(call, 0), numberAt(call, 1), numberAt(call, 2), numberAt(call, 3)};
    return message;
}

StageKind readStage(const JsonFields &data, std::string_view name)
{
    const std::optional<StageKind> kind = stageKindNamed(data.text(name));
    if (!kind)
        data.fail(name, format("there is no stage {}", quoted(data.text(name))));
    return kind.value_or(StageKind::Graph);
}

PassEntry readPass(const JsonFields &data)
{
    PassEntry pass;
    pass.id = data.text("id");
    pass.title = data.text("title");
    pass.doc = data.text("doc");
    pass.input = readStage(data, "input");
    pass.output = readStage(data, "output");
    pass.changed = data.truth("changed");
    pass.failed = data.truth("failed");
    pass.rewrites = data.index("rewrites");
    pass.nanoseconds = data.integer("ns");
    for (const JsonFields &rule : data.objects("rules"))
        pass.rules.push_back({rule.text("rule"), rule.index("rewrites")});
    return pass;
}

std::optional<std::int64_t> readOptional(const JsonFields &data, std::string_view name)
{
    return data.has(name) ? std::optional(data.integer(name)) : std::nullopt;
}

KernelEntry readKernel(const JsonFields &data)
{
    KernelEntry kernel;
    kernel.name = data.text("name");
    kernel.flops = data.integer("flops");
    kernel.mathFlops = data.integer("math_flops");
    kernel.bytes = data.integer("bytes");
    kernel.nodes = data.index("nodes");
    kernel.compileNanoseconds = data.integer("compile_ns");
    kernel.medianNanoseconds = readOptional(data, "median_ns");
    kernel.minNanoseconds = data.integer("min_ns");
    kernel.maxNanoseconds = data.integer("max_ns");
    kernel.isOfLoad = data.has("once") && data.truth("once");
    kernel.tensorInstruction = data.has("tensor") ? data.text("tensor") : "";
    return kernel;
}

InputEntry readInput(const JsonFields &data)
{
    InputEntry entry;
    entry.name = data.text("name");
    entry.type = data.text("type");
    entry.elementType = data.text("element_type");
    entry.shape = data.integers("shape");
    if (std::ranges::any_of(entry.shape, [](std::int64_t extent) { return extent < 0 || extent > kMostExtent; }))
        data.fail("shape", "has an extent that is negative or too large");
    entry.hasOpenShape = data.truth("open_shape");
    entry.isParam = data.truth("parameter");
    return entry;
}

OverrideEntry readOverride(const JsonFields &data)
{
    OverrideEntry entry;
    entry.text = data.text("text");
    entry.kind = data.text("kind");
    entry.isOn = data.truth("on");
    entry.note = data.text("note");
    entry.state = data.text("state");
    entry.reason = data.text("reason");
    entry.where = data.text("where");
    entry.line = data.index("line");
    const JsonValue::Integers &nodes = data.integers("nodes");
    for (std::size_t i = 0; i < nodes.size(); ++i)
        entry.nodes.push_back(numberAt(nodes, i));
    return entry;
}

ProgramFigures readFigures(const JsonFields &data)
{
    ProgramFigures figures;
    figures.kernels = data.integer("kernels");
    figures.bytes = data.integer("bytes");
    figures.instructions = data.integer("instructions");
    figures.estimatedNanoseconds = data.integer("estimate_ns");
    figures.estimatedBy = data.text("estimated_by");
    figures.medianNanoseconds = readOptional(data, "median_ns");
    figures.minNanoseconds = data.integer("min_ns");
    figures.maxNanoseconds = data.integer("max_ns");
    return figures;
}

StageDocumentPtr &documentSlot(Report &report, StageKind kind)
{
    switch (kind) {
    case StageKind::Program:
        return report.program;
    case StageKind::Graph:
        return report.graph;
    case StageKind::Schedule:
        return report.schedule;
    case StageKind::Loops:
        return report.loops;
    case StageKind::Lowered:
        return report.lowered;
    case StageKind::Code:
        return report.code;
    case StageKind::Machine:
        return report.machine;
    }
    SW_UNREACHABLE();
}

Report readReport(const JsonFields &data, JsonFailure &failure)
{
    Report report;
    report.device = data.text("device");
    report.succeeded = data.truth("succeeded");
    for (const JsonFields &message : data.objects("messages"))
        report.messages.push_back(readMessage(message));
    for (const JsonFields &pass : data.objects("passes"))
        report.passes.push_back(readPass(pass));
    for (const JsonFields &kernel : data.objects("kernels"))
        report.kernels.push_back(readKernel(kernel));
    for (const JsonFields &time : data.objects("compile_times"))
        report.compileTimes.push_back({time.text("name"), time.integer("ns")});
    for (const JsonFields &part : data.objects("run_parts"))
        report.runParts.push_back({part.text("name"), part.integer("ns")});
    for (const JsonFields &entry : data.objects("dimensions"))
        report.dimensions.push_back(
            {entry.text("name"), entry.integer("low", kLeast), entry.integer("high", kLeast), entry.integer("value", kLeast)});
    for (const JsonFields &entry : data.objects("inputs"))
        report.inputs.push_back(readInput(entry));
    for (const JsonFields &entry : data.objects("overrides"))
        report.overrides.push_back(readOverride(entry));
    report.totalMedianNanoseconds = readOptional(data, "total_median_ns");
    if (data.has("figures"))
        report.figures = readFigures(data.object("figures"));
    ReportTables tables(data, failure);
    for (const JsonFields &document : data.objects("documents")) {
        StageDocument read = readDocument(document, tables, report.kernels.size());
        StageDocumentPtr &slot = documentSlot(report, read.kind);
        if (slot != nullptr)
            document.fail("stage", "is there twice");
        slot = std::make_shared<const StageDocument>(std::move(read));
    }
    return report;
}

} // namespace

Result<Report> parseReportData(std::string_view text, std::string_view file)
{
    SW_TRY(const JsonValue value, parseJson(text, file));
    JsonFailure failure;
    const JsonFields data(&value, "report", failure);
    const std::string place(file);
    if (data.text("format") != "stepwell report")
        return Diagnostic::error(Code::File, {place}, "{} is not the data of a report", place);
    if (const std::int64_t version = data.integer("version", 1); version > kReportDataVersion)
        return Diagnostic::error(Code::Unsupported, {place}, "{} has version {} of report data, and this Stepwell reads up to {}",
                                 place, version, kReportDataVersion)
            .withHint("open it with a newer Stepwell");
    Report report = readReport(data, failure);
    if (failure.isNoted())
        return Diagnostic::error(Code::File, {place}, "{} is damaged: {}", place, failure.text());
    return report;
}

} // namespace sw
