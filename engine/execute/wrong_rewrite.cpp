#include "engine/execute/wrong_rewrite.h"

#include "engine/accuracy/error_bounds.h"
#include "engine/accuracy/first_difference.h"
#include "engine/execute/executor.h"
#include "engine/execute/reference_graph.h"
#include "engine/graph/interpreter.h"
#include "engine/pipeline/partial_run.h"

#include <utility>
#include <vector>

namespace sw {

namespace {

// The same bytes in the type that a stage has them in: a pass takes u32x4 apart into a last axis of u32.
HostTensor fitted(const HostTensor &value, DType dtype, const Shape &shape)
{
    const bool isOtherForm = (value.dtype() == DType::U32x4) != (dtype == DType::U32x4);
    const bool fits = static_cast<std::size_t>(shape.elements()) * bytesOf(dtype) == value.byteSize();
    return isOtherForm && fits ? value.reinterpreted(dtype, shape) : value;
}

std::vector<HostTensor> fitted(std::span<const HostTensor> inputs, const Graph &graph)
{
    const std::vector<NodeId> placeholders = graph.placeholders();
    std::vector<HostTensor> made;
    for (std::size_t i = 0; i < placeholders.size() && i < inputs.size(); ++i)
        made.push_back(fitted(inputs[i], graph.node(placeholders[i]).dtype, graph.node(placeholders[i]).shape));
    return made;
}

class Search {
public:
    explicit Search(const MeaningCheck &check) : m_check(check) {}

    Result<std::optional<WrongRewrite>> search()
    {
        const auto *program = m_check.run.steps.empty() ? nullptr : std::get_if<GraphPtr>(&m_check.run.steps.front().before);
        if (program == nullptr)
            return Diagnostic::error(Code::Unsupported, {}, "lowered instructions do not say what program they are of");
        if ((*program)->isSymbolic())
            return Diagnostic::error(Code::Unsupported, {}, "a program with open dimensions has no reference for its passes");
        SW_TRY(const GraphPtr reference, referenceGraphOf(*program, {}));
        SW_TRY(m_expected, interpretWithBounds(*reference, fitted(m_check.inputs, *reference), {.stop = m_check.stop}));
        std::optional<WrongRewrite> found = wrongPass();
        if (m_check.stop.stop_requested())
            return Diagnostic::error(Code::Cancelled, {}, "the search was cancelled");
        return found;
    }

private:
    using Steps = std::vector<PassStep>;
    [[nodiscard]] const Steps &steps() const { return m_check.run.steps; }

    std::optional<WrongRewrite> wrongPass()
    {
        std::size_t lastRight = 0; // steps up to here are right
        for (std::size_t i = 0; i < steps().size() && !m_check.stop.stop_requested(); ++i) {
            const PassStep &step = steps()[i];
            if (step.failed)
                return named(i, kWholePass, toText(step.diagnostics));
            const StageLevel level = levelOf(step.after);
            if (!step.changed || (level != StageLevel::Graph && level != StageLevel::Lowered))
                continue;
            const std::string fault = faultOf(step.after);
            if (fault.empty()) {
                lastRight = i + 1;
                continue;
            }
            // What lies between graph and instructions shows in the pass that makes the instructions.
            for (std::size_t k = lastRight; k < i; ++k)
                if (const auto rewrite = wrongRewriteOf(k))
                    return named(k, *rewrite, fault);
            return named(i, wrongRewriteOf(i).value_or(kWholePass), fault);
        }
        return std::nullopt;
    }

    // The rewrite that makes the difference, by what is right after none of them and wrong after all. Nothing: not this pass.
    std::optional<std::uint32_t> wrongRewriteOf(std::size_t index) const
    {
        const PassStep &step = steps()[index];
        const auto all = static_cast<std::uint32_t>(step.rewrites.size());
        if (!step.changed || all == 0 || step.pass->isIncompleteBetween || step.pass->input != step.pass->output)
            return std::nullopt;
        if (!faultAfter(index, 0).empty() || faultAfter(index, all).empty())
            return std::nullopt;
        std::uint32_t right = 0;
        std::uint32_t wrong = all;
        while (wrong - right > 1 && !m_check.stop.stop_requested()) {
            const std::uint32_t middle = right + (wrong - right) / 2;
            (faultAfter(index, middle).empty() ? right : wrong) = middle;
        }
        return wrong;
    }

    std::string faultAfter(std::size_t index, std::uint32_t rewrites) const
    {
        Stage stage = stageBetween(steps()[index], m_check.target, rewrites, m_check.stop);
        if (levelOf(stage) == StageLevel::Graph || levelOf(stage) == StageLevel::Lowered)
            return faultOf(stage);
        std::vector<PassInfo> rest;
        for (std::size_t i = index + 1; i < steps().size(); ++i)
            rest.push_back(*steps()[i].pass);
        const PipelineRun lowered = runPipeline(stage, rest, m_check.target, m_check.stop);
        return lowered.succeeded ? faultOf(lowered.last) : toText(lowered.diagnostics);
    }

    WrongRewrite named(std::size_t index, std::uint32_t rewrite, std::string fault) const
    {
        WrongRewrite made;
        made.pass = static_cast<std::uint32_t>(index);
        made.rewrite = rewrite;
        made.passId = steps()[index].pass->id;
        made.difference = std::move(fault);
        if (rewrite != kWholePass)
            if (const auto event = rewriteOf(steps()[index], m_check.target, rewrite - 1, m_check.stop)) {
                made.rule = event->rule;
                made.detail = event->detail;
            }
        return made;
    }

    // What is wrong with what the stage means; empty: nothing.
    std::string faultOf(const Stage &stage) const
    {
        const Result<std::vector<HostTensor>> outputs = outputsOf(stage);
        if (!outputs)
            return toText(outputs.error());
        for (std::size_t i = 0; i < outputs->size(); ++i) {
            const HostTensor &expected = m_expected.values.at(i);
            const HostTensor actual = fitted((*outputs)[i], expected.dtype(), expected.shape());
            if (const auto difference = firstDifference(expected, actual, m_expected.bounds.at(i)))
                return format("output {}: {}", i, *difference);
        }
        return {};
    }

    Result<std::vector<HostTensor>> outputsOf(const Stage &stage) const
    {
        if (const auto *graph = std::get_if<GraphPtr>(&stage)) {
            SW_TRY(const GraphPtr reference, referenceGraphOf(*graph, {}));
            return interpretGraph(*reference, fitted(m_check.inputs, *reference),
                                  {.stop = m_check.stop, .onValue = {}, .onFault = {}});
        }
        const LoweredProgramPtr &program = std::get<LoweredProgramPtr>(stage);
        std::vector<OpenedDevice *> devices(program->schedule->devices.size(), &m_check.interpreter);
        const std::vector<RenderTarget> targets(devices.size(), {&m_check.interpreter.renderer(), &m_check.interpreter.info()});
        SW_TRY(auto sources, renderProgram(*program, targets));
        SW_TRY(auto artifacts, compileProgram(*program, sources, devices, m_check.stop));
        auto compiled = std::make_shared<const CompiledProgram>(CompiledProgram{program, std::move(artifacts)});
        const std::vector<HostTensor> inputs = fitted(m_check.inputs, *program->schedule->graph);
        SW_TRY(const auto executor, Executor::prepare(std::move(devices), std::move(compiled), inputs));
        SW_TRY(ExecutionResult result, executor->run({.warmup = 0, .repeats = 1}, m_check.stop));
        std::vector<HostTensor> values;
        for (NamedTensor &output : result.outputs)
            values.push_back(std::move(output.value));
        return values;
    }

    const MeaningCheck &m_check;
    BoundedOutputs m_expected;
};

} // namespace

Result<std::optional<WrongRewrite>> findWrongRewrite(const MeaningCheck &check)
{
    return Search(check).search();
}

} // namespace sw
