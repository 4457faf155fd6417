#include "engine/graph/evaluate_node.h"
#include "engine/ops/op_eval.h"
#include "engine/types/elements.h"

#include <algorithm>
#include <array>
#include <optional>

namespace sw {

namespace {

// The strides of the result along the input's axes: 0 along the reduced axes.
std::vector<std::int64_t> resultStrides(const Node &node, const Shape &input)
{
    std::vector<std::int64_t> strides = rowMajorStrides(node.shape);
    for (const std::size_t axis : attributesOf<AxesAttributes>(node).axes)
        strides[axis] = 0;
    SW_ASSERT(strides.size() == input.rank(), "a result of the input's rank");
    return strides;
}

// A run of the input along its last axis, in row-major order: elements [first, first + count) go to result + i * step.
struct Run {
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::int64_t result = 0;
    std::int64_t step = 0;
};

// Returns false if a stop was requested.
template <class Body>
bool forRuns(const Shape &shape, std::span<const std::int64_t> strides, const std::stop_token &stop, Body body)
{
    if (shape.isEmpty())
        return true;
    const std::size_t last = shape.rank() - 1;
    Run run{0, shape[last], 0, strides[last]};
    std::vector<std::int64_t> at(shape.rank(), 0);
    std::int64_t sinceCheck = 0;
    while (true) {
        body(run);
        run.first += run.count;
        sinceCheck += run.count;
        if (sinceCheck >= kElementsPerStopCheck && stop.stop_requested())
            return false;
        if (sinceCheck >= kElementsPerStopCheck)
            sinceCheck = 0;
        std::size_t axis = last;
        while (axis > 0) {
            --axis;
            run.result += strides[axis];
            if (++at[axis] < shape[axis])
                break;
            run.result -= strides[axis] * shape[axis];
            at[axis] = 0;
            if (axis == 0)
                return true;
        }
        if (last == 0)
            return true;
    }
}

template <class T, class Combine>
bool reduceTyped(const HostTensor &input, std::span<const std::int64_t> strides, std::span<T> results,
                 const std::stop_token &stop, Combine combine)
{
    const std::span<const T> elements = elementsOf<T>(input);
    return forRuns(input.shape(), strides, stop, [&](const Run &run) {
        for (std::int64_t i = 0; i < run.count; ++i) {
            T &result = results[static_cast<std::size_t>(run.result + i * run.step)];
            result = combine(result, elements[static_cast<std::size_t>(run.first + i)]);
        }
    });
}

bool reduceAny(Op op, const HostTensor &input, std::span<const std::int64_t> strides, std::span<Scalar> results,
               const std::stop_token &stop)
{
    const DType dtype = computeType(input.dtype());
    return forRuns(input.shape(), strides, stop, [&](const Run &run) {
        for (std::int64_t i = 0; i < run.count; ++i) {
            Scalar &result = results[static_cast<std::size_t>(run.result + i * run.step)];
            result = evaluate(op, dtype, std::array{result, input.at(run.first + i).castTo(dtype)});
        }
    });
}

// Sums and maxima of elements that are stored as a T need no table look-up for each. Nothing: it was cancelled.
template <class T>
std::optional<HostTensor> evaluateFast(const Node &node, const HostTensor &input, std::span<const std::int64_t> strides,
                                       const std::stop_token &stop)
{
    HostTensor out = HostTensor::filled(identityOf(node.op, node.dtype), node.shape);
    const std::span<T> results = mutableElementsOf<T>(out);
    const bool isDone = node.op == Op::Add ? reduceTyped<T>(input, strides, results, stop, eval::add<T>)
                                           : reduceTyped<T>(input, strides, results, stop, eval::maximum<T>);
    return isDone ? std::optional(std::move(out)) : std::nullopt;
}

bool isFastReduce(const Node &node)
{
    return (node.dtype == DType::F32 || node.dtype == DType::F64) && (node.op == Op::Add || node.op == Op::Max);
}

} // namespace

Result<HostTensor> evaluateReduce(const Node &node, const HostTensor &input, const EvaluateContext &context)
{
    const std::vector<std::int64_t> strides = resultStrides(node, input.shape());
    if (isFastReduce(node)) {
        std::optional<HostTensor> out = node.dtype == DType::F32 ? evaluateFast<float>(node, input, strides, context.stop)
                                                                 : evaluateFast<double>(node, input, strides, context.stop);
        return out ? Result<HostTensor>(std::move(*out)) : cancelled();
    }
    HostTensor out(node.dtype, node.shape);
    std::vector<Scalar> results(static_cast<std::size_t>(out.elements()),
                                identityOf(node.op, node.dtype).castTo(computeType(node.dtype)));
    if (!reduceAny(node.op, input, strides, results, context.stop))
        return cancelled();
    for (std::size_t i = 0; i < results.size(); ++i)
        out.set(static_cast<std::int64_t>(i), results[i].castTo(node.dtype));
    return out;
}

} // namespace sw
