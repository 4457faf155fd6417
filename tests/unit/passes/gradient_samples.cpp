#include "tests/unit/passes/gradient_samples.h"

#include <array>
#include <utility>

namespace sw::test {

namespace {

HostTensor indicesOf(const Shape &shape, std::initializer_list<std::int64_t> values)
{
    HostTensor out(DType::I32, shape);
    std::int64_t i = 0;
    for (const std::int64_t value : values)
        out.set(i++, Scalar::of(DType::I32, value));
    return out;
}

NodeId viewOf(TestGraph &graph, NodeId input, Shape shape, ViewAttributes view)
{
    return graph.builder.view(graph.here, input, std::move(shape), std::move(view)).value();
}

GraphFunction reduction(Op op, std::vector<std::size_t> axes)
{
    return [op, axes](TestGraph &graph, std::span<const NodeId> x) {
        return graph.builder.reduce(graph.here, op, x[0], axes).value();
    };
}

std::vector<KindSample> movementSamples()
{
    const HostTensor matrix = sampleOf(Shape{3, 4});
    return {
        {"reshape",
         NodeKind::Reshape,
         {matrix},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.reshape(g.here, x[0], Shape{2, 6}).value(); }},
        {"permute",
         NodeKind::Permute,
         {sampleOf(Shape{2, 3, 4})},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.permute(g.here, x[0], {2, 0, 1}).value(); }},
        {"expand",
         NodeKind::Expand,
         {sampleOf(Shape{3, 1, 2})},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.expand(g.here, x[0], Shape{3, 4, 2}).value(); }},
        {"pad",
         NodeKind::Pad,
         {matrix},
         [](TestGraph &g, std::span<const NodeId> x) {
             return g.builder.pad(g.here, x[0], {{1, 0}, {2, 3}, Scalar::of(DType::F64, 7.0)}).value();
         }},
        {"shrink",
         NodeKind::Shrink,
         {matrix},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.shrink(g.here, x[0], {{1, 0}, {3, 2}}).value(); }},
        {"flip",
         NodeKind::Flip,
         {matrix},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.flip(g.here, x[0], {1}).value(); }},
        {"contiguous_backward",
         NodeKind::ContiguousBackward,
         {matrix},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.contiguousBackward(g.here, x[0]).value(); }},
        // A part of the rows backwards, some of it masked.
        {"view",
         NodeKind::View,
         {matrix},
         [](TestGraph &g, std::span<const NodeId> x) { return viewOf(g, x[0], Shape{3, 3}, {{4, -1}, 2, {{0, 2}, {1, 3}}}); }},
        {"viewOfWindows",
         NodeKind::View,
         {sampleOf(Shape{11})},
         [](TestGraph &g, std::span<const NodeId> x) { return viewOf(g, x[0], Shape{4, 4}, {{2, 1}, 1, {}}); }},
        {"viewOfWindows2d",
         NodeKind::View,
         {sampleOf(Shape{5, 6})},
         [](TestGraph &g, std::span<const NodeId> x) { return viewOf(g, x[0], Shape{3, 2, 3, 3}, {{6, 2, 6, 1}, 0, {}}); }},
        {"viewThatRepeats",
         NodeKind::View,
         {matrix},
         [](TestGraph &g, std::span<const NodeId> x) { return viewOf(g, x[0], Shape{2, 3, 2}, {{0, 5, 1}, 0, {}}); }},
        {"viewOfDilatedWindows",
         NodeKind::View,
         {sampleOf(Shape{13})},
         [](TestGraph &g, std::span<const NodeId> x) { return viewOf(g, x[0], Shape{3, 3}, {{3, 2}, 2, {}}); }},
        {"viewOfManyWindows",
         NodeKind::View,
         {sampleOf(Shape{40})},
         [](TestGraph &g, std::span<const NodeId> x) { return viewOf(g, x[0], Shape{20, 18}, {{1, 1}, 2, {}}); }},
        {"viewOfOne",
         NodeKind::View,
         {matrix},
         [](TestGraph &g, std::span<const NodeId> x) { return viewOf(g, x[0], Shape{}, {{}, 7, {}}); }},
        {"viewOfNothing",
         NodeKind::View,
         {matrix},
         [](TestGraph &g, std::span<const NodeId> x) { return viewOf(g, x[0], Shape{0, 2}, {{0, 2}, -9, {}}); }},
    };
}

std::vector<KindSample> reductionSamples()
{
    const HostTensor block = sampleOf(Shape{2, 5, 3});
    const HostTensor zeros = tensorOf(Shape{3, 3}, {0, 2, 3, 0, 0, 5, -1.5, 2.5, 0.5});
    return {
        {"sum", NodeKind::ReduceAxis, {block}, reduction(Op::Add, {0, 2})},
        {"max", NodeKind::ReduceAxis, {block}, reduction(Op::Max, {1})},
        {"min", NodeKind::ReduceAxis, {block}, reduction(Op::Min, {0, 1, 2})},
        {"product", NodeKind::ReduceAxis, {block}, reduction(Op::Mul, {1})},
        {"productOverTwoAxes", NodeKind::ReduceAxis, {block}, reduction(Op::Mul, {0, 2})},
        {"productWithZeros", NodeKind::ReduceAxis, {zeros}, reduction(Op::Mul, {1})},
        {"productOfOne", NodeKind::ReduceAxis, {sampleOf(Shape{3, 1})}, reduction(Op::Mul, {1})},
        {"productOfNothing", NodeKind::ReduceAxis, {HostTensor(DType::F64, Shape{2, 0})}, reduction(Op::Mul, {1})},
    };
}

std::vector<KindSample> otherSamples()
{
    const HostTensor matrix = sampleOf(Shape{3, 4});
    return {
        {"cast",
         NodeKind::Cast,
         {matrix},
         [](TestGraph &g, std::span<const NodeId> x) {
             const NodeId whole = g.builder.cast(g.here, x[0], DType::I32).value(); // zero
             const NodeId back = g.builder.cast(g.here, whole, DType::F64).value();
             return g.apply(Op::Add, {g.apply(Op::Mul, {x[0], x[0]}), back});
         }},
        {"contiguous",
         NodeKind::Contiguous,
         {matrix},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.contiguous(g.here, x[0]).value(); }},
        {"cat",
         NodeKind::Cat,
         {matrix, sampleOf(Shape{3, 2}, 1)},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.cat(g.here, std::array{x[0], x[1], x[0]}, 1).value(); }},
        {"choose",
         NodeKind::Choose,
         {matrix},
         [](TestGraph &g, std::span<const NodeId> x) {
             const NodeId yes = g.builder.constScalar(g.here, Scalar::of(DType::Bool, std::int64_t{1}));
             const NodeId no = g.builder.constScalar(g.here, Scalar::of(DType::Bool, std::int64_t{0}));
             const NodeId inner = g.builder.choose(g.here, no, g.apply(Op::Exp, {x[0]}), g.apply(Op::Mul, {x[0], x[0]})).value();
             return g.builder.choose(g.here, yes, g.apply(Op::Sin, {inner}), inner).value();
         }},
        {"gather",
         NodeKind::Gather,
         {matrix, indicesOf(Shape{2, 3}, {3, 0, 3, 1, 1, 2})},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.gather(g.here, x[0], x[1], 1).value(); }},
        {"gatherOutOfRange",
         NodeKind::Gather,
         {matrix, indicesOf(Shape{2, 2}, {-1, 2, 9, 2})},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.gather(g.here, x[0], x[1], 0).value(); }},
        {"gatherOfLines", // fewer lines than places, some of them twice, some out of range
         NodeKind::Gather,
         {sampleOf(Shape{9, 3}, 2), indicesOf(Shape{6, 1}, {4, 0, 4, 11, -2, 4})},
         [](TestGraph &g, std::span<const NodeId> x) {
             const NodeId lines = g.builder.expand(g.here, x[1], Shape{6, 3}).value();
             return g.builder.gather(g.here, x[0], lines, 0).value();
         }},
        {"gatherOfPartsOfLines",
         NodeKind::Gather,
         {sampleOf(Shape{9, 4, 3}, 2), indicesOf(Shape{5, 1, 1}, {8, 0, 8, 1, 0})},
         [](TestGraph &g, std::span<const NodeId> x) {
             const NodeId lines = g.builder.expand(g.here, x[1], Shape{5, 2, 3}).value();
             return g.builder.gather(g.here, x[0], lines, 0).value();
         }},
        {"index",
         NodeKind::Index,
         {matrix, indicesOf(Shape{5}, {11, 0, 7, 7, 3})},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.index(g.here, x[0], x[1], std::nullopt).value(); }},
        {"indexWhereValid",
         NodeKind::Index,
         {matrix, indicesOf(Shape{2, 2}, {5, 1, 5, 2})},
         [](TestGraph &g, std::span<const NodeId> x) {
             const NodeId two = g.builder.constScalar(g.here, Scalar::of(DType::I32, std::int64_t{2}));
             return g.builder.index(g.here, x[0], x[1], g.apply(Op::Cmpne, {x[1], two})).value();
         }},
    };
}

GraphFunction marked(NodeKind kind, const NodeAttributes &attributes)
{
    return [kind, attributes](TestGraph &g, std::span<const NodeId> x) {
        return g.builder.marker(g.here, kind, x[0], attributes).value();
    };
}

GraphFunction scattered(ScatterMode mode)
{
    return [mode](TestGraph &g, std::span<const NodeId> x) {
        return g.builder.scatter(g.here, x[0], x[2], x[1], {1, mode}).value();
    };
}

std::vector<KindSample> compositeSamples()
{
    const HostTensor matrix = sampleOf(Shape{3, 4});
    const std::vector<HostTensor> scatter = {matrix, sampleOf(Shape{2, 3}, 1), indicesOf(Shape{2, 3}, {3, 0, 3, 1, 2, 9})};
    return {
        {"scatterSet", NodeKind::Scatter, scatter, scattered(ScatterMode::Set)},
        {"scatterAdd", NodeKind::Scatter, scatter, scattered(ScatterMode::Add)},
        {"scatterMax", NodeKind::Scatter, scatter, scattered(ScatterMode::Max)},
        {"assign",
         NodeKind::Assign,
         {matrix},
         [](TestGraph &g, std::span<const NodeId> x) {
             const NodeId part = g.builder.shrink(g.here, x[0], {{0, 1}, {2, 3}}).value();
             const AssignAttributes ranges{{{{1, 3}, {0, 2}}, {}, {{0, 2}, {2, 4}}}};
             const NodeId square = g.builder.elementwise(g.here, Op::Mul, std::array{x[0], x[0]}).value();
             return g.builder.assign(g.here, x[0], std::array{part, square, part}, ranges).value();
         }},
        {"bufferView",
         NodeKind::BufferView,
         {matrix},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.bufferView(g.here, x[0], 3, 6).value(); }},
        {"gep",
         NodeKind::Gep,
         {matrix},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.gep(g.here, x[0], {3, 1, 1}).value(); }},
        {"vectorize",
         NodeKind::Vectorize,
         {matrix, sampleOf(Shape{3, 4}, 2)},
         [](TestGraph &g, std::span<const NodeId> x) {
             return g.builder.vectorize(g.here, std::array{x[0], x[1], x[0]}).value();
         }},
        {"wmma",
         NodeKind::Wmma,
         {matrix, sampleOf(Shape{4, 2}, 1), sampleOf(Shape{3, 2}, 2)},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.wmma(g.here, x[0], x[1], x[2]).value(); }},
        {"contract",
         NodeKind::Contract,
         {matrix, sampleOf(Shape{4, 3, 2}, 1)},
         [](TestGraph &g, std::span<const NodeId> x) {
             return g.builder.contract(g.here, std::array{x[0], x[1]}, "ij,jik->ki").value();
         }},
        {"fuse", NodeKind::Fuse, {matrix}, marked(NodeKind::Fuse, NoAttributes{})},
        {"unroll", NodeKind::Unroll, {matrix}, marked(NodeKind::Unroll, UnrollAttributes{2})},
        {"kernel",
         NodeKind::Kernel,
         {matrix},
         [](TestGraph &g, std::span<const NodeId> x) {
             const NodeId square = g.builder.elementwise(g.here, Op::Mul, std::array{x[0], x[0]}).value();
             return g.builder.kernel(g.here, square, std::array{x[0]}, "square").value();
         }},
        {"unique", NodeKind::Unique, {matrix}, marked(NodeKind::Unique, UniqueAttributes{1})},
        {"noop", NodeKind::Noop, {matrix}, marked(NodeKind::Noop, NoAttributes{})},
        {"device",
         NodeKind::Device,
         {matrix},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.onDevice(g.here, x[0], "other").value(); }},
        {"copy",
         NodeKind::Copy,
         {matrix},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.copy(g.here, x[0], {"other"}).value(); }},
        {"multi of parts",
         NodeKind::Multi,
         {matrix, sampleOf(Shape{3, 1}, 1), sampleOf(Shape{3, 2}, 2)},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.multi(g.here, x, {1, {true, false, true}}).value(); }},
        {"multi of copies",
         NodeKind::Multi,
         {matrix, sampleOf(Shape{3, 4}, 1)},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.multi(g.here, x, {}).value(); }},
    };
}

} // namespace

std::vector<KindSample> gradientSamples()
{
    std::vector<KindSample> all = movementSamples();
    for (auto &samples : {reductionSamples(), otherSamples(), compositeSamples()})
        all.insert(all.end(), samples.begin(), samples.end());
    return all;
}

} // namespace sw::test
