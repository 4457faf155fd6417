#include "engine/api/compilation.h"

#include "engine/api/lowered_program.h"
#include "engine/api/override_notes.h"
#include "engine/graph/placement.h"
#include "engine/pipeline/pipeline.h"

#include <algorithm>
#include <exception>
#include <string_view>
#include <utility>

namespace sw {

namespace {

void append(Diagnostics &all, const Diagnostics &more)
{
    all.insert(all.end(), more.begin(), more.end());
}

void addTime(Compilation &compilation, std::string_view name, std::chrono::nanoseconds time,
             std::chrono::steady_clock::time_point begin)
{
    for (NamedTime &known : compilation.times)
        if (known.name == name) {
            known.time += time;
            return;
        }
    compilation.times.push_back({std::string(name), time, begin});
}

class Stopwatch {
public:
    Stopwatch(Compilation &compilation, std::string_view name) : m_compilation(compilation), m_name(name) {}
    ~Stopwatch() { addTime(m_compilation, m_name, std::chrono::steady_clock::now() - m_begin, m_begin); }
    Stopwatch(const Stopwatch &) = delete;
    Stopwatch &operator=(const Stopwatch &) = delete;

private:
    Compilation &m_compilation;
    std::string_view m_name;
    std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();
};

// Puts the stage into its slot; a lowered text brings its schedule and graph along.
void keepStage(Compilation &compilation, const Stage &stage)
{
    if (const auto *graph = std::get_if<GraphPtr>(&stage))
        compilation.graph = *graph;
    if (const auto *schedule = std::get_if<SchedulePtr>(&stage))
        compilation.schedule = *schedule;
    if (const auto *loops = std::get_if<LoopProgramPtr>(&stage))
        compilation.loops = *loops;
    if (const auto *lowered = std::get_if<LoweredProgramPtr>(&stage)) {
        compilation.lowered = *lowered;
        compilation.schedule = (*lowered)->schedule;
        compilation.graph = (*lowered)->schedule->graph;
    }
}

std::span<const PassInfo> passesUntil(CompileUntil until)
{
    const std::span<const PassInfo> all = standardPipeline();
    if (until != CompileUntil::Graph)
        return all;
    std::size_t count = 0;
    while (count < all.size() && all[count].output == StageLevel::Graph)
        ++count;
    return all.first(count);
}

// The steps of a compilation; each works on what the ones before it left in the Compilation. False: the compilation ended.
class Descent {
public:
    Descent(const BackendRegistry &registry, const CompileRequest &request, std::stop_token stop,
            const CompilationObserver &observer, PipelineMemo &memo, Compilation &compilation)
        : m_registry(registry),
          m_request(request),
          m_stop(std::move(stop)),
          m_observer(observer),
          m_memo(memo),
          m_compilation(compilation)
    {
    }

    bool chooseDevice()
    {
        std::string device = m_request.device;
        if (device.empty())
            device = m_textDevice.empty() ? std::string(kUsualDevice) : m_textDevice;
        Result<BackendRegistry::Found> found = m_registry.device(device);
        if (!found)
            return fail(found.error());
        m_renderers = {&found->backend->renderer()};
        m_compilation.target = {planned(*found), m_renderers.front()->language(), m_request.options};
        return true;
    }

    // Chooses the devices that the program names besides the one that it is compiled for.
    bool chooseNamedDevices()
    {
        const auto *graph = std::get_if<GraphPtr>(&*m_start);
        if (graph == nullptr)
            return true;
        Diagnostics errors;
        for (const NamedDevice &named : devicesNamedIn(**graph)) {
            if (named.name == m_compilation.target.device.id)
                continue;
            Result<BackendRegistry::Found> found = m_registry.device(named.name);
            if (!found) {
                Diagnostics told = found.error();
                told.front().where = (*graph)->sources().programRange((*graph)->node(named.node).origin);
                append(errors, told);
                continue;
            }
            m_renderers.push_back(&found->backend->renderer());
            m_compilation.target.others.push_back({planned(*found), m_renderers.back()->language()});
        }
        return errors.empty() || fail(errors);
    }

    bool open()
    {
        FrontEndResult opened = [&] {
            const Stopwatch watch(m_compilation, "parse");
            return openProgram(m_request.program, m_stop, m_request.progress);
        }();
        m_compilation.sources = opened.sources;
        m_compilation.constantInputs = std::move(opened.constantInputs);
        m_compilation.runDimensions = std::move(opened.runDimensions);
        m_compilation.modelDimensions = std::move(opened.modelDimensions);
        append(m_compilation.diagnostics, opened.diagnostics);
        if (!opened.stage)
            return stopHere();
        m_start = std::move(opened.stage);
        m_textDevice = std::move(opened.device);
        if (const Result<Done> sound = verifyStage(*m_start); !sound)
            return fail(sound.error());
        keepStage(m_compilation, *m_start);
        announce();
        return true;
    }

    bool runPasses()
    {
        const auto observe = [&](const PassStep &step) {
            addTime(m_compilation, stageTimeName(*step.pass), step.time, step.begin);
            if (levelOf(step.before) != levelOf(step.after)) // what was left behind is final, what was entered is not
                announce();
            keepStage(m_compilation, step.after);
        };
        m_compilation.pipeline = runPipeline(*m_start, passesUntil(m_request.until), m_compilation.target, m_stop, observe,
                                             m_request.progress, m_request.until == CompileUntil::Graph ? nullptr : &m_memo);
        append(m_compilation.diagnostics, m_compilation.pipeline.diagnostics);
        if (const auto *program = std::get_if<LoweredProgramPtr>(&*m_start))
            append(m_compilation.diagnostics, accessNotes(**program, m_compilation.pipeline));
        if (m_compilation.schedule != nullptr && !m_request.options.overrides.items.empty())
            append(m_compilation.diagnostics,
                   overrideNotes(m_request.options.overrides, outcomesOf(*m_compilation.schedule, m_compilation.loops.get())));
        if (m_compilation.loops != nullptr)
            for (const std::string &note : m_compilation.loops->notes)
                m_compilation.diagnostics.push_back(Diagnostic::warning(Code::Unsupported, {}, "{}", note));
        if (m_compilation.lowered != nullptr)
            append(m_compilation.diagnostics, editNotes(m_request.options.overrides, m_compilation.lowered->edits));
        if (!m_compilation.pipeline.succeeded)
            return stopHere();
        if (m_compilation.lowered != nullptr && m_request.until > CompileUntil::Lowered)
            announce(); // it can be read while the code is made
        return true;
    }

    bool render()
    {
        auto sources = [&] {
            const Stopwatch watch(m_compilation, "render");
            tell("Write the code");
            return renderProgram(*m_compilation.lowered, renderTargets());
        }();
        if (!sources)
            return fail(sources.error());
        m_compilation.edits = replaceSources(*m_compilation.lowered, m_request.options.overrides, *sources);
        m_compilation.code = std::make_shared<const std::vector<RenderedSource>>(std::move(*sources));
        m_compilation.guardBuffers |= m_compilation.hasEditedCode();
        if (m_request.until == CompileUntil::Code)
            append(m_compilation.diagnostics, editNotes(m_request.options.overrides, m_compilation.edits.edits));
        announce();
        return !m_stop.stop_requested() || stopHere();
    }

    // devices: by slot.
    bool makeMachineCode(std::span<OpenedDevice *const> devices)
    {
        auto artifacts = [&] {
            const Stopwatch watch(m_compilation, "compile");
            tell("Compile");
            tryEdits(devices);
            return compileProgram(*m_compilation.lowered, *m_compilation.code, devices, m_stop, m_request.progress);
        }();
        if (!artifacts)
            return fail(artifacts.error());
        m_compilation.program =
            std::make_shared<const CompiledProgram>(CompiledProgram{m_compilation.lowered, std::move(*artifacts)});
        announce();
        return true;
    }

    bool fail(const Diagnostics &diagnostics)
    {
        append(m_compilation.diagnostics, diagnostics);
        return stopHere();
    }

private:
    void tryEdits(std::span<OpenedDevice *const> devices)
    {
        if (m_compilation.edits.edits.empty())
            return;
        std::vector<RenderedSource> sources = *m_compilation.code;
        if (refuseBrokenSources(m_compilation.edits, *m_compilation.lowered, sources, devices, m_stop))
            m_compilation.code = std::make_shared<const std::vector<RenderedSource>>(std::move(sources));
        append(m_compilation.diagnostics, editNotes(m_request.options.overrides, m_compilation.edits.edits));
    }
    [[nodiscard]] DeviceInfo planned(const BackendRegistry::Found &found) const
    {
        return withOptions(found.device, {.threads = m_request.threads});
    }
    [[nodiscard]] std::vector<RenderTarget> renderTargets() const
    {
        std::vector<RenderTarget> targets{{m_renderers.front(), &m_compilation.target.device}};
        for (std::size_t i = 0; i < m_compilation.target.others.size(); ++i)
            targets.push_back({m_renderers[i + 1], &m_compilation.target.others[i].device});
        return targets;
    }
    bool stopHere()
    {
        m_compilation.cancelled = m_stop.stop_requested();
        return false;
    }
    void tell(std::string_view step) const
    {
        if (m_request.progress != nullptr)
            m_request.progress->begin(step);
    }
    void announce() const
    {
        if (m_observer)
            m_observer(m_compilation);
    }

    const BackendRegistry &m_registry;
    const CompileRequest &m_request;
    std::stop_token m_stop;
    const CompilationObserver &m_observer;
    PipelineMemo &m_memo;
    Compilation &m_compilation;
    std::vector<const Renderer *> m_renderers; // by slot
    std::optional<Stage> m_start;
    std::string m_textDevice;
};

} // namespace

std::string_view stageTimeName(const PassInfo &pass)
{
    return pass.output == StageLevel::Lowered && pass.input == StageLevel::Loops ? "lower" : nameOf(pass.output);
}

Compilation ProgramCompiler::compile(const CompileRequest &request, std::stop_token stop, const CompilationObserver &observer)
{
    Compilation compilation;
    compilation.threads = request.threads;
    compilation.guardBuffers = request.guardBuffers;
    Descent descent(m_registry, request, stop, observer, m_memo, compilation);
    try {
        const bool wantsDevice = request.until != CompileUntil::Program;
        bool isGoing = !wantsDevice || request.device.empty() || descent.chooseDevice();
        isGoing = isGoing && descent.open();
        if (isGoing && wantsDevice && request.device.empty()) // the text may say which
            isGoing = descent.chooseDevice();
        if (isGoing && request.until >= CompileUntil::Graph)
            isGoing = descent.chooseNamedDevices() && descent.runPasses();
        if (isGoing && request.until >= CompileUntil::Code)
            isGoing = descent.render();
        if (isGoing && request.until == CompileUntil::Machine) {
            const Result<std::vector<OpenedDevice *>> devices = openedDevices(compilation);
            isGoing = devices ? descent.makeMachineCode(*devices) : descent.fail(devices.error());
        }
        compilation.succeeded = isGoing;
    } catch (const std::exception &exception) {
        compilation.diagnostics.push_back(diagnosticOf(exception));
    }
    compilation.cancelled = stop.stop_requested();
    if (request.progress != nullptr)
        request.progress->end();
    return compilation;
}

bool Compilation::hasEditedCode() const
{
    const auto isApplied = [](const KernelEdit &edit) { return edit.outcome.state == OverrideState::Applied; };
    return (lowered != nullptr && std::ranges::any_of(lowered->edits, isApplied)) || std::ranges::any_of(edits.edits, isApplied);
}

Result<OpenedDevice *> ProgramCompiler::openedDevice(const std::string &id, std::uint32_t threads, bool guardBuffers)
{
    for (const Opened &known : m_opened)
        if (known.id == id && known.threads == threads && known.guardBuffers == guardBuffers)
            return known.device.get();
    SW_TRY(auto device, OpenedDevice::open(m_registry, id, {.threads = threads, .guardBuffers = guardBuffers}));
    m_opened.push_back({id, threads, guardBuffers, std::move(device)});
    return m_opened.back().device.get();
}

Result<std::vector<OpenedDevice *>> ProgramCompiler::openedDevices(const Compilation &compilation)
{
    std::vector<OpenedDevice *> devices;
    SW_TRY(OpenedDevice *const first, openedDevice(compilation.target.device.id, compilation.threads, compilation.guardBuffers));
    devices.push_back(first);
    for (const TargetDevice &other : compilation.target.others) {
        SW_TRY(OpenedDevice *const opened, openedDevice(other.device.id, compilation.threads, compilation.guardBuffers));
        devices.push_back(opened);
    }
    return devices;
}

Result<OpenedDevice *> ProgramCompiler::deviceOf(const Compilation &compilation, KernelId kernel)
{
    SW_TRY(const std::vector<OpenedDevice *> devices, openedDevices(compilation));
    return devices.at(compilation.lowered->kernels.at(kernel.value).device.value);
}

MachineListing ProgramCompiler::machineCode(const Compilation &compilation, KernelId kernel)
{
    const Result<OpenedDevice *> device = deviceOf(compilation, kernel);
    if (!device)
        return Result<MachineCode>(device.failure());
    return (*device)->machineCode(*compilation.program->artifacts.at(kernel.value));
}

MachineListing ProgramCompiler::crossCode(const Compilation &compilation, KernelId kernel, const std::string &target)
{
    const Result<OpenedDevice *> device = deviceOf(compilation, kernel);
    if (!device)
        return Result<MachineCode>(device.failure());
    return (*device)->crossCode(compilation.code->at(kernel.value), target);
}

Result<std::vector<CompilerPass>> ProgramCompiler::compilerPasses(const Compilation &compilation, KernelId kernel)
{
    SW_TRY(OpenedDevice *const device, deviceOf(compilation, kernel));
    return device->compilerPasses(compilation.code->at(kernel.value));
}

std::vector<MachineListing> ProgramCompiler::machineListings(const Compilation &compilation, KernelId kernel,
                                                             const std::string &target)
{
    std::vector<MachineListing> listings(compilation.code->size());
    for (std::size_t i = 0; i < listings.size(); ++i)
        if (!kernel.isValid() || kernel.value == i)
            listings[i] = target.empty() ? machineCode(compilation, KernelId(i)) : crossCode(compilation, KernelId(i), target);
    return listings;
}

} // namespace sw
