#include "engine/api/compilation.h"

#include "engine/pipeline/pipeline.h"

#include <exception>
#include <string_view>
#include <utility>

namespace sw {

namespace {

void append(Diagnostics &all, const Diagnostics &more)
{
    all.insert(all.end(), more.begin(), more.end());
}

std::string_view timeNameOf(const PassInfo &pass)
{
    return pass.output == StageLevel::Lowered && pass.input == StageLevel::Loops ? "lower" : nameOf(pass.output);
}

void addTime(Compilation &compilation, std::string_view name, std::chrono::nanoseconds time)
{
    for (NamedTime &known : compilation.times)
        if (known.name == name) {
            known.time += time;
            return;
        }
    compilation.times.push_back({std::string(name), time});
}

class Stopwatch {
public:
    Stopwatch(Compilation &compilation, std::string_view name) : m_compilation(compilation), m_name(name) {}
    ~Stopwatch() { addTime(m_compilation, m_name, std::chrono::steady_clock::now() - m_begin); }
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

// The steps of a compilation, each with what the ones before it left in the Compilation. False: it ended.
class Descent {
public:
    Descent(const BackendRegistry &registry, const CompileRequest &request, std::stop_token stop,
            const CompilationObserver &observer, Compilation &compilation)
        : m_registry(registry), m_request(request), m_stop(std::move(stop)), m_observer(observer), m_compilation(compilation)
    {
    }

    bool chooseDevice()
    {
        Result<BackendRegistry::Found> found = m_registry.device(m_request.device);
        if (!found)
            return fail(found.error());
        m_renderer = &found->backend->renderer();
        m_compilation.target = {found->device, m_renderer->language(), m_request.options};
        return true;
    }

    bool open()
    {
        FrontEndResult opened = [&] {
            const Stopwatch watch(m_compilation, "parse");
            return openProgram(m_request.program, m_stop);
        }();
        m_compilation.sources = opened.sources;
        m_compilation.constantInputs = std::move(opened.constantInputs);
        append(m_compilation.diagnostics, opened.diagnostics);
        if (!opened.stage)
            return stopHere();
        m_start = std::move(opened.stage);
        if (const Result<Done> sound = verifyStage(*m_start); !sound)
            return fail(sound.error());
        keepStage(m_compilation, *m_start);
        announce();
        return true;
    }

    bool runPasses()
    {
        const auto observe = [&](const PassStep &step) {
            addTime(m_compilation, timeNameOf(*step.pass), step.time);
            if (levelOf(step.before) != levelOf(step.after)) // what was left behind is final, what was entered is not
                announce();
            keepStage(m_compilation, step.after);
        };
        m_compilation.pipeline = runPipeline(*m_start, passesUntil(m_request.until), m_compilation.target, m_stop, observe);
        append(m_compilation.diagnostics, m_compilation.pipeline.diagnostics);
        return m_compilation.pipeline.succeeded || stopHere();
    }

    bool render()
    {
        auto sources = [&] {
            const Stopwatch watch(m_compilation, "render");
            return renderProgram(*m_compilation.lowered, *m_renderer, m_compilation.target.device);
        }();
        if (!sources)
            return fail(sources.error());
        m_compilation.code = std::make_shared<const std::vector<RenderedSource>>(std::move(*sources));
        announce();
        return true;
    }

    bool makeMachineCode(OpenedDevice &device)
    {
        auto artifacts = [&] {
            const Stopwatch watch(m_compilation, "compile");
            return device.compile(*m_compilation.code, m_stop);
        }();
        if (!artifacts)
            return fail(artifacts.error());
        m_compilation.program = std::make_shared<const CompiledProgram>(
            CompiledProgram{m_compilation.lowered, *m_compilation.code, std::move(*artifacts)});
        announce();
        return true;
    }

    bool fail(const Diagnostics &diagnostics)
    {
        append(m_compilation.diagnostics, diagnostics);
        return stopHere();
    }

private:
    bool stopHere()
    {
        m_compilation.cancelled = m_stop.stop_requested();
        return false;
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
    Compilation &m_compilation;
    const Renderer *m_renderer = nullptr;
    std::optional<Stage> m_start;
};

} // namespace

Compilation ProgramCompiler::compile(const CompileRequest &request, std::stop_token stop, const CompilationObserver &observer)
{
    Compilation compilation;
    compilation.threads = request.threads;
    Descent descent(m_registry, request, stop, observer, compilation);
    try {
        bool isGoing = request.until == CompileUntil::Program || descent.chooseDevice();
        isGoing = isGoing && descent.open();
        if (isGoing && request.until >= CompileUntil::Graph)
            isGoing = descent.runPasses();
        if (isGoing && request.until >= CompileUntil::Code)
            isGoing = descent.render();
        if (isGoing && request.until == CompileUntil::Machine) {
            const Result<OpenedDevice *> device = openedDevice(request.device, request.threads);
            isGoing = device ? descent.makeMachineCode(**device) : descent.fail(device.error());
        }
        compilation.succeeded = isGoing;
    } catch (const std::exception &exception) {
        compilation.diagnostics.push_back(diagnosticOf(exception));
    }
    compilation.cancelled = stop.stop_requested();
    return compilation;
}

Result<OpenedDevice *> ProgramCompiler::openedDevice(const std::string &id, std::uint32_t threads)
{
    for (const Opened &known : m_opened)
        if (known.id == id && known.threads == threads)
            return known.device.get();
    SW_TRY(auto device, OpenedDevice::open(m_registry, id, {.threads = threads}));
    m_opened.push_back({id, threads, std::move(device)});
    return m_opened.back().device.get();
}

} // namespace sw
