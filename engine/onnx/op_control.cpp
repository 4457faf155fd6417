// Control flow. A short loop is written out, step by step, a long one becomes a scan, and a choice that is made when the model
// runs becomes one of the graph, which computes only what is chosen where that saves time.

#include "engine/onnx/control_scan.h"
#include "engine/onnx/handlers.h"
#include "engine/onnx/read_model.h"
#include "engine/onnx/select_axis.h"

#include <algorithm>

namespace sw::onnx {

namespace {

using Values = std::vector<Value *>;

Value *keepConstant(NodeCall &call, HostTensor tensor)
{
    Value value{.dtype = tensor.dtype(), .shape = tensor.shape(), .origin = call.origin(), .name = call.node().name};
    value.constant = std::make_shared<const HostTensor>(std::move(tensor));
    return call.bodies().keep(std::move(value));
}

Value *keepNode(NodeCall &call, NodeId node, Narrow narrow)
{
    return call.bodies().keep(valueOf(call.builder(), OutputValue(node, narrow), call.origin(), {}));
}

Outputs outputsOf(NodeCall &call, const Values &values)
{
    Outputs outputs;
    for (Value *value : values)
        outputs.push_back(outputOf(call.builder(), *value));
    return outputs;
}

Result<bool> isTrue(NodeCall &call, const HostTensor &condition)
{
    if (condition.elements() != 1 || condition.dtype() != DType::Bool)
        return call.error(Code::ShapeMismatch, "the condition is {}, expected one bool",
                          typeText(condition.dtype(), condition.shape()));
    return condition.at(0).asInt() != 0;
}

// A computed condition as a scalar node.
Result<NodeId> conditionNode(NodeCall &call, Value &condition)
{
    if (condition.sequence)
        return call.error(Code::MalformedModel, "the condition is a sequence, expected one bool");
    SW_CHECK(checkNotCounted(call, condition, "the condition"));
    if (condition.shape.elements() != 1 || condition.dtype != DType::Bool)
        return call.error(Code::ShapeMismatch, "the condition is {}, expected one bool",
                          typeText(condition.dtype, condition.shape));
    return call.reshape(materialize(call.builder(), condition), {});
}

// `yes` where the condition holds, else `no`. Both must be of one type and shape.
Result<Value *> chosen(NodeCall &call, NodeId condition, Value *yes, Value *no, std::string_view what)
{
    if (yes == no)
        return yes;
    if (yes->sequence || no->sequence)
        return call.unsupported("{} is a sequence, and a condition that is computed when the model runs says which", what);
    SW_CHECK(checkNotCounted(call, *yes, what));
    SW_CHECK(checkNotCounted(call, *no, what));
    if (yes->dtype != no->dtype || yes->shape != no->shape || yes->narrow != no->narrow)
        return call.unsupported("{} is {} or {}, as a condition says that is computed when the model runs", what,
                                typeText(yes->dtype, yes->shape), typeText(no->dtype, no->shape));
    const NodeId whenTrue = materialize(call.builder(), *yes);
    SW_TRY(const NodeId node, call.builder().choose(call.origin(), condition, whenTrue, materialize(call.builder(), *no)));
    return keepNode(call, node, yes->narrow);
}

bool areConstant(const Values &values)
{
    return std::ranges::all_of(values, [](const Value *value) { return value->constant && !value->isParameter; });
}

// Equal tensors side by side along a new axis.
Result<Value *> stacked(NodeCall &call, const Values &parts, std::int64_t newAxis)
{
    const Value &first = *parts.front();
    if (first.sequence)
        return call.error(Code::MalformedModel, "'{}' is a sequence, expected a tensor", displayText(first.name));
    SW_TRY(const std::size_t axis, call.axis(newAxis, first.shape.rank() + 1));
    for (const Value *part : parts)
        SW_CHECK(checkNotCounted(call, *part, "what the body gives"));
    for (const Value *part : parts)
        if (part->sequence || part->shape != first.shape || part->dtype != first.dtype)
            return call.unsupported("what the body gives is {} in one step, {} in another", typeText(first.dtype, first.shape),
                                    typeText(part->dtype, part->shape));
    std::vector<std::int64_t> extents = extentsOf(first.shape);
    extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(axis), 1);
    if (axis == 0 && areConstant(parts)) {
        extents.front() = static_cast<std::int64_t>(parts.size());
        SW_TRY(Shape shape, Shape::checked(extents));
        HostTensor all(first.dtype, std::move(shape));
        std::int64_t next = 0;
        for (const Value *part : parts)
            for (std::int64_t i = 0; i < part->constant->elements(); ++i)
                all.set(next++, part->constant->at(i));
        Value *value = keepConstant(call, std::move(all));
        value->narrow = first.narrow;
        return value;
    }
    std::vector<NodeId> nodes;
    for (Value *part : parts) {
        SW_TRY(const NodeId node, call.reshape(materialize(call.builder(), *part), extents));
        nodes.push_back(node);
    }
    SW_TRY(const NodeId result, call.builder().cat(call.origin(), nodes, axis));
    return keepNode(call, result, first.narrow);
}

// Of a loop without steps: a tensor with no elements, of the type that the body says.
Result<Value *> emptyStack(NodeCall &call, const ValueInfo &info, std::int64_t newAxis)
{
    SW_TRY(const DType dtype, info.dtype);
    if (!info.shape || std::ranges::any_of(*info.shape, isOpen))
        return call.unsupported("the loop makes no step, and its body does not say of what shape '{}' is",
                                displayText(info.name));
    SW_TRY(const std::size_t axis, call.axis(newAxis, info.shape->size() + 1));
    std::vector<std::int64_t> extents;
    for (const Dimension &dimension : *info.shape)
        extents.push_back(dimension.extent);
    extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(axis), 0);
    SW_TRY(Shape shape, Shape::checked(extents));
    return keepConstant(call, HostTensor(dtype, std::move(shape)));
}

Result<Value *> stackedOrEmpty(NodeCall &call, const Values &parts, const ValueInfo &info, std::int64_t axis)
{
    return parts.empty() ? emptyStack(call, info, axis) : stacked(call, parts, axis);
}

Values partOf(const Values &values, std::size_t first, std::size_t count)
{
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
    return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

// None may be left out.
Result<Values> operandsFrom(NodeCall &call, std::size_t first)
{
    Values values;
    for (std::size_t i = first; i < call.operandCount(); ++i) {
        if (!call.has(i))
            return call.error(Code::MalformedModel, "input {} is missing", i);
        values.push_back(call.value(i));
    }
    return values;
}

Result<Done> checkOutputs(const NodeCall &call, const ModelGraph &body, std::size_t least)
{
    if (body.outputs.size() < least)
        return call.error(Code::MalformedModel, "its body has {} outputs, expected at least {}", body.outputs.size(), least);
    return Done{};
}

// One loop while it is written out.
struct LoopSteps {
    NodeCall &call;
    const ModelGraph &body;
    std::optional<std::int64_t> most; // steps
    Value *condition = nullptr;       // of the next step; null: it is made
    Values carried = {};
    std::vector<Values> rows = {};        // by output that is collected: one value per step
    std::optional<NodeId> active = {};    // whether the loop has not ended yet, once that is computed when the model runs
    std::int64_t sureSteps = 0;           // that were made before
    std::optional<NodeId> moreSteps = {}; // how many the run makes behind them

    // Whether it makes so many steps that they should be a scan; a condition that is known to be false ends it before the first.
    [[nodiscard]] bool isForScan() const
    {
        constexpr std::int64_t kMostScanned = std::int64_t{1} << 20U; // more stand for "as long as the condition holds"
        const bool isOver = condition != nullptr && condition->constant && condition->constant->elements() == 1 &&
                            !condition->constant->at(0).asBool();
        return most && *most > kMostWrittenSteps && *most <= kMostScanned && !isOver;
    }

    // Whether the next step is made. A condition that is computed becomes part of `active` where the number of steps has a bound.
    Result<bool> goesOn()
    {
        if (condition == nullptr)
            return true;
        if (!condition->constant && most && (rows.empty() || active || !call.quickConstantOf(*condition))) {
            SW_TRY(NodeId node, conditionNode(call, *condition));
            if (active) {
                SW_TRY(node, call.apply(Op::And, {*active, node}));
            }
            active = node;
            return true;
        }
        SW_TRY(const HostTensor value, call.constantOf(*condition, "the condition of the loop"));
        return isTrue(call, value);
    }

    // False: a node of the body failed, and was reported.
    Result<bool> step(std::int64_t number)
    {
        Values inputs{keepConstant(call, HostTensor::ofScalar(Scalar::of(DType::I64, number))),
                      keepConstant(call, HostTensor::ofScalar(Scalar::of(DType::Bool, std::int64_t{1})))};
        inputs.insert(inputs.end(), carried.begin(), carried.end());
        SW_TRY(const std::optional<Values> made, call.bodies().call(body, inputs, format("step {}", number)));
        if (!made)
            return false;
        condition = made->front();
        for (std::size_t i = 0; i < carried.size(); ++i) {
            Value *next = (*made)[1 + i];
            if (active) {
                SW_TRY(next, chosen(call, *active, next, carried[i], "what a step hands on"));
            }
            carried[i] = next;
        }
        for (std::size_t i = 0; i < rows.size(); ++i) {
            SW_TRY(Value *const row, rowOf(*(*made)[1 + carried.size() + i]));
            rows[i].push_back(row);
        }
        return countStep();
    }

    // What a step behind the end would give is not computed.
    Result<Value *> rowOf(Value &made)
    {
        if (!active || made.sequence)
            return &made;
        SW_TRY(const NodeId nothing, call.builder().full(call.origin(), Scalar::of(made.dtype, std::int64_t{0}), made.shape));
        return chosen(call, *active, &made, keepNode(call, nothing, made.narrow), "what a step gives");
    }

    Result<bool> countStep()
    {
        if (!active) {
            ++sureSteps;
            return true;
        }
        SW_TRY(NodeId more, call.cast(*active, DType::I64));
        if (moreSteps) {
            SW_TRY(more, call.apply(Op::Add, {*moreSteps, more}));
        }
        moreSteps = more;
        return true;
    }

    // Nothing: the number of steps is known.
    Result<std::optional<CountedAxis>> countedRows()
    {
        if (!moreSteps)
            return std::optional<CountedAxis>();
        SW_TRY(const NodeId sure, call.builder().full(call.origin(), Scalar::of(DType::I64, sureSteps), Shape()));
        SW_TRY(const NodeId count, call.apply(Op::Add, {sure, *moreSteps}));
        return std::optional(CountedAxis{0, count});
    }
};

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

Result<Outputs> importLoop(NodeCall &call)
{
    SW_TRY(const Subgraph body, call.body("body"));
    SW_TRY(Values carried, operandsFrom(call, 2));
    LoopSteps loop{.call = call, .body = *body, .most = {}, .condition = call.value(1), .carried = std::move(carried)};
    SW_CHECK(checkOutputs(call, *body, 1 + loop.carried.size()));
    loop.rows.resize(body->outputs.size() - 1 - loop.carried.size());
    if (call.has(0)) {
        SW_TRY(const Scalar most, call.constantScalar(0, "the trip count"));
        loop.most = most.asInt();
    }
    if (loop.isForScan()) {
        SW_TRY(ScanAttempt attempt, asScan(call, {.body = *body,
                                                  .steps = *loop.most,
                                                  .states = loop.carried,
                                                  .rows = std::vector<ScannedAxis>(loop.rows.size()),
                                                  .isLoop = true,
                                                  .condition = loop.condition}));
        if (attempt.isMade || attempt.isReported)
            return attempt.isMade ? outputsOf(call, attempt.results) : Outputs{};
    }
    for (std::int64_t number = 0; !loop.most || number < *loop.most; ++number) {
        SW_TRY(const bool goesOn, loop.goesOn());
        if (!goesOn)
            break;
        if (number == kMostSteps)
            return call.error(Code::Limit, "it makes more than {} steps, and is written out", kMostSteps);
        SW_TRY(const bool isMade, loop.step(number));
        if (!isMade)
            return Outputs{};
    }
    Values results = loop.carried;
    for (std::size_t i = 0; i < loop.rows.size(); ++i) {
        SW_TRY(Value *const all, stackedOrEmpty(call, loop.rows[i], body->outputs[1 + loop.carried.size() + i], 0));
        SW_TRY(all->counted, loop.countedRows());
        results.push_back(all);
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
