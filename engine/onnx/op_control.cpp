// Choices and scans. A choice that is made when the model runs becomes one of the graph, which computes only what is chosen where
// that saves time. A short scan is written out, step by step, a long one becomes a scan of the graph.

#include "engine/onnx/control_scan.h"
#include "engine/onnx/control_values.h"
#include "engine/onnx/handlers.h"
#include "engine/onnx/read_model.h"
#include "engine/onnx/select_axis.h"

#include <algorithm>

namespace sw::onnx {

namespace {

Values partOf(const Values &values, std::size_t first, std::size_t count)
{
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
    return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

Result<std::vector<ScannedAxis>> scannedAxes(NodeCall &call, std::size_t count, std::string_view axes,
                                             std::string_view directions)
{
    std::vector<ScannedAxis> scanned(count);
    const auto given = call.integers(axes);
    const auto ways = call.integers(directions);
    if ((given && given->size() != count) || (ways && ways->size() != count))
        return call.error(Code::MalformedModel, "{} or {} has not {} elements", axes, directions, count);
    for (std::size_t i = 0; i < count; ++i) {
        scanned[i].axis = given ? (*given)[i] : 0;
        scanned[i].isBackward = ways && (*ways)[i] != 0;
    }
    return scanned;
}

// The part of a tensor at one place of an axis, without the axis.
Result<Value *> sliceOf(NodeCall &call, Value &whole, std::size_t axis, std::int64_t place)
{
    std::vector<std::int64_t> extents = extentsOf(whole.shape);
    extents.erase(extents.begin() + static_cast<std::ptrdiff_t>(axis));
    SW_TRY(const NodeId part, shrinkAxis(call, materialize(call.builder(), whole), axis, {place, place + 1}));
    SW_TRY(const NodeId result, call.reshape(part, std::move(extents)));
    return keepNode(call, result, whole.narrow);
}

// What one Scan reads and hands on. Nothing: a node of the body failed, and was reported.
Result<std::optional<Values>> scanned(NodeCall &call, const ModelGraph &body, Values states, const Values &sequences)
{
    const std::size_t collected = body.outputs.size() - states.size();
    SW_TRY(const auto read,
           scannedAxes(call, sequences.size(), "scan_input_axes", call.opset() < 9 ? "directions" : "scan_input_directions"));
    SW_TRY(const auto written, scannedAxes(call, collected, "scan_output_axes", "scan_output_directions"));
    std::vector<std::size_t> axes;
    std::int64_t steps = 0;
    for (std::size_t i = 0; i < sequences.size(); ++i) {
        SW_TRY(const std::size_t axis, call.axis(read[i].axis, sequences[i]->shape.rank()));
        const std::int64_t length = sequences[i]->shape[axis];
        if (i > 0 && length != steps)
            return call.error(Code::ShapeMismatch, "'{}' has {} steps, '{}' has {}", displayText(sequences[0]->name), steps,
                              displayText(sequences[i]->name), length);
        steps = length;
        axes.push_back(axis);
    }
    if (steps > kMostWrittenSteps) {
        BodyScan scan{.body = body, .steps = steps, .states = states, .sequences = sequences, .read = read, .rows = written};
        for (std::size_t i = 0; i < axes.size(); ++i)
            scan.read[i].axis = static_cast<std::int64_t>(axes[i]);
        SW_TRY(ScanAttempt attempt, asScan(call, scan));
        if (attempt.isMade || attempt.isReported)
            return attempt.isMade ? std::optional(std::move(attempt.results)) : std::nullopt;
    }
    std::vector<Values> rows(collected);
    for (std::int64_t step = 0; step < steps; ++step) {
        Values inputs = states;
        for (std::size_t i = 0; i < sequences.size(); ++i) {
            SW_TRY(Value *const part, sliceOf(call, *sequences[i], axes[i], read[i].isBackward ? steps - 1 - step : step));
            inputs.push_back(part);
        }
        SW_TRY(const std::optional<Values> made, call.bodies().call(body, inputs, format("step {}", step)));
        if (!made)
            return std::optional<Values>();
        states = partOf(*made, 0, states.size());
        for (std::size_t i = 0; i < collected; ++i)
            rows[i].push_back((*made)[states.size() + i]);
    }
    Values results = states;
    for (std::size_t i = 0; i < collected; ++i) {
        if (written[i].isBackward)
            std::ranges::reverse(rows[i]);
        SW_TRY(Value *const all, stackedOrEmpty(call, rows[i], body.outputs[states.size() + i], written[i].axis));
        results.push_back(all);
    }
    return std::optional(std::move(results));
}

} // namespace

Result<Outputs> importIf(NodeCall &call)
{
    SW_TRY(const Subgraph yes, call.body("then_branch"));
    SW_TRY(const Subgraph no, call.body("else_branch"));
    Value &condition = *call.value(0);
    if (condition.constant) {
        SW_TRY(const bool isYes, isTrue(call, *condition.constant));
        SW_TRY(const auto made, call.bodies().call(isYes ? *yes : *no, {}, isYes ? "then" : "else"));
        return made ? outputsOf(call, *made) : Outputs{};
    }
    SW_TRY(const NodeId choice, conditionNode(call, condition));
    SW_TRY(const auto ifTrue, call.bodies().call(*yes, {}, "then"));
    SW_TRY(const auto ifFalse, call.bodies().call(*no, {}, "else"));
    if (!ifTrue || !ifFalse)
        return Outputs{};
    if (ifTrue->size() != ifFalse->size())
        return call.error(Code::MalformedModel, "its branches have {} and {} outputs", ifTrue->size(), ifFalse->size());
    const auto haveOneType = [&](std::size_t i) {
        const Value &a = *(*ifTrue)[i];
        const Value &b = *(*ifFalse)[i];
        return !a.sequence && !b.sequence && a.dtype == b.dtype && a.shape == b.shape && a.narrow == b.narrow;
    };
    for (std::size_t i = 0; i < ifTrue->size(); ++i)
        if (!haveOneType(i)) { // so the condition has to be known
            SW_TRY(const HostTensor known, call.constantOf(condition, "the condition of branches with different shapes"));
            SW_TRY(const bool isYes, isTrue(call, known));
            return outputsOf(call, isYes ? *ifTrue : *ifFalse);
        }
    Values results;
    for (std::size_t i = 0; i < ifTrue->size(); ++i) {
        SW_TRY(Value *const result, chosen(call, choice, (*ifTrue)[i], (*ifFalse)[i], "the result"));
        results.push_back(result);
    }
    return outputsOf(call, results);
}

Result<Outputs> importScan(NodeCall &call)
{
    SW_TRY(const Subgraph body, call.body("body"));
    const std::int64_t count = call.integer("num_scan_inputs", 0);
    SW_TRY(const Values operands, operandsFrom(call, 0));
    if (count < 1 || static_cast<std::size_t>(count) > operands.size())
        return call.error(Code::MalformedModel, "num_scan_inputs is {}, and there are {} inputs", count, operands.size());
    const std::size_t states = operands.size() - static_cast<std::size_t>(count);
    SW_CHECK(checkOutputs(call, *body, states));
    SW_TRY(const auto made,
           scanned(call, *body, partOf(operands, 0, states), partOf(operands, states, static_cast<std::size_t>(count))));
    return made ? outputsOf(call, *made) : Outputs{};
}

// Each element of the batch, the first axis of everything, is scanned by itself.
Result<Outputs> importBatchScan(NodeCall &call)
{
    SW_TRY(const Subgraph body, call.body("body"));
    if (call.has(0))
        return call.unsupported("lengths of the sequences (sequence_lens) are not supported");
    const std::int64_t count = call.integer("num_scan_inputs", 0);
    SW_TRY(const Values operands, operandsFrom(call, 1));
    if (count < 1 || static_cast<std::size_t>(count) > operands.size())
        return call.error(Code::MalformedModel, "num_scan_inputs is {}, and there are {} inputs", count, operands.size());
    const std::size_t states = operands.size() - static_cast<std::size_t>(count);
    SW_CHECK(checkOutputs(call, *body, states));
    std::int64_t batch = 0;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const Shape &shape = operands[i]->shape;
        if (shape.rank() == 0 || (i > 0 && shape[0] != batch))
            return call.error(Code::ShapeMismatch, "'{}' is {}, expected a batch of {} in front", displayText(operands[i]->name),
                              typeText(operands[i]->dtype, shape), batch);
        batch = shape[0];
    }
    std::vector<Values> rows(body->outputs.size());
    for (std::int64_t element = 0; element < batch; ++element) {
        Values parts;
        for (Value *operand : operands) {
            SW_TRY(Value *const part, sliceOf(call, *operand, 0, element));
            parts.push_back(part);
        }
        SW_TRY(const auto made,
               scanned(call, *body, partOf(parts, 0, states), partOf(parts, states, static_cast<std::size_t>(count))));
        if (!made)
            return Outputs{};
        for (std::size_t i = 0; i < rows.size(); ++i)
            rows[i].push_back((*made)[i]);
    }
    Values results;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        SW_TRY(Value *const all, stackedOrEmpty(call, rows[i], body->outputs[i], 0));
        results.push_back(all);
    }
    return outputsOf(call, results);
}

} // namespace sw::onnx
