// How many kernels well-known programs take.

#include "tests/unit/passes/schedule/schedule_fixture.h"

namespace sw {

namespace {

#define EXPECT_KERNELS(count, program, ...)                                                     \
    do {                                                                                        \
        const Schedule schedule = scheduleOf(std::move(program), {__VA_ARGS__});                \
        EXPECT_EQ(schedule.kernels.size(), std::size_t{count}) << printSchedule(schedule).text; \
    } while (false)

TEST(KernelCounts, elementwiseChainIsOne)
{
    TensorProgram p;
    const NodeId a = p.input({4, 8});
    const NodeId sum = p.add(p.add(a, p.input({4, 8})), p.input({4, 8}));
    EXPECT_KERNELS(1, p, sum);
}

TEST(KernelCounts, diamondIsOne)
{
    TensorProgram p;
    const NodeId ab = p.mul(p.input({16}), p.input({16}));
    const NodeId sum = p.add(p.add(ab, p.input({16})), p.add(ab, p.input({16})));
    EXPECT_KERNELS(1, p, sum);
}

TEST(KernelCounts, elementwiseThroughReshapeAndPermuteIsOne)
{
    TensorProgram p;
    const NodeId a = p.relu(p.input({4, 6}));
    const NodeId out = p.relu(p.reshape(p.permute(p.add(a, p.input({4, 6})), {1, 0}), {24}));
    EXPECT_KERNELS(1, p, out);
}

TEST(KernelCounts, fullReductionWithEpilogueIsOne)
{
    TensorProgram p;
    const NodeId out = p.relu(p.sum(p.mul(p.input({16, 16}), p.input({16, 16})), {0, 1}));
    EXPECT_KERNELS(1, p, out);
}

TEST(KernelCounts, matmulIsOne)
{
    TensorProgram p;
    const NodeId out = p.matmul(p.input({64, 32}), p.input({32, 48}));
    EXPECT_KERNELS(1, p, out);
}

TEST(KernelCounts, matmulBiasReluIsOne)
{
    TensorProgram p;
    const NodeId out = p.relu(p.add(p.matmul(p.input({64, 32}), p.input({32, 48})), p.input({48})));
    EXPECT_KERNELS(1, p, out);
}

TEST(KernelCounts, matmulReadTheOtherWayRoundIsOne)
{
    TensorProgram p;
    const NodeId product = p.matmul(p.input({96, 32}), p.input({32, 64}));
    EXPECT_KERNELS(1, p, p.relu(p.permute(p.relu(product), {1, 0})));
}

// No axis of the shuffled values goes along one of the product's, so no vector would.
TEST(KernelCounts, matmulThatIsShuffledIsTwo)
{
    TensorProgram p;
    const NodeId product = p.relu(p.matmul(p.input({96, 32}), p.input({32, 64})));
    const NodeId shuffled = p.reshape(p.permute(p.reshape(product, {32, 3, 64}), {0, 2, 1}), {32 * 64 * 3});
    EXPECT_KERNELS(2, p, p.relu(shuffled));
}

TEST(KernelCounts, sumOfTwoMatmulsIsOne)
{
    TensorProgram p;
    const NodeId out = p.add(p.matmul(p.input({64, 32}), p.input({32, 48})), p.matmul(p.input({64, 32}), p.input({32, 48})));
    EXPECT_KERNELS(1, p, out);
}

TEST(KernelCounts, twoLayersAreTwo)
{
    TensorProgram p;
    const NodeId hidden = p.relu(p.matmul(p.input({64, 32}), p.input({32, 48})));
    const NodeId out = p.matmul(hidden, p.input({48, 10}));
    EXPECT_KERNELS(2, p, out);
}

TEST(KernelCounts, pointwiseConvolutionReluIsOne)
{
    TensorProgram p;
    const NodeId out = p.relu(p.convolution(p.input({1, 8, 16, 16}), p.input({16, 8, 1, 1})));
    EXPECT_KERNELS(1, p, out);
}

TEST(KernelCounts, paddedConvolutionStoresThePaddedInput)
{
    TensorProgram p;
    const NodeId out = p.relu(p.convolution(p.input({1, 8, 16, 16}), p.input({16, 8, 3, 3})));
    EXPECT_KERNELS(2, p, out);
}

TEST(KernelCounts, convolutionBatchNormReluIsOne)
{
    TensorProgram p;
    const NodeId conv = p.convolution(p.input({4, 8, 16, 16}), p.input({16, 8, 1, 1}));
    const auto perChannel = [&] { return p.reshape(p.input({16}), {1, 16, 1, 1}); };
    const NodeId deviation = p.apply(Op::Recip, {p.apply(Op::Sqrt, {p.add(perChannel(), p.number(1e-5))})});
    const NodeId scaled = p.mul(p.sub(conv, perChannel()), p.mul(perChannel(), deviation));
    const NodeId out = p.relu(p.add(scaled, perChannel()));
    EXPECT_KERNELS(1, p, out);
}

TEST(KernelCounts, softmaxOfManyRowsIsOne)
{
    TensorProgram p;
    const NodeId out = p.softmax(p.input({128, 1000}));
    EXPECT_KERNELS(1, p, out);
}

TEST(KernelCounts, softmaxOfOneSmallRowIsOne)
{
    TensorProgram p;
    const NodeId out = p.softmax(p.input({1, 1000}));
    EXPECT_KERNELS(1, p, out);
}

TEST(KernelCounts, softmaxOfFewLongRowsIsSeveral)
{
    TensorProgram p;
    const NodeId x = p.input({2, 1 << 20});
    const NodeId out = p.softmax(x);
    EXPECT_KERNELS(4, p, out);
}

TEST(KernelCounts, layerNormIsOne)
{
    TensorProgram p;
    const NodeId out = p.add(p.mul(p.normalized(p.input({64, 512})), p.input({512})), p.input({512}));
    EXPECT_KERNELS(1, p, out);
}

TEST(KernelCounts, maximumSubtractedAndSummedIsOne)
{
    TensorProgram p;
    const NodeId x = p.input({64, 512});
    const NodeId out = p.sum(p.sub(x, p.reduce(Op::Max, x, {1})), {1});
    EXPECT_KERNELS(1, p, out);
}

TEST(KernelCounts, standardDeviationIsOne)
{
    TensorProgram p;
    const NodeId x = p.input({64, 512});
    const NodeId centred = p.sub(x, p.mean(x, {1}));
    const NodeId out = p.apply(Op::Sqrt, {p.mean(p.mul(centred, centred), {1})});
    EXPECT_KERNELS(1, p, out);
}

TEST(KernelCounts, columnMeanSubtractedIsTwo)
{
    TensorProgram p;
    const NodeId x = p.input({256, 256});
    const NodeId out = p.sub(x, p.mean(x, {0}));
    EXPECT_KERNELS(2, p, out);
}

TEST(KernelCounts, twoReductionsOfOneMatrixAreOne)
{
    TensorProgram p;
    const NodeId a = p.input({64, 64});
    const NodeId out = p.relu(p.add(p.reshape(p.sum(a, {0}), {64}), p.reshape(p.sum(a, {1}), {64})));
    EXPECT_KERNELS(1, p, out);
}

TEST(KernelCounts, reductionsOfTwoMatricesAreOne)
{
    TensorProgram p;
    const NodeId out = p.add(p.sum(p.input({64, 32}), {1}), p.reduce(Op::Max, p.input({64, 48}), {1}));
    EXPECT_KERNELS(1, p, out);
}

TEST(KernelCounts, threeOutputsOfOneSumAreOne)
{
    TensorProgram p;
    const NodeId s = p.sum(p.input({64, 32}), {1});
    const NodeId first = p.add(s, p.number(2));
    const NodeId second = p.add(s, p.number(4));
    const NodeId third = p.mul(first, second);
    EXPECT_KERNELS(1, p, first, second, third);
}

TEST(KernelCounts, attentionIsThree)
{
    TensorProgram p;
    const Shape shape{4, 64, 32};
    const NodeId q = p.input(shape);
    const NodeId k = p.input(shape);
    const NodeId v = p.input(shape);
    const NodeId scores = p.mul(p.matmul(q, p.permute(k, {0, 2, 1})), p.number(0.18));
    const NodeId out = p.matmul(p.softmax(scores), v);
    EXPECT_KERNELS(3, p, out);
}

TEST(KernelCounts, maskedAttentionIsThree)
{
    TensorProgram p;
    const Shape shape{4, 64, 32};
    const NodeId q = p.input(shape);
    const NodeId k = p.input(shape);
    const NodeId v = p.input(shape);
    const NodeId scores = p.mul(p.matmul(q, p.permute(k, {0, 2, 1})), p.number(0.18));
    const NodeId out = p.matmul(p.softmax(p.add(scores, p.input({64, 64}))), v);
    EXPECT_KERNELS(3, p, out);
}

TEST(KernelCounts, contiguousSplitsAChain)
{
    TensorProgram p;
    const NodeId stored = p.builder.contiguous(p.here, p.relu(p.input({64}))).value();
    const NodeId out = p.add(stored, p.number(1));
    EXPECT_KERNELS(2, p, out);
}

TEST(KernelCounts, inputAsOutputIsNone)
{
    TensorProgram p;
    const NodeId x = p.input({4, 6});
    const NodeId reshaped = p.reshape(x, {24});
    EXPECT_KERNELS(0, p, x, reshaped);
}

TEST(KernelCounts, permutedInputAsOutputIsOne)
{
    TensorProgram p;
    const NodeId out = p.permute(p.input({4, 6}), {1, 0});
    EXPECT_KERNELS(1, p, out);
}

TEST(KernelCounts, permutedMatmulIsOne)
{
    TensorProgram p;
    const NodeId out = p.permute(p.matmul(p.input({64, 32}), p.input({32, 48})), {1, 0});
    EXPECT_KERNELS(1, p, out);
}

} // namespace

} // namespace sw
