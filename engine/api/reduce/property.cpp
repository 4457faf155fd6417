#include "engine/api/reduce/property.h"

#include "engine/accuracy/error_bounds.h"
#include "engine/execute/compare.h"
#include "engine/execute/input_values.h"
#include "engine/execute/output_limits.h"
#include "engine/execute/reference_graph.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace sw {

namespace {

constexpr double kReferenceOperations = 1e9;

// Stops what runs with its token when the time is over, or when somebody else stops.
class TimeLimit {
public:
    TimeLimit(std::chrono::milliseconds limit, const std::stop_token &outer)
        : m_outer(outer, [this] { m_source.request_stop(); }), m_waiting([this, limit](const std::stop_token &done) {
              std::unique_lock lock(m_mutex);
              m_wake.wait_for(lock, done, limit, [] { return false; });
              if (!done.stop_requested())
                  m_source.request_stop();
          })
    {
    }
    [[nodiscard]] std::stop_token token() const { return m_source.get_token(); }

private:
    std::stop_source m_source;
    std::stop_callback<std::function<void()>> m_outer;
    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::jthread m_waiting; // last: ends before the rest
};

const Diagnostic &firstErrorOf(const Diagnostics &diagnostics)
{
    const auto found = std::ranges::find(diagnostics, Severity::Error, &Diagnostic::severity);
    return found == diagnostics.end() ? diagnostics.front() : *found;
}

ProgramProperty failureOf(const std::string &device, std::string where, const Diagnostics &diagnostics)
{
    ProgramProperty made;
    made.kind = PropertyKind::Fails;
    made.device = device;
    made.where = std::move(where);
    if (!diagnostics.empty()) {
        made.code = nameOf(firstErrorOf(diagnostics).code);
        made.text = firstErrorOf(diagnostics).message;
    }
    made.text = format("{}: {} [{}], in the {}", device, made.text, made.code, made.where);
    return made;
}

std::string placeOfFailure(const Compilation &compilation)
{
    if (compilation.pipeline.steps.empty())
        return "front end";
    if (!compilation.pipeline.succeeded)
        return "pass " + std::string(compilation.pipeline.steps.back().pass->id);
    return "compiler";
}

GraphPtr programOf(const Compilation &compilation)
{
    const auto *first = compilation.pipeline.steps.empty() ? nullptr : &compilation.pipeline.steps.front().before;
    const auto *graph = first == nullptr ? nullptr : std::get_if<GraphPtr>(first);
    return graph == nullptr ? nullptr : *graph;
}

std::string differenceText(const std::string &first, const std::string &second, const std::string &output, const Divergence &at)
{
    return format("{} and {} differ: {} at [{}]: {} instead of {}, {:.3g} allowed", first, second, output, at.flatIndex,
                  toText(at.actual), toText(at.expected), at.allowed);
}

} // namespace

bool ProgramProperty::isSameAs(const ProgramProperty &same) const
{
    return kind == same.kind && device == same.device && other == same.other && code == same.code && where == same.where &&
           isByTolerance == same.isByTolerance;
}

PropertyCheck::PropertyCheck(ProgramCompiler &compiler, CompileRequest options, std::vector<std::string> devices,
                             std::chrono::milliseconds patience)
    : m_compiler(compiler), m_options(std::move(options)), m_devices(std::move(devices)), m_patience(patience)
{
}

CompileRequest PropertyCheck::requestOf(const TriedProgram &program, const std::string &device) const
{
    CompileRequest request = m_options;
    request.program.fileName = program.fileName;
    request.program.text = program.text;
    request.program.isText = true;
    request.program.knownInputs = program.given;
    request.program.dimensions.clear();
    request.device = device;
    request.until = CompileUntil::Machine;
    return request;
}

PropertyCheck::Ran PropertyCheck::run(const TriedProgram &program, const std::string &device, const std::stop_token &stop) const
{
    Ran made;
    try {
        made.compilation = m_compiler.compile(requestOf(program, device), stop);
        const Compilation &compilation = made.compilation;
        if (!compilation.succeeded || compilation.program == nullptr) {
            made.failure = failureOf(device, placeOfFailure(compilation), compilation.diagnostics);
            return made;
        }
        const auto ran = [&]() -> Result<ExecutionResult> {
            SW_TRY(const auto values, placeholderValues(*compilation.graph, program.given, 1));
            SW_TRY(std::vector<OpenedDevice *> devices, m_compiler.openedDevices(compilation));
            SW_TRY(const auto executor, Executor::prepare(std::move(devices), compilation.program, values));
            return executor->run({.warmup = 0, .repeats = 1}, stop);
        };
        Result<ExecutionResult> result = ran();
        if (!result)
            made.failure = failureOf(device, "run", result.error());
        else if (!result->faults.empty())
            made.failure = failureOf(device, "run", result->faults);
        else
            made.outputs = std::move(result->outputs);
    } catch (const std::exception &exception) {
        made.failure = failureOf(device, "run", {diagnosticOf(exception)});
    }
    return made;
}

// Against the reference: every element by its guaranteed bound.
std::optional<ProgramProperty> PropertyCheck::differenceOf(const TriedProgram &program, const Ran &ran,
                                                           const std::stop_token &stop) const
{
    const GraphPtr graph = programOf(ran.compilation);
    if (graph == nullptr)
        return std::nullopt;
    const auto reference = [&]() -> Result<BoundedOutputs> {
        SW_TRY(const auto values, placeholderValues(*graph, program.given, 1));
        SW_TRY(const GraphPtr bound, referenceGraphOf(graph, {}));
        const BoundOptions options{.withTypical = false, .stop = stop};
        if (const BoundCost cost = costOfBounds(*bound, options); cost.operations > kReferenceOperations)
            return Diagnostic::error(Code::Limit, {}, "the reference would take {:.3g} operations", cost.operations);
        return interpretWithBounds(*bound, values, options);
    }();
    if (!reference)
        return std::nullopt;
    for (std::size_t i = 0; i < ran.outputs.size() && i < reference->values.size(); ++i) {
        if (reference->values[i].shape() != ran.outputs[i].value.shape())
            continue;
        for (const Divergence &at : divergencesOf(reference->values[i], ran.outputs[i].value, &reference->bounds[i]))
            if (at.by == JudgedBy::Limit) {
                ProgramProperty made;
                made.device = ran.compilation.target.device.id;
                made.text = differenceText("the reference", made.device, ran.outputs[i].name, at);
                return made;
            }
    }
    return std::nullopt;
}

std::optional<ProgramProperty> PropertyCheck::findIn(const TriedProgram &program, const std::vector<std::string> &devices,
                                                     const std::stop_token &stop) const
{
    std::optional<Ran> first;
    std::optional<ProgramProperty> byTolerance; // kept only where no bound tells more
    for (const std::string &device : devices) {
        Ran ran = run(program, device, stop);
        if (stop.stop_requested())
            return std::nullopt;
        if (ran.failure)
            return ran.failure;
        if (devices.size() == 1)
            return differenceOf(program, ran, stop);
        if (!first) {
            first = std::move(ran);
            continue;
        }
        const GraphPtr graph = programOf(ran.compilation);
        OutputLimits limits;
        if (graph != nullptr)
            if (const auto values = placeholderValues(*graph, program.given, 1))
                limits = outputLimitsOf(graph, *values, {}, stop);
        for (std::size_t i = 0; i < ran.outputs.size(); ++i) {
            const bool hasLimits = i < limits.limits.size();
            for (const Divergence &at :
                 divergencesOf(first->outputs.at(i).value, ran.outputs[i].value, hasLimits ? &limits.limits[i] : nullptr)) {
                ProgramProperty made;
                made.device = device;
                made.other = devices.front();
                made.text = differenceText(made.other, device, ran.outputs[i].name, at);
                made.isByTolerance = at.by == JudgedBy::Tolerance;
                if (!made.isByTolerance)
                    return made;
                if (!byTolerance)
                    byTolerance = std::move(made);
            }
        }
    }
    return byTolerance;
}

std::optional<ProgramProperty> PropertyCheck::find(const TriedProgram &program, const std::stop_token &stop) const
{
    return findIn(program, m_devices, stop);
}

bool PropertyCheck::holds(const ProgramProperty &wanted, const TriedProgram &program, const std::stop_token &stop) const
{
    const TimeLimit limit(m_patience, stop);
    // A device that fails is tried alone.
    std::vector<std::string> devices{wanted.device};
    if (wanted.kind == PropertyKind::Different && !wanted.other.empty())
        devices.insert(devices.begin(), wanted.other);
    const std::optional<ProgramProperty> found = findIn(program, devices, limit.token());
    return found && found->isSameAs(wanted);
}

} // namespace sw
