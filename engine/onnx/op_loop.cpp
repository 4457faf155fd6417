// Loop. A short one is written out, step by step, a long one, or one that the data ends, becomes a scan.

#include "engine/onnx/control_scan.h"
#include "engine/onnx/control_values.h"
#include "engine/onnx/handlers.h"

#include <algorithm>

namespace sw::onnx {

namespace {

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
    bool mayLeave = false;                // the rest to a scan, when a condition is not known or there are many steps
    bool isForOpenScan = false;           // that is so

    // Whether it makes so many steps that they should be a scan; a condition that is known to be false ends it before the first.
    [[nodiscard]] bool isForScan() const { return most && *most > kMostWrittenSteps && *most <= kMostNumberedSteps && !isOver(); }
    [[nodiscard]] bool isOver() const
    {
        return condition != nullptr && condition->constant && condition->constant->elements() == 1 &&
               !condition->constant->at(0).asBool();
    }
    // Whether only its condition says how many steps it makes, and it collects nothing: then it may be a scan without a bound.
    [[nodiscard]] bool isOpen() const { return rows.empty() && (!most || *most > kMostNumberedSteps); }

    // Writes it out. False: a node of the body failed, and was reported; or it is left to a scan.
    Result<bool> write()
    {
        for (std::int64_t number = 0; !most || number < *most; ++number) {
            isForOpenScan = mayLeave && (number == kMostWrittenSteps || !isConditionKnown());
            if (isForOpenScan)
                return false;
            SW_TRY(const bool isGoingOn, goesOn());
            if (!isGoingOn)
                break;
            if (number == kMostSteps)
                return call.error(Code::Limit, "it makes more than {} steps, and is written out", kMostSteps);
            SW_TRY(const bool isMade, step(number));
            if (!isMade)
                return false;
        }
        return true;
    }

    // For all inputs: a loop that goes on as long as given ones say is not compiled for these alone.
    [[nodiscard]] bool isConditionKnown() const
    {
        if (condition == nullptr || condition->constant)
            return true;
        return !condition->sequence && !call.needsInput(*condition) && call.quickConstantOf(*condition);
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

BodyScan scanOf(const LoopSteps &loop, std::int64_t steps, Value *tripCount)
{
    return {.body = loop.body,
            .steps = std::min(steps, kUnboundedSteps),
            .states = loop.carried,
            .rows = std::vector<ScannedAxis>(loop.rows.size()),
            .isLoop = true,
            .condition = loop.condition,
            .tripCount = tripCount};
}

// A trip count that is computed when the model runs, of a loop that collects nothing; else null.
Value *computedTripCount(NodeCall &call, const LoopSteps &loop)
{
    if (!call.has(0) || !loop.rows.empty() || call.value(0)->constant || call.quickConstant(0))
        return nullptr;
    return call.value(0);
}

} // namespace

Result<Outputs> importLoop(NodeCall &call)
{
    SW_TRY(const Subgraph body, call.body("body"));
    SW_TRY(Values carried, operandsFrom(call, 2));
    LoopSteps loop{.call = call, .body = *body, .most = {}, .condition = call.value(1), .carried = std::move(carried)};
    SW_CHECK(checkOutputs(call, *body, 1 + loop.carried.size()));
    loop.rows.resize(body->outputs.size() - 1 - loop.carried.size());
    std::optional<BodyScan> scan;
    if (Value *const count = computedTripCount(call, loop)) {
        scan.emplace(scanOf(loop, kUnboundedSteps, count));
    } else if (call.has(0)) {
        SW_TRY(const Scalar most, call.constantScalar(0, "the trip count"));
        loop.most = most.asInt();
        if (loop.isForScan())
            scan.emplace(scanOf(loop, *loop.most, nullptr));
    }
    const Bodies::Mark before = call.bodies().mark();
    if (!scan && loop.isOpen()) {
        LoopSteps known = loop;
        known.mayLeave = true;
        SW_TRY(const bool isWritten, known.write());
        if (!known.isForOpenScan)
            return isWritten ? outputsOf(call, known.carried) : Outputs{};
        call.bodies().takeBackTo(before);
        scan.emplace(scanOf(loop, loop.most.value_or(kUnboundedSteps), nullptr));
    }
    if (scan) {
        SW_TRY(ScanAttempt attempt, asScan(call, *scan));
        if (attempt.isMade || attempt.isReported)
            return attempt.isMade ? outputsOf(call, attempt.results) : Outputs{};
    }
    if (call.has(0) && !loop.most) {
        SW_TRY(const Scalar most, call.constantScalar(0, "the trip count"));
        loop.most = most.asInt();
    }
    SW_TRY(const bool isWritten, loop.write());
    if (!isWritten)
        return Outputs{};
    Values results = loop.carried;
    for (std::size_t i = 0; i < loop.rows.size(); ++i) {
        SW_TRY(Value *const all, stackedOrEmpty(call, loop.rows[i], body->outputs[1 + loop.carried.size() + i], 0));
        SW_TRY(all->counted, loop.countedRows());
        results.push_back(all);
    }
    return outputsOf(call, results);
}

} // namespace sw::onnx
