#pragma once
// Programs as people write them, lowered to primitive nodes by hand, and their schedules.

#include "engine/passes/schedule/group_kernels.h"
#include "engine/schedule/printer.h"
#include "engine/schedule/verify.h"
#include "tests/unit/graph/graph_fixture.h"

#include <gtest/gtest.h>

namespace sw {

struct TensorProgram : TestGraph {
    [[nodiscard]] const Shape &shapeOf(NodeId id) const { return builder.node(id).shape; }

    NodeId input(Shape shape, DType dtype = DType::F32)
    {
        return TestGraph::input(dtype, std::move(shape), format("x{}", inputs++));
    }
    NodeId number(double value) { return builder.constScalar(here, Scalar::of(DType::F32, value)); }
    NodeId reshape(NodeId x, Shape shape) { return builder.reshape(here, x, std::move(shape)).value(); }
    NodeId permute(NodeId x, std::vector<std::size_t> axes) { return builder.permute(here, x, std::move(axes)).value(); }
    NodeId expand(NodeId x, Shape shape) { return builder.expand(here, x, std::move(shape)).value(); }
    NodeId reduce(Op op, NodeId x, std::vector<std::size_t> axes) { return builder.reduce(here, op, x, std::move(axes)).value(); }
    NodeId sum(NodeId x, std::vector<std::size_t> axes) { return reduce(Op::Add, x, std::move(axes)); }
    NodeId add(NodeId a, NodeId b) { return apply(Op::Add, {a, b}); }
    NodeId mul(NodeId a, NodeId b) { return apply(Op::Mul, {a, b}); }
    NodeId sub(NodeId a, NodeId b) { return apply(Op::Sub, {a, b}); }
    NodeId relu(NodeId x) { return apply(Op::Max, {x, number(0)}); }
    NodeId pad(NodeId x, std::vector<std::int64_t> before, std::vector<std::int64_t> after)
    {
        return builder.pad(here, x, {std::move(before), std::move(after), Scalar::of(DType::F32, 0.0)}).value();
    }

    NodeId mean(NodeId x, std::vector<std::size_t> axes)
    {
        std::int64_t count = 1;
        for (const std::size_t axis : axes)
            count *= shapeOf(x)[axis];
        return mul(sum(x, std::move(axes)), number(1.0 / static_cast<double>(count)));
    }

    // [.., m, k] by [.., k, n]
    NodeId matmul(NodeId a, NodeId b)
    {
        const std::size_t rank = shapeOf(a).rank();
        const std::vector<std::int64_t> left(shapeOf(a).begin(), shapeOf(a).end());
        const std::vector<std::int64_t> right(shapeOf(b).begin(), shapeOf(b).end());
        const std::int64_t n = right[rank - 1];
        std::vector<std::int64_t> aShape(left.begin(), left.end() - 1);
        aShape.insert(aShape.end(), {1, left[rank - 1]});
        std::vector<std::size_t> swapped;
        for (std::size_t axis = 0; axis + 2 < rank; ++axis)
            swapped.push_back(axis);
        swapped.insert(swapped.end(), {rank - 1, rank - 2});
        std::vector<std::int64_t> bShape(right.begin(), right.end() - 2);
        bShape.insert(bShape.end(), {1, n, right[rank - 2]});
        const NodeId product = mul(reshape(a, Shape(aShape)), reshape(permute(b, swapped), Shape(bShape)));
        std::vector<std::int64_t> result(left.begin(), left.end() - 1);
        result.push_back(n);
        return reshape(sum(product, {rank}), Shape(result));
    }

    NodeId softmax(NodeId x)
    {
        const std::size_t last = shapeOf(x).rank() - 1;
        const NodeId exponentials = apply(Op::Exp, {sub(x, reduce(Op::Max, x, {last}))});
        return apply(Op::Fdiv, {exponentials, sum(exponentials, {last})});
    }

    // Over the last axis, without scale and shift.
    NodeId normalized(NodeId x)
    {
        const std::size_t last = shapeOf(x).rank() - 1;
        const NodeId centred = sub(x, mean(x, {last}));
        const NodeId variance = mean(mul(centred, centred), {last});
        return mul(centred, apply(Op::Recip, {apply(Op::Sqrt, {add(variance, number(1e-5))})}));
    }

    // x [n, c, h, w], weights [o, c, k, k], stride 1, same padding.
    NodeId convolution(NodeId x, NodeId weights)
    {
        const Shape in = shapeOf(x);
        const Shape kernel = shapeOf(weights);
        const std::int64_t k = kernel[2];
        NodeId padded = x;
        if (k > 1)
            padded = pad(x, {0, 0, k / 2, k / 2}, {0, 0, k / 2, k / 2});
        const Shape from = shapeOf(padded);
        const std::vector<std::int64_t> strides = rowMajorStrides(from);
        const Shape windows{in[0], 1, in[2], in[3], in[1], k, k};
        const NodeId read =
            builder.view(here, padded, windows, {{strides[0], 0, strides[2], 1, strides[1], strides[2], 1}, 0, {}}).value();
        const NodeId filters = reshape(weights, {1, kernel[0], 1, 1, in[1], k, k});
        return reshape(sum(mul(read, filters), {4, 5, 6}), {in[0], kernel[0], in[2], in[3]});
    }

    std::size_t inputs = 0;
};

inline Result<Schedule> trySchedule(const GraphPtr &graph, const CompileOptions &options = {},
                                    std::uint32_t budget = kNoRewriteLimit)
{
    DeviceInfo device;
    device.id = "test";
    device.threads = 2;
    PassContext context(device, TargetLanguage::Lowered, options, {}, budget);
    return groupKernels(graph, context);
}

// The schedule, which must verify.
inline Schedule scheduleOf(TensorProgram &&program, std::vector<NodeId> outputs, const CompileOptions &options = {})
{
    const auto graph = std::make_shared<const Graph>(std::move(program).finish(std::move(outputs)));
    Schedule schedule = trySchedule(graph, options).value();
    const Result<Done> verified = verifySchedule(schedule);
    EXPECT_TRUE(verified.has_value()) << (verified ? "" : toText(verified.error())) << printSchedule(schedule).text;
    return schedule;
}

// Two chains of two kernels that have nothing to do with each other; the second one's inner value is as large as the first one's.
// Items: uploads 0 to 5, kernels 6 to 9, a barrier 10, downloads 11 and 12.
inline Schedule twoChains()
{
    TensorProgram p;
    std::vector<NodeId> outputs;
    for (int chain = 0; chain < 2; ++chain) {
        const NodeId x = p.input({64, 32});
        const NodeId weights = p.input({32, 48});
        outputs.push_back(p.matmul(p.relu(p.matmul(x, weights)), p.input({48, 8})));
    }
    return scheduleOf(std::move(p), outputs);
}

inline const FusionDecision *decisionOn(const Schedule &schedule, NodeId producer, NodeId consumer)
{
    for (const FusionDecision &decision : schedule.decisions)
        if (decision.producer == producer && decision.consumer == consumer)
            return &decision;
    return nullptr;
}

} // namespace sw
