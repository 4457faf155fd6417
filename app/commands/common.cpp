#include "app/commands/common.h"

#include "app/commands/sessions.h"
#include "engine/api/front_end.h"
#include "engine/api/tune/use_tunings.h"
#include "engine/base/readable_text.h"
#include "engine/execute/dimensions.h"
#include "engine/execute/statistics.h"
#include "engine/graph/value_path.h"
#include "engine/lowered/program_text.h"
#include "engine/types/npy.h"

#include <algorithm>
#include <array>

namespace sw::command {

namespace {

constexpr std::uint64_t kMaxThreads = 4096;

Result<NamedTensor> inputOf(const std::string &word)
{
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
        return Diagnostic::error(Code::Argument, {}, "--input needs NAME=FILE.npy, not {}", sw::quoted(word));
    SW_TRY(HostTensor value, readNpyFile(word.substr(equals + 1)));
    return NamedTensor{word.substr(0, equals), std::move(value)};
}

Result<Done> addInputs(const Arguments &arguments, std::vector<NamedTensor> &inputs)
{
    Diagnostics errors;
    for (const std::string &word : arguments.values("--input")) {
        Result<NamedTensor> input = inputOf(word);
        if (!input) {
            errors.insert(errors.end(), input.error().begin(), input.error().end());
            continue;
        }
        if (std::ranges::find(inputs, input->name, &NamedTensor::name) != inputs.end())
            errors.push_back(Diagnostic::error(Code::Argument, {}, "--input gives {} twice", sw::quoted(input->name)));
        inputs.push_back(std::move(*input));
    }
    if (!errors.empty())
        return Failure(std::move(errors));
    return Done{};
}

Result<Done> addDimensions(const Arguments &arguments, ProgramInput &program)
{
    for (const std::string &word : arguments.values("--dim")) {
        SW_TRY(const DimensionChoice choice, readDimensionChoice(word));
        if (program.dimensions.contains(choice.name) || program.openDimensions.contains(choice.name))
            return Diagnostic::error(Code::Argument, {}, "--dim gives {} twice", choice.name);
        if (const auto *range = std::get_if<DimensionRange>(&choice.size))
            program.openDimensions.emplace(choice.name, *range);
        else
            program.dimensions.emplace(choice.name, std::get<std::int64_t>(choice.size));
    }
    return Done{};
}

// "y=fast.ll": the ending says what kind of text it is.
Result<Override> codeFrom(const std::string &word)
{
    struct Ending {
        std::string_view text;
        std::string_view device;
    };
    constexpr std::array kEndings{Ending{".ll", "llvm"}, Ending{".c", "c"}, Ending{".cl", "opencl"},
                                  Ending{".lowered", kAnyDevice}};
    const std::size_t equals = word.find('=');
    const std::string file = equals == std::string::npos ? std::string() : word.substr(equals + 1);
    const auto ending = std::ranges::find_if(kEndings, [&](const Ending &one) { return file.ends_with(one.text); });
    if (equals == 0 || ending == kEndings.end())
        return Diagnostic::error(Code::Argument, {}, "--code needs KERNEL=FILE, where FILE ends in {}, not {}",
                                 join(kEndings, ", ", [](const Ending &one) { return one.text; }), sw::quoted(word));
    Override item{.kind = OverrideKind::Code, .value = word.substr(0, equals)};
    item.code.device = ending->device;
    item.code.form = ending->device == kAnyDevice ? CodeForm::Lowered : CodeForm::Source;
    item.code.file = file;
    SW_TRY(const std::string text, readTextFile(file));
    item.code.text = withLineEnds(text);
    return item;
}

// Checks names and shapes; values are checked when they are used.
Result<Done> checkGiven(const CompileRequest &request, const Compilation &compilation)
{
    const std::vector<NodeId> placeholders = compilation.graph->placeholders();
    const auto nameOf = [&](NodeId id) { return attributesOf<PlaceholderAttributes>(compilation.graph->node(id)).name; };
    std::vector<GivenShape> shapes;
    for (const NamedTensor &input : givenInputs(request, compilation)) {
        const auto found = std::ranges::find(placeholders, input.name, nameOf);
        if (found == placeholders.end())
            return Diagnostic::error(Code::UnknownName, {}, "the program has no input {}; it has {}", sw::quoted(input.name),
                                     placeholders.empty() ? "none" : join(placeholders, ", ", nameOf));
        const DType dtype = compilation.graph->node(*found).dtype;
        shapes.push_back({static_cast<std::size_t>(found - placeholders.begin()),
                          fromRawBits(input.value, dtype).value_or(input.value).shape()});
    }
    SW_CHECK(dimensionsOf(*compilation.graph, shapes, compilation.runDimensions));
    return Done{};
}

} // namespace

ExitCode exitCodeOf(const Diagnostics &diagnostics)
{
    ExitCode code = ExitCode::Success;
    for (const Diagnostic &diagnostic : diagnostics) {
        if (diagnostic.severity != Severity::Error)
            continue;
        if (exitClassOf(diagnostic.code) == ExitClass::Program)
            return ExitCode::Error;
        code = ExitCode::Unsupported;
    }
    return code;
}

Outcome failed(const Diagnostics &diagnostics)
{
    return {exitCodeOf(diagnostics), {}, toText(diagnostics)};
}

Outcome usageFailed(const Diagnostics &diagnostics)
{
    return {ExitCode::Usage, {}, toText(diagnostics)};
}

Outcome requestFailed(const Diagnostics &diagnostics)
{
    const auto isMisuse = [](const Diagnostic &diagnostic) { return diagnostic.code == Code::Argument; };
    return std::ranges::any_of(diagnostics, isMisuse) ? usageFailed(diagnostics) : failed(diagnostics);
}

CompileSwitches switchesOf(const Arguments &arguments)
{
    CompileSwitches switches;
    for (const CompileSwitch &each : kCompileSwitches)
        switches.*each.isOn = !arguments.has(each.option);
    return switches;
}

Result<CompileRequest> requestOf(const Arguments &arguments, const Environment &environment, CompileUntil until)
{
    CompileRequest request;
    request.progress = environment.progress;
    request.program.fileName = arguments.positional().front();
    request.program.resourceFolder = environment.resourceFolder;
    request.device = arguments.value("--device", {});
    if (until != CompileUntil::Program && until != CompileUntil::Graph)
        request.options.tunings = KeptTunings(environment.figures).current();
    switchOff(request.options, switchesOf(arguments));
    if (arguments.has("--overrides")) {
        const std::string file = arguments.value("--overrides", {});
        SW_TRY(const std::string text, readTextFile(file));
        SW_TRY(request.options.overrides, parseOverrides(text, file));
    }
    for (const std::string &word : arguments.values("--code")) {
        SW_TRY(Override item, codeFrom(word));
        request.options.overrides.items.push_back(std::move(item));
    }
    request.guardBuffers = arguments.has("--guard");
    request.until = until;
    SW_TRY(const std::uint64_t threads, arguments.number("--threads", 0, 1, kMaxThreads));
    request.threads = static_cast<std::uint32_t>(threads);
    SW_CHECK(addInputs(arguments, request.program.knownInputs));
    SW_CHECK(addDimensions(arguments, request.program));
    if (isSessionFile(request.program.fileName)) {
        const std::string file = request.program.fileName;
        SW_TRY(const SessionContents session, openSession(file));
        SW_CHECK(addSession(request, arguments, session, file));
    }
    return request;
}

const BackendRegistry &registryFor(const Arguments &arguments, const CompileRequest &request, const Environment &environment)
{
    const bool hasCode = std::ranges::any_of(request.options.overrides.items,
                                             [](const Override &item) { return item.kind == OverrideKind::Code && item.isOn; });
    const bool isUnsafe = hasCode || request.guardBuffers || arguments.has("--limit");
    return isUnsafe && environment.hosted != nullptr ? *environment.hosted : environment.registry;
}

std::vector<NamedTensor> givenInputs(const CompileRequest &request, const Compilation &compilation)
{
    std::vector<NamedTensor> given;
    for (const NamedTensor &input : request.program.knownInputs)
        if (std::ranges::find(compilation.constantInputs, input.name) == compilation.constantInputs.end())
            given.push_back(input);
    return given;
}

RunInputs runInputsOf(const CompileRequest &request, const Compilation &compilation, std::uint64_t seed)
{
    RunInputs inputs;
    inputs.seed = seed;
    inputs.dimensions = compilation.runDimensions;
    for (const NamedTensor &given : givenInputs(request, compilation)) {
        InputChoice choice;
        choice.name = given.name;
        choice.fill = InputFill::Tensor;
        choice.tensor = std::make_shared<const TensorView>(given.name, given.value);
        inputs.inputs.push_back(std::move(choice));
    }
    return inputs;
}

Compilation compileToLookAt(ProgramCompiler &compiler, const CompileRequest &request, const std::stop_token &stop)
{
    Compilation compilation = compiler.compile(request, stop);
    if (compilation.graph == nullptr)
        return compilation;
    if (const Result<Done> given = checkGiven(request, compilation); !given)
        compilation.diagnostics.insert(compilation.diagnostics.end(), given.error().begin(), given.error().end());
    return compilation;
}

Result<KernelId> chosenKernel(const Arguments &arguments, const Schedule &schedule)
{
    if (!arguments.has("--kernel"))
        return KernelId();
    const std::string wanted = arguments.value("--kernel", {});
    for (std::size_t i = 0; i < schedule.kernels.size(); ++i)
        if (schedule.kernels[i].name == wanted || format("{}", i) == wanted)
            return KernelId(i);
    return Diagnostic::error(Code::Argument, {}, "there is no kernel {}; there are {}", sw::quoted(wanted),
                             join(schedule.kernels, ", ", [](const ScheduledKernel &kernel) { return kernel.name; }));
}

Result<KernelId> wantedKernel(const Arguments &arguments, const Schedule &schedule)
{
    if (!arguments.has("--kernel"))
        return Diagnostic::error(Code::Argument, {}, "a kernel is needed: --kernel K");
    const NodeId value = ValuePaths(*schedule.graph).find(arguments.value("--kernel", {}));
    if (value.isValid() && schedule.kernelOf(value).isValid())
        return schedule.kernelOf(value);
    return chosenKernel(arguments, schedule);
}

std::vector<std::string> namesIn(const std::string &text)
{
    std::vector<std::string> names;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        if (end > begin)
            names.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return names;
}

std::string timeText(std::chrono::nanoseconds time)
{
    constexpr std::array<std::string_view, 4> kUnits{"ns", "us", "ms", "s"};
    auto amount = static_cast<double>(time.count());
    std::size_t unit = 0;
    for (; amount >= 1000 && unit + 1 < kUnits.size(); ++unit)
        amount /= 1000;
    return unit == 0 ? format("{} ns", time.count()) : format("{:.1f} {}", amount, kUnits[unit]);
}

std::string bandText(const Timing &timing)
{
    const bool isKnown = timing.runs > 0 && medianRanks(timing.runs, kTimeConfidence).confidence >= kTimeConfidence;
    return isKnown ? format("{} ... {}", timeText(timing.low), timeText(timing.high)) : "-";
}

void writeTiming(JsonWriter &json, std::string_view key, const Timing &timing)
{
    json.key(key).beginObject();
    json.field("median", static_cast<std::int64_t>(timing.median.count()));
    json.field("min", static_cast<std::int64_t>(timing.min.count()));
    json.field("max", static_cast<std::int64_t>(timing.max.count()));
    json.field("low", static_cast<std::int64_t>(timing.low.count()));
    json.field("high", static_cast<std::int64_t>(timing.high.count()));
    json.field("runs", static_cast<std::int64_t>(timing.runs));
    json.endObject();
}

void writeDiagnostics(JsonWriter &json, const Diagnostics &diagnostics)
{
    json.key("diagnostics").beginArray();
    for (const Diagnostic &diagnostic : diagnostics) {
        json.beginObject().field("code", nameOf(diagnostic.code)).field("message", readableText(diagnostic.message));
        json.field("file", diagnostic.where.file).field("line", diagnostic.where.line).field("column", diagnostic.where.column);
        json.endObject();
    }
    json.endArray();
}

std::string tableText(const std::vector<std::vector<std::string>> &rows)
{
    std::vector<std::size_t> widths;
    for (const auto &row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        std::string line;
        for (std::size_t i = 0; i < rows[r].size(); ++i)
            line += i + 1 == rows[r].size() ? rows[r][i] : format("{:<{}}  ", rows[r][i], widths[i]);
        text += line + '\n';
        if (r == 0)
            text += std::string(line.find_last_not_of(' ') + 1, '-') + '\n';
    }
    return text;
}

} // namespace sw::command
