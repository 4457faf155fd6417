#include "engine/api/compare/first_divergence.h"

#include "engine/accuracy/error_bounds.h"
#include "engine/accuracy/first_difference.h"
#include "engine/api/compilation.h"
#include "engine/execute/dimensions.h"
#include "engine/execute/reference_graph.h"
#include "engine/execute/wrong_rewrite.h"

#include <algorithm>

namespace sw {

namespace {

// A result of a kernel: a value that it stores.
struct KernelResult {
    KernelId kernel;
    NodeId node;
    BufferId buffer;
};

// In the order of the run.
std::vector<KernelResult> resultsOf(const Schedule &schedule)
{
    std::vector<KernelResult> results;
    for (const ScheduleItem &item : schedule.items) {
        const auto *launch = std::get_if<KernelLaunch>(&item.work);
        if (launch == nullptr)
            continue;
        const ScheduledKernel &kernel = schedule.kernel(launch->kernel);
        for (std::size_t i = 0; i < kernel.results.size(); ++i)
            results.push_back({launch->kernel, kernel.results[i], kernel.writes[i]});
    }
    return results;
}

// The graph with these values as its outputs.
Graph withOutputs(const Graph &graph, std::span<const KernelResult> results)
{
    NodeId last(0U);
    for (const KernelResult &result : results)
        last = std::max(last, result.node);
    std::vector<Node> nodes(graph.nodes().begin(), graph.nodes().begin() + last.value + 1);
    // Placeholders behind them stay, so that the values of all of them still fit.
    for (std::size_t i = last.value + 1; i < graph.size(); ++i)
        if (graph.node(NodeId(i)).kind == NodeKind::Placeholder)
            nodes.push_back(graph.node(NodeId(i)));
    Node sink = graph.nodes().back();
    sink.inputs.clear();
    SinkAttributes attributes;
    for (const KernelResult &result : results) {
        sink.inputs.push_back(result.node);
        attributes.outputNames.push_back(format("r{}", attributes.outputNames.size()));
    }
    sink.attributes = std::move(attributes);
    nodes.push_back(std::move(sink));
    return {std::move(nodes), graph.sourcesPtr()};
}

class Judge {
public:
    Judge(ProgramCompiler &compiler, const Compilation &compilation, const RunInputs &inputs, const DivergenceOptions &options)
        : m_compiler(compiler),
          m_compilation(compilation),
          m_inputs(inputs),
          m_options(options),
          m_schedule(*compilation.schedule)
    {
    }

    Result<FirstDivergence> judge()
    {
        SW_TRY(m_interpreted, interpretedValues(*m_schedule.graph, m_inputs));
        SW_TRY(m_values, inputValues(*m_schedule.graph, m_inputs));
        const std::vector<KernelResult> results = resultsOf(m_schedule);
        if (results.empty() && !m_schedule.kernels.empty()) // of a lowered text
            return Diagnostic::error(Code::Unsupported, {}, "lowered instructions do not say what program they are of");
        const std::int64_t all = static_cast<std::int64_t>(results.size());
        for (std::size_t first = 0; first < results.size() && !m_made.result;) {
            std::size_t end = first;
            // The device's value, the reference's, and its bounds in f64.
            for (std::int64_t bytes = 0; end < results.size() && (end == first || bytes < m_options.bytes); ++end) {
                const Node &node = m_schedule.graph->node(results[end].node);
                bytes += node.shape.largest().elements() * static_cast<std::int64_t>(2 * bytesOf(node.dtype) + sizeof(double));
            }
            SW_CHECK(judgePortion(std::span(results).subspan(first, end - first)));
            first = end;
            if (m_options.onProgress)
                m_options.onProgress(first, static_cast<std::uint64_t>(all));
        }
        SW_CHECK(judgePasses());
        return std::move(m_made);
    }

private:
    Result<Done> judgePortion(std::span<const KernelResult> results)
    {
        SW_TRY(const GraphPtr wanted, boundGraph(results));
        const BoundOptions bounds{.withTypical = false, .stop = m_options.stop};
        if (const BoundCost cost = costOfBounds(*wanted, bounds); cost.operations > m_options.operations)
            return Diagnostic::error(Code::Limit, {},
                                     "the reference would take {:.3g} operations, more than {:.3g}, to judge the kernel {}",
                                     cost.operations, m_options.operations, m_schedule.kernel(results.back().kernel).name);
        SW_TRY(const BoundedOutputs expected, interpretWithBounds(*wanted, m_interpreted, bounds));
        SW_TRY(const std::vector<HostTensor> actual, storedBy(results));
        for (std::size_t i = 0; i < results.size(); ++i) {
            const HostTensor &value = expected.values[i];
            const HostTensor stored = actual[i].elements() == value.elements() && actual[i].dtype() == value.dtype()
                                          ? actual[i].reshaped(value.shape())
                                          : actual[i];
            if (stored.shape() != value.shape() || stored.dtype() != value.dtype())
                return Diagnostic::error(Code::Unsupported, {}, "the kernel {} stores {} where the graph has {}",
                                         m_schedule.kernel(results[i].kernel).name, typeText(stored.dtype(), stored.shape()),
                                         typeText(value.dtype(), value.shape()));
            if (i == 0 || results[i].kernel != results[i - 1].kernel)
                ++m_made.kernelsJudged;
            if (const auto at = firstDifferenceAt(value, stored, expected.bounds[i])) {
                tell(results[i], *at, {value, stored, expected.bounds[i]});
                return Done{};
            }
        }
        return Done{};
    }

    Result<GraphPtr> boundGraph(std::span<const KernelResult> results) const
    {
        auto graph = std::make_shared<const Graph>(withOutputs(*m_schedule.graph, results));
        if (!graph->isSymbolic())
            return GraphPtr(std::move(graph));
        return Diagnostic::error(Code::Unsupported, {},
                                 "the first divergence of a program with open dimensions is not known: write "
                                 "numbers for its dimensions, or compile a model for them");
    }

    Result<std::vector<HostTensor>> storedBy(std::span<const KernelResult> results)
    {
        std::vector<BufferId> buffers;
        for (const KernelResult &result : results)
            buffers.push_back(result.buffer);
        SW_TRY(std::vector<OpenedDevice *> devices, m_compiler.openedDevices(m_compilation));
        SW_TRY(const auto executor,
               Executor::prepare(std::move(devices), m_compilation.program, m_values, {}, m_inputs.dimensions));
        return executor->runAndKeep(buffers, m_options.stop);
    }

    struct Values {
        const HostTensor &expected;
        const HostTensor &actual;
        const HostTensor &bounds;
    };
    void tell(const KernelResult &result, std::int64_t at, const Values &values)
    {
        const ScheduledKernel &kernel = m_schedule.kernel(result.kernel);
        const Node &node = m_schedule.graph->node(result.node);
        DivergentResult made;
        made.kernel = result.kernel.value;
        made.kernelName = kernel.name;
        made.device = m_schedule.device(kernel.device).id;
        made.node = result.node.value;
        made.label = operationText(node);
        made.line = m_schedule.graph->sources().programRange(node.origin).line;
        made.index = at;
        made.place = TensorView({}, values.expected).placeText(at);
        made.expected = toText(values.expected.at(at));
        made.actual = toText(values.actual.at(at));
        made.bound = values.bounds.at(at).asDouble();
        m_made.result = std::move(made);
    }

    // The passes are judged in any case: a wrong rewrite of the graph makes kernels that agree with the wrong graph.
    Result<Done> judgePasses()
    {
        SW_TRY(OpenedDevice *const interpreter, m_compiler.openedDevice("interpreter", 1));
        auto found =
            findWrongRewrite({m_compilation.pipeline, m_compilation.target, m_interpreted, *interpreter, m_options.stop});
        if (!found) {
            if (m_options.stop.stop_requested())
                return found.failure();
            m_made.passNote = found.error().front().message;
        } else if (*found) {
            WrongRewrite &wrong = **found;
            const auto rewrite = wrong.rewrite == kWholePass ? std::nullopt : std::optional(wrong.rewrite);
            m_made.pass = DivergentPass{wrong.pass,
                                        rewrite,
                                        std::move(wrong.passId),
                                        std::move(wrong.rule),
                                        std::move(wrong.detail),
                                        std::move(wrong.difference)};
        }
        return Done{};
    }

    ProgramCompiler &m_compiler;
    const Compilation &m_compilation;
    const RunInputs &m_inputs;
    const DivergenceOptions &m_options;
    const Schedule &m_schedule;
    std::vector<HostTensor> m_interpreted; // for the reference
    std::vector<HostTensor> m_values;      // for the device
    FirstDivergence m_made;
};

} // namespace

std::string FirstDivergence::text() const
{
    std::string made;
    if (result)
        made = format("{} on {}: %{} {}{} is {} instead of {} at [{}], {:.3g} allowed; the kernels before it are right\n",
                      result->kernelName, result->device, result->node, result->label,
                      result->line == 0 ? "" : format(" (line {})", result->line), result->actual, result->expected,
                      result->place, result->bound);
    else
        made = format("{} kernels, all results within their error bounds\n", kernelsJudged);
    if (pass && pass->rewrite)
        made += format("made so by pass {}, rewrite {}, {}: {}\n  {}\n", pass->passId, *pass->rewrite, pass->rule, pass->detail,
                       pass->difference);
    else if (pass)
        made += format("made so by pass {}\n  {}\n", pass->passId, pass->difference);
    else if (!passNote.empty())
        made += format("the passes were not judged: {}\n", passNote);
    else if (result)
        made += "every pass keeps the meaning of the program: the device makes something else of right instructions\n";
    return made;
}

Result<FirstDivergence> firstDivergence(ProgramCompiler &compiler, const Compilation &compilation, const RunInputs &inputs,
                                        const DivergenceOptions &options)
{
    if (compilation.program == nullptr)
        return Diagnostic::error(Code::Argument, {}, "the program was not compiled for a device");
    return Judge(compiler, compilation, inputs, options).judge();
}

} // namespace sw
