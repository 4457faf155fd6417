#include "engine/api/explorer_implementation.h"

#include "engine/api/checked_accesses.h"
#include "engine/api/describe.h"
#include "engine/api/device_figures.h"
#include "engine/api/device_list.h"
#include "engine/api/effect.h"
#include "engine/api/program_figures.h"
#include "engine/api/report_parts.h"
#include "engine/execute/measure_device.h"
#include "engine/execute/run_limit.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <utility>

namespace sw {

namespace {

constexpr std::size_t kLargeGraph = 5000; // nodes
constexpr std::string_view kDescribing = "Describe the stages";

void append(std::vector<Message> &messages, const Diagnostics &diagnostics, const std::string &programFile)
{
    const std::vector<Message> more = messagesOf(diagnostics, programFile);
    messages.insert(messages.end(), more.begin(), more.end());
}

Diagnostics asWarnings(Diagnostics errors)
{
    for (Diagnostic &error : errors)
        error.severity = Severity::Warning;
    return errors;
}

// The documents and stages, which are nearly all of it.
Disposal::Batch partsOf(const NoLongerNeeded &of)
{
    Disposal::Batch batch;
    if (of.report != nullptr) {
        const Report &report = *of.report;
        batch.parts = {report.program, report.graph, report.schedule, report.loops,
                       report.lowered, report.code,  report.machine,  of.report};
    }
    const auto add = [&](const Stage &stage) { std::visit([&](const auto &made) { batch.parts.push_back(made); }, stage); };
    for (const PassStep &step : of.compilation.pipeline.steps) {
        add(step.before);
        add(step.after);
    }
    batch.parts.push_back(of.compilation.code);
    batch.parts.push_back(of.compilation.sources);
    batch.isLarge = of.compilation.graph != nullptr && of.compilation.graph->size() >= kLargeGraph;
    return batch;
}

std::string firstCommentOf(const std::string &path)
{
    const Result<std::string> text = readTextFile(path);
    if (!text || !text->starts_with('#'))
        return {};
    const std::string line = text->substr(1, text->find('\n') - 1);
    return line.substr(std::min(line.find_first_not_of(" #"), line.size()));
}

// Sorted by name.
std::vector<ExampleEntry> programsIn(const std::string &resourceFolder, std::string_view name)
{
    std::vector<ExampleEntry> entries;
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::path(resourceFolder) / name;
    for (std::filesystem::directory_iterator at(folder, error); !error && at != std::filesystem::directory_iterator();
         at.increment(error)) {
        const std::filesystem::path &path = at->path();
        if (path.extension() == ".sw")
            entries.push_back({path.stem().string(), path.string(), firstCommentOf(path.string())});
    }
    std::ranges::sort(entries, {}, &ExampleEntry::name);
    return entries;
}

} // namespace

Result<CompileRequest> compileRequestOf(const ExploreRequest &request, const std::string &resourceFolder,
                                        std::shared_ptr<const Tunings> tunings)
{
    CompileRequest made;
    if (!request.overrides.empty()) {
        SW_TRY(made.options.overrides, parseOverrides(request.overrides, request.overridesName));
    }
    made.program.fileName = request.fileName;
    made.program.text = request.text;
    made.program.isText = !request.isFile;
    made.program.resourceFolder = resourceFolder;
    made.program.dimensions.insert(request.dimensions.begin(), request.dimensions.end());
    made.program.openDimensions = request.openDimensions;
    for (const TensorViewPtr &input : request.knownInputs)
        made.program.knownInputs.push_back({input->name(), input->tensor()});
    made.device = request.device;
    made.options.tunings = std::move(tunings);
    switchOff(made.options, request);
    made.threads = request.threads;
    made.until = request.compileMachineCode ? CompileUntil::Machine : CompileUntil::Code;
    return made;
}

RunOutputs keptOutputs(const ExecutionResult &result, const RunInputs &inputs)
{
    RunOutputs kept;
    kept.inputs = inputs;
    std::int64_t bytes = 0;
    for (const NamedTensor &output : result.outputs)
        bytes += output.value.elements() * static_cast<std::int64_t>(bytesOf(output.value.dtype()));
    kept.isTooLarge = bytes > kMostKeptBytes;
    if (!kept.isTooLarge)
        kept.outputs = result.outputs;
    return kept;
}

RunInputs inputsOf(const RunRequest &request)
{
    return {request.seed, request.dimensions, request.inputs};
}

void addRun(Report &to, const ExecutionResult &result, const RunInputs &inputs, const std::string &programFile)
{
    append(to.messages, result.faults, programFile);
    for (std::size_t i = 0; i < to.kernels.size(); ++i) {
        const Timing &timing = result.kernels.at(i);
        if (timing.runs == 0) { // another branch was chosen
            to.kernels[i].medianNanoseconds.reset();
            continue;
        }
        to.kernels[i].medianNanoseconds = timing.median.count();
        to.kernels[i].minNanoseconds = timing.min.count();
        to.kernels[i].maxNanoseconds = timing.max.count();
        to.kernels[i].lowNanoseconds = timing.low.count();
        to.kernels[i].highNanoseconds = timing.high.count();
    }
    to.totalMedianNanoseconds = result.total.median.count();
    to.runOutputs = std::make_shared<const RunOutputs>(keptOutputs(result, inputs));
    to.runParts = runParts(result.parts);
    to.outputs.clear();
    for (const NamedTensor &output : result.outputs)
        to.outputs.push_back(std::make_shared<const TensorView>(output.name, output.value));
}

// Artifacts are destroyed here, because compilers serve one thread.
void Explorer::Implementation::dispose(NoLongerNeeded parts)
{
    parts.compilation.program.reset();
    parts.described.program.reset();
    disposal.add(partsOf(parts));
}

Result<ExecutionResult> Explorer::Implementation::execute(const RunRequest &request, std::stop_token stop)
{
    SW_TRY(const auto values, inputValues(*compilation.graph, inputsOf(request)));
    CheckedProgram checked{compilation.program, {}};
    if (request.checkAccesses) {
        SW_TRY(checked, withCheckedAccesses(compiler, compilation, stop));
    }
    SW_TRY(std::vector<OpenedDevice *> devices, compiler.openedDevices(compilation));
    SW_TRY(const auto executor, Executor::prepare(std::move(devices), checked.program, values, {}, request.dimensions));
    const RunLimit limit(request.limit, stop);
    Result<ExecutionResult> result =
        executor->run({.warmup = request.warmup, .repeats = std::max(request.repeats, 1U)}, limit.token(), request.onProgress);
    if (!result)
        return Failure(limit.errorsOf(result.error()));
    result->faults.insert(result->faults.end(), checked.notes.begin(), checked.notes.end());
    return result;
}

void Explorer::Implementation::measureMissing(Report &to, const std::stop_token &stop)
{
    SW_ASSERT(figures != nullptr, "a place to keep the figures in");
    const std::vector<DeviceFigures> before = figuresOf(compilation.target, figures);
    const Result<std::vector<OpenedDevice *>> devices = compiler.openedDevices(compilation);
    const Result<Done> measured =
        devices ? measureInto(*figures, *devices, Measure::Missing, stop) : Result<Done>(devices.failure());
    if (!measured && !stop.stop_requested())
        append(to.messages, asWarnings(measured.error()), programFileOf(compilation));
    if (const std::vector<DeviceFigures> after = figuresOf(compilation.target, figures); after != before) {
        addEstimates(to.kernels, *compilation.schedule, after);
        to.schedule = describeSchedule(compilation.schedule, compilation.loops, after);
    }
}

Explorer::Explorer(const BackendRegistry &registry, std::string resourceFolder, const FiguresStore *figures)
    : m_implementation(std::make_unique<Implementation>(registry, std::move(resourceFolder), figures))
{
}

Explorer::~Explorer() = default;

std::vector<DeviceEntry> Explorer::devices()
{
    return listDevices(m_implementation->registry);
}

std::vector<ExampleEntry> Explorer::examples() const
{
    return programsIn(m_implementation->resourceFolder, "examples");
}

std::vector<ExampleEntry> Explorer::library() const
{
    return programsIn(m_implementation->resourceFolder, "library");
}

std::string Explorer::libraryText(std::string_view file) const
{
    // Only listed files are opened, because the name comes from a message.
    for (const std::string_view folder : {"library", "library/onnx"}) {
        for (const ExampleEntry &entry : programsIn(m_implementation->resourceFolder, folder)) {
            if (file != format("{}/{}.sw", folder, entry.name))
                continue;
            const Result<std::string> text = readTextFile(entry.path);
            return text ? *text : std::string();
        }
    }
    return {};
}

ReportPtr Explorer::compile(const ExploreRequest &request, const ReportCallback &progress, std::stop_token stop)
{
    Implementation &own = *m_implementation;
    const Disposal::Pause pause(own.disposal);
    Report report;
    report.device = request.device;
    Described described;
    described.figures = own.figures;
    Result<CompileRequest> wanted = own.requestOf(request);
    if (!wanted) {
        own.forget();
        report.messages = messagesOf(wanted.error(), {});
        return own.report = std::make_shared<const Report>(std::move(report));
    }
    const auto observe = [&](const Compilation &compilation) {
        if (stop.stop_requested())
            return; // nobody looks at it
        own.compileProgress.begin(kDescribing);
        fillReport(report, described, compilation, Expected::More, stop);
        if (progress && !stop.stop_requested())
            progress(std::make_shared<const Report>(report));
    };
    wanted->progress = &own.compileProgress;
    Compilation compilation = own.compiler.compile(*wanted, stop, observe);
    own.compileProgress.begin(kDescribing);
    try {
        if (!compilation.cancelled)
            fillReport(report, described, compilation, Expected::Nothing, stop);
    } catch (const std::exception &exception) {
        compilation.succeeded = false;
        append(report.messages, {diagnosticOf(exception)}, programFileOf(compilation));
    }
    own.compileProgress.end();
    if (compilation.cancelled || stop.stop_requested()) {
        own.dispose({std::move(compilation), std::make_shared<const Report>(std::move(report)), std::move(described)});
        return nullptr;
    }
    report.succeeded = compilation.succeeded;
    if (report.device.empty())
        report.device = compilation.target.device.id;
    Compilation before = std::exchange(own.compilation, std::move(compilation));
    own.forgetParts();
    own.listings.assign(own.compilation.program == nullptr ? 0 : own.compilation.program->artifacts.size(), std::nullopt);
    ReportPtr reportBefore = std::exchange(own.report, std::make_shared<const Report>(std::move(report)));
    own.dispose({std::move(before), std::move(reportBefore), {}});
    return own.report;
}

const WorkProgress &Explorer::compileProgress() const
{
    return m_implementation->compileProgress;
}

RunInputs Explorer::knownForRun(const ExploreRequest &request) const
{
    const Compilation &compilation = m_implementation->compilation;
    RunInputs inputs;
    inputs.dimensions = compilation.runDimensions;
    for (const TensorViewPtr &input : request.knownInputs) {
        if (std::ranges::find(compilation.constantInputs, input->name()) != compilation.constantInputs.end())
            continue;
        InputChoice choice;
        choice.name = input->name();
        choice.fill = InputFill::Tensor;
        choice.tensor = input;
        inputs.inputs.push_back(std::move(choice));
    }
    return inputs;
}

ReportPtr Explorer::run(const RunRequest &request, std::stop_token stop)
{
    Implementation &own = *m_implementation;
    if (own.report == nullptr || own.compilation.program == nullptr)
        return nullptr;
    Report report = *own.report;
    const std::string programFile = programFileOf(own.compilation);
    report.messages = messagesOf(own.compilation.diagnostics, programFile);
    report.outputs.clear();
    try {
        const Result<ExecutionResult> result = own.execute(request, stop);
        if (stop.stop_requested())
            return nullptr;
        if (!result) {
            append(report.messages, result.error(), programFile);
        } else {
            own.inputs = inputsOf(request);
            addRun(report, *result, own.inputs, programFile);
            if (own.figures != nullptr && request.repeats > 1)
                own.measureMissing(report, stop);
            report.figures = own.programFigures(own.compilation, result->total);
        }
    } catch (const std::exception &exception) {
        append(report.messages, {diagnosticOf(exception)}, programFile);
    }
    own.report = std::make_shared<const Report>(std::move(report));
    return own.report;
}

ReportPtr Explorer::readMachineCode(const std::vector<std::uint32_t> &kernels, std::stop_token stop)
{
    Implementation &own = *m_implementation;
    if (own.report == nullptr || own.listings.empty())
        return nullptr;
    Report report = *own.report;
    try {
        for (const std::uint32_t kernel : kernels)
            if (kernel < own.listings.size() && !own.listings[kernel] && !stop.stop_requested())
                own.listings[kernel] = own.compiler.machineCode(own.compilation, KernelId(kernel));
        report.machine = describeMachine(*own.compilation.lowered, *own.compilation.code, own.listings);
    } catch (const std::exception &exception) {
        append(report.messages, {diagnosticOf(exception)}, programFileOf(own.compilation));
    }
    own.report = std::make_shared<const Report>(std::move(report));
    return own.report;
}

} // namespace sw
