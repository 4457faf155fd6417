#include "engine/api/compare/first_divergence.h"

#include "engine/accuracy/first_difference.h"
#include "engine/api/compare/kernel_results.h"
#include "engine/api/compilation.h"
#include "engine/execute/wrong_rewrite.h"

namespace sw {

namespace {

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
        SW_TRY(m_values, resultInputs(m_schedule, m_inputs));
        const std::vector<KernelResult> results = resultsOf(m_schedule);
        if (results.empty() && !m_schedule.kernels.empty()) // of a lowered text
            return Diagnostic::error(Code::Unsupported, {}, "lowered instructions do not say what program they are of");
        for (std::size_t first = 0; first < results.size() && !m_made.result;) {
            const std::size_t end = portionEnd(m_schedule, results, first, m_options.bytes);
            SW_CHECK(judgePortion(std::span(results).subspan(first, end - first)));
            first = end;
            if (m_options.onProgress)
                m_options.onProgress(first, results.size());
        }
        SW_CHECK(judgePasses());
        return std::move(m_made);
    }

private:
    Result<Done> judgePortion(std::span<const KernelResult> results)
    {
        SW_TRY(const BoundedOutputs expected,
               referenceResults(m_schedule, results, m_values, m_options.operations, m_options.stop));
        SW_TRY(const auto stored, storedResults(m_compiler, m_compilation, results, m_values, m_options.stop));
        for (std::size_t i = 0; i < results.size(); ++i) {
            if (i == 0 || results[i].kernel != results[i - 1].kernel)
                ++m_made.kernelsJudged;
            const HostTensor &value = expected.values[i];
            if (!stored[i])
                continue; // of a branch that is not chosen
            if (const auto at = firstDifferenceAt(value, *stored[i], expected.bounds[i])) {
                tell(results[i], *at, {value, *stored[i], expected.bounds[i]});
                return Done{};
            }
        }
        return Done{};
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
            findWrongRewrite({m_compilation.pipeline, m_compilation.target, m_values.interpreted, *interpreter, m_options.stop});
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
    ResultInputs m_values;
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
