#include "engine/api/compare/matrix_judge.h"

#include "engine/accuracy/first_difference.h"
#include "engine/api/compare/tensor_difference.h"
#include "engine/api/compilation.h"
#include "engine/base/hash.h"
#include "engine/execute/compare.h"
#include "engine/execute/dimensions.h"
#include "engine/execute/output_limits.h"
#include "engine/execute/reference_graph.h"
#include "engine/graph/printer.h"
#include "engine/graph/value_path.h"

#include <algorithm>

namespace sw {

namespace {

constexpr double kReferenceBytes = 2e9; // of the reference of a whole program
constexpr double kBothDevices = 2;      // each may be off

MatrixVerdict notJudged(std::string reason)
{
    MatrixVerdict verdict;
    verdict.reason = std::move(reason);
    return verdict;
}

// The worse of two results of a kernel. One that is not judged may hide anything but a difference.
const MatrixVerdict &worse(const MatrixVerdict &a, const MatrixVerdict &b)
{
    const auto rank = [](const MatrixVerdict &verdict) {
        switch (verdict.conformance) {
        case Conformance::Equal:
            return 0;
        case Conformance::Within:
            return 1;
        case Conformance::Unknown:
            return 2;
        case Conformance::Different:
            return 3;
        }
        SW_UNREACHABLE();
    };
    if (rank(a) != rank(b))
        return rank(a) < rank(b) ? b : a;
    return a.maxUlp < b.maxUlp ? b : a;
}

MatrixVerdict told(const HostTensor &expected, const HostTensor &actual, const Comparison &comparison,
                   std::optional<std::int64_t> beyond)
{
    MatrixVerdict verdict;
    verdict.maxUlp = comparison.maxUlp;
    verdict.maxAbsolute = comparison.maxAbsolute;
    if (!beyond) {
        verdict.conformance = comparison.worst ? Conformance::Within : Conformance::Equal;
        return verdict;
    }
    verdict.conformance = Conformance::Different;
    verdict.index = *beyond;
    verdict.place = TensorView({}, expected).placeText(*beyond);
    verdict.expected = toText(expected.at(*beyond));
    verdict.actual = toText(actual.at(*beyond));
    return verdict;
}

// The last two parts: "layer/softmax/exp" is "softmax/exp".
std::string_view endOf(std::string_view path)
{
    const std::size_t last = path.rfind('/');
    const std::size_t before = last == std::string_view::npos || last == 0 ? last : path.rfind('/', last - 1);
    return last == std::string_view::npos || before == std::string_view::npos ? path : path.substr(before + 1);
}

// By the rules of `stepwellc compare`: elements without a limit are judged by the tolerance of the tensor.
MatrixVerdict verdictBetweenDevices(const HostTensor &first, const HostTensor &second, const HostTensor *limits)
{
    const Comparison comparison = compareTensors(first, second, limits);
    if (!comparison.otherShape.empty()) {
        MatrixVerdict verdict;
        verdict.conformance = Conformance::Different;
        verdict.expected = typeText(first.dtype(), first.shape());
        verdict.actual = typeText(second.dtype(), second.shape());
        return verdict;
    }
    const auto &worst = comparison.worst;
    MatrixVerdict verdict =
        told(first, second, comparison, comparison.equal || !worst ? std::nullopt : std::optional(worst->flatIndex));
    if (worst)
        verdict.bound = worst->allowed;
    return verdict;
}

} // namespace

std::vector<KernelMeaning> meaningsOf(const Schedule &schedule)
{
    const ValuePaths paths(*schedule.graph);
    const auto pathsOf = [&](const std::vector<BufferId> &buffers) {
        std::vector<std::string> made;
        for (const BufferId buffer : buffers) {
            const NodeId node = schedule.buffer(buffer).node;
            made.push_back(node.isValid() ? paths.of(node) : schedule.buffer(buffer).name);
        }
        std::ranges::sort(made);
        return made;
    };
    std::vector<KernelMeaning> meanings;
    for (const ScheduledKernel &kernel : schedule.kernels) {
        Hasher hash;
        for (const std::string &path : pathsOf(kernel.reads))
            hash.add(path);
        hash.add("->");
        const std::vector<std::string> stored = pathsOf(kernel.writes);
        for (const std::string &path : stored)
            hash.add(path);
        meanings.push_back({hash.value(), join(stored, ", ", [](const std::string &path) { return endOf(path); })});
    }
    return meanings;
}

MatrixVerdict verdictOf(const HostTensor &expected, const HostTensor &actual, const HostTensor &bounds)
{
    const Comparison comparison = compareTensors(expected, actual, &bounds);
    std::optional<std::int64_t> beyond = firstDifferenceAt(expected, actual, bounds);
    // The worst one may be an element that has no bound.
    if (beyond && comparison.worst && comparison.worst->by == JudgedBy::Limit)
        beyond = comparison.worst->flatIndex;
    MatrixVerdict verdict = told(expected, actual, comparison, beyond);
    if (beyond)
        verdict.bound = bounds.at(*beyond).asDouble();
    return verdict;
}

Result<Done> MatrixJudge::judge(const Compilation &compilation, const RunInputs &inputs, const std::vector<NamedTensor> &outputs,
                                MatrixColumnResult &result)
{
    judgeOutputs(compilation, inputs, outputs, result);
    return judgeKernels(compilation, inputs, result);
}

Result<BoundedOutputs> MatrixJudge::programReference(const Compilation &compilation, const RunInputs &inputs) const
{
    const auto *first = compilation.pipeline.steps.empty() ? nullptr : &compilation.pipeline.steps.front().before;
    const auto *program = first == nullptr ? nullptr : std::get_if<GraphPtr>(first);
    if (program == nullptr)
        return Diagnostic::error(Code::Unsupported, {}, "lowered instructions do not say what program they are of");
    SW_TRY(const std::vector<HostTensor> values, inputValues(**program, inputs));
    SW_TRY(const SymbolicBindings dimensions, dimensionsOf(**program, givenShapesOf(**program, values), inputs.dimensions));
    SW_TRY(const GraphPtr graph, referenceGraphOf(*program, dimensions));
    const BoundOptions bounds{.withTypical = true, .stop = m_options.stop};
    const BoundCost cost = costOfBounds(*graph, bounds);
    if (cost.operations > m_options.operations || cost.bytes > kReferenceBytes)
        return Diagnostic::error(Code::Limit, {},
                                 "the reference would take {:.3g} operations and {:.3g} bytes, more than {:.3g} or {:.3g}",
                                 cost.operations, cost.bytes, m_options.operations, kReferenceBytes);
    return interpretWithBounds(*graph, values, bounds);
}

void MatrixJudge::judgeOutputs(const Compilation &compilation, const RunInputs &inputs, const std::vector<NamedTensor> &outputs,
                               MatrixColumnResult &result)
{
    const bool isFirst = !m_reference;
    if (isFirst) {
        m_first = outputs;
        m_reference.emplace();
        Result<BoundedOutputs> reference = programReference(compilation, inputs);
        if (reference)
            m_reference->outputs = std::move(*reference);
        else
            m_reference->missing = reference.error().front().message;
    }
    const ProgramReference &reference = *m_reference;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const HostTensor &actual = outputs[i].value;
        MatrixOutput made{outputs[i].name, notJudged(reference.missing), {}};
        const bool hasReference = reference.missing.empty() && i < reference.outputs.values.size();
        if (hasReference && reference.outputs.values[i].shape() == actual.shape() &&
            reference.outputs.values[i].dtype() == actual.dtype())
            made.byReference = verdictOf(reference.outputs.values[i], actual, reference.outputs.bounds[i]);
        else if (hasReference)
            made.byReference = notJudged("the reference has another type or shape");
        const HostTensor &first = m_first.at(i).value;
        std::optional<HostTensor> limits;
        if (hasReference && reference.outputs.bounds[i].shape() == actual.shape())
            limits = errorLimits(reference.outputs.bounds[i], reference.outputs.typical[i], kBothDevices);
        made.byFirst = verdictBetweenDevices(first, actual, limits ? &*limits : nullptr);
        result.outputs.push_back(std::move(made));
    }
}

Result<Done> MatrixJudge::judgeKernels(const Compilation &compilation, const RunInputs &inputs, MatrixColumnResult &result)
{
    const Schedule &schedule = *compilation.schedule;
    const std::vector<KernelResult> results = resultsOf(schedule);
    for (MatrixKernel &kernel : result.kernels)
        kernel.verdict = notJudged("lowered instructions do not say what program they are of");
    SW_TRY(const ResultInputs values, resultInputs(schedule, inputs));
    m_graph = Hasher().add(printGraph(*schedule.graph, {.maxTensorBytes = kListedElements}).text).value();
    std::vector<bool> isJudged(result.kernels.size());
    for (std::size_t first = 0; first < results.size();) {
        const std::size_t end = portionEnd(schedule, results, first, m_options.bytes);
        const std::span<const KernelResult> portion = std::span(results).subspan(first, end - first);
        std::vector<MatrixVerdict> verdicts(portion.size());
        SW_CHECK(judgePortion(compilation, values, portion, verdicts));
        for (std::size_t i = 0; i < portion.size(); ++i) {
            const std::uint32_t kernel = portion[i].kernel.value;
            MatrixVerdict &verdict = result.kernels[kernel].verdict;
            verdict = isJudged[kernel] ? worse(verdict, verdicts[i]) : verdicts[i];
            isJudged[kernel] = true;
        }
        first = end;
    }
    return Done{};
}

// What another column stored with the same bits needs no reference any more.
Result<Done> MatrixJudge::judgePortion(const Compilation &compilation, const ResultInputs &inputs,
                                       std::span<const KernelResult> results, std::vector<MatrixVerdict> &verdicts)
{
    SW_TRY(const auto stored, storedResults(m_compiler, compilation, results, inputs, m_options.stop));
    std::vector<std::uint64_t> keys;
    std::vector<KernelResult> open;
    std::vector<std::size_t> places; // in `results`
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (!stored[i]) {
            keys.push_back(0);
            verdicts[i] = notJudged("it is computed only where another branch is chosen");
            continue;
        }
        keys.push_back(Hasher().add(m_graph).add(results[i].node.value).add(contentHash(*stored[i], m_options.stop)).value());
        if (const auto known = m_known.find(keys[i]); known != m_known.end()) {
            verdicts[i] = known->second;
            continue;
        }
        open.push_back(results[i]);
        places.push_back(i);
    }
    if (m_options.stop.stop_requested())
        return Diagnostic::error(Code::Cancelled, {}, "the matrix was stopped");
    if (open.empty())
        return Done{};
    const Result<BoundedOutputs> expected =
        referenceResults(*compilation.schedule, open, inputs, m_options.operations, m_options.stop);
    if (!expected && m_options.stop.stop_requested())
        return expected.failure();
    for (std::size_t i = 0; i < open.size(); ++i) {
        MatrixVerdict &verdict = verdicts[places[i]];
        verdict = expected ? verdictOf(expected->values[i], *stored[places[i]], expected->bounds[i])
                           : notJudged(expected.error().front().message);
        if (expected)
            m_known.emplace(keys[places[i]], verdict);
    }
    return Done{};
}

} // namespace sw
