// What programs are made of, as the random graph generator sees it.

#include "tests/fuzz/graph_generator.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace sw {

namespace {

constexpr std::int64_t kLongestAxis = 70;         // more than four vectors of the widest device, with a rest
constexpr std::int64_t kMostProductSteps = 20000; // of a matrix product, for the reference's sake
constexpr std::int64_t kMostPatternElements = 4096;

} // namespace

NodeId GraphGenerator::combined(Op op, std::initializer_list<NodeId> operands)
{
    return m_builder.broadcasted(m_origin, op, acceptable(op, operands)).value();
}

NodeId GraphGenerator::reduced(Op op, NodeId input, std::vector<std::size_t> axes)
{
    const NodeId operand = accepts(op, node(input).dtype) ? input : asFloat(input);
    return m_builder.reduce(m_origin, op, operand, std::move(axes)).value();
}

NodeId GraphGenerator::asFloat(NodeId id)
{
    return isFloat(node(id).dtype) ? id : m_builder.cast(m_origin, id, DType::F32).value();
}

NodeId GraphGenerator::operandOf(const Shape &shape, DType dtype)
{
    return placeholder(anyTensor(dtype, shape));
}

NodeId GraphGenerator::operandOfRank(std::size_t rank)
{
    std::vector<NodeId> candidates;
    std::ranges::copy_if(m_values, std::back_inserter(candidates), [&](NodeId id) {
        return node(id).dtype != DType::U32x4 && shapeOf(id).rank() == rank && !shapeOf(id).isEmpty() &&
               shapeOf(id).elements() <= kMostPatternElements;
    });
    if (!candidates.empty() && m_random.chance(60))
        return m_random.pick(candidates);
    std::vector<std::int64_t> extents(rank);
    std::int64_t left = kMostPatternElements;
    for (std::int64_t &extent : extents) {
        extent = m_random.between(1, std::min(kLongestAxis, left));
        left /= extent;
    }
    return operandOf(Shape(std::move(extents)), anyDType());
}

GraphGenerator::Made GraphGenerator::makePattern()
{
    switch (m_random.below(6)) {
    case 0:
        return makeProduct();
    case 1:
        return makeNormalized();
    case 2:
        return makeWindows();
    case 3:
        return makePieces();
    case 4:
        return makeJoined();
    default:
        return makeShared();
    }
}

// [m, k] times [k, n], or [n, k] turned over; mostly sums of products.
NodeId GraphGenerator::makeProduct()
{
    struct Semiring {
        Op combine, gather;
    };
    constexpr std::array kSemirings = {Semiring{Op::Mul, Op::Add}, Semiring{Op::Mul, Op::Add}, Semiring{Op::Add, Op::Max}};
    const Semiring ring = m_random.pick(kSemirings);
    const NodeId a = operandOfRank(2);
    const std::int64_t m = shapeOf(a)[0];
    const std::int64_t k = shapeOf(a)[1];
    const std::int64_t most = std::max<std::int64_t>(1, std::min(kLongestAxis, kMostProductSteps / (m * k)));
    const std::int64_t n = m_random.between(1, most);
    NodeId b;
    if (m_random.chance(50))
        b = operandOf({n, k}, node(a).dtype);
    else
        b = m_builder.permute(m_origin, operandOf({k, n}, node(a).dtype), {1, 0}).value();
    const NodeId rows = m_builder.reshape(m_origin, a, {m, 1, k}).value();
    const NodeId columns = m_builder.reshape(m_origin, b, {1, n, k}).value();
    return m_builder.reshape(m_origin, reduced(ring.gather, combined(ring.combine, {rows, columns}), {2}), {m, n}).value();
}

// Softmax, or the deviation from the mean in units of its spread, along some axes.
NodeId GraphGenerator::makeNormalized()
{
    const NodeId x = asFloat(operandOfRank(1 + m_random.below(3)));
    const std::vector<std::size_t> axes = someAxes(shapeOf(x));
    if (m_random.chance(50)) {
        const NodeId powers = combined(Op::Exp, {combined(Op::Sub, {x, reduced(Op::Max, x, axes)})});
        return combined(Op::Fdiv, {powers, reduced(Op::Add, powers, axes)});
    }
    double count = 1;
    for (const std::size_t axis : axes)
        count *= static_cast<double>(shapeOf(x)[axis]);
    const NodeId share = m_builder.constScalar(m_origin, Scalar::of(node(x).dtype, 1 / count));
    const NodeId away = combined(Op::Sub, {x, combined(Op::Mul, {reduced(Op::Add, x, axes), share})});
    const NodeId spread = combined(Op::Mul, {reduced(Op::Add, combined(Op::Mul, {away, away}), axes), share});
    const NodeId little = m_builder.constScalar(m_origin, Scalar::of(node(x).dtype, 0.01));
    return combined(Op::Fdiv, {away, combined(Op::Sqrt, {combined(Op::Add, {spread, little})})});
}

// Windows of a padded image, reduced as they are, or weighted by a few kernels.
NodeId GraphGenerator::makeWindows()
{
    const NodeId image = operandOfRank(3);
    const std::int64_t channels = shapeOf(image)[0];
    const std::int64_t margin = m_random.between(0, 2);
    const Scalar fill = m_random.chance(70) ? Scalar::fromBits(node(image).dtype, 0) : notableScalar(node(image).dtype);
    const NodeId padded =
        m_builder
            .pad(m_origin, image, {.before = {0, margin, margin}, .after = {0, margin, m_random.between(0, 2)}, .fill = fill})
            .value();
    const std::int64_t height = shapeOf(padded)[1];
    const std::int64_t width = shapeOf(padded)[2];
    const std::int64_t kernelHeight = m_random.between(1, std::min<std::int64_t>(3, height));
    const std::int64_t kernelWidth = m_random.between(1, std::min<std::int64_t>(3, width));
    const std::int64_t step = m_random.between(1, 2);
    const std::int64_t rows = (height - kernelHeight) / step + 1;
    const std::int64_t columns = (width - kernelWidth) / step + 1;
    const NodeId windows = m_builder
                               .view(m_origin, padded, {1, rows, columns, channels, kernelHeight, kernelWidth},
                                     {.strides = {0, step * width, step, height * width, width, 1}, .offset = 0, .mask = {}})
                               .value();
    const std::int64_t steps = rows * columns * channels * kernelHeight * kernelWidth;
    if (m_random.chance(50) || steps * 2 > kMostProductSteps)
        return m_builder
            .reshape(m_origin, reduced(m_random.chance(50) ? Op::Max : Op::Add, windows, {4, 5}), {rows, columns, channels})
            .value();
    const std::int64_t kernels = m_random.between(1, std::min<std::int64_t>(20, kMostProductSteps / steps));
    const NodeId weights = m_builder
                               .reshape(m_origin, operandOf({kernels, channels, kernelHeight, kernelWidth}, node(image).dtype),
                                        {kernels, 1, 1, channels, kernelHeight, kernelWidth})
                               .value();
    return m_builder
        .reshape(m_origin, reduced(Op::Add, combined(Op::Mul, {windows, weights}), {3, 4, 5}), {kernels, rows, columns})
        .value();
}

// A value cut in two, each part computed with, and put together again, perhaps the other way round.
NodeId GraphGenerator::makePieces()
{
    const NodeId x = operandOfRank(1 + m_random.below(3));
    const Shape shape = shapeOf(x); // a copy: nodes move when more are added
    const std::size_t axis = m_random.below(shape.rank());
    ShrinkAttributes first{std::vector<std::int64_t>(shape.rank(), 0), std::vector<std::int64_t>(shape.begin(), shape.end())};
    ShrinkAttributes second = first;
    first.end[axis] = second.begin[axis] = m_random.between(0, shape[axis]);
    const NodeId a = combined(Op::Neg, {m_builder.shrink(m_origin, x, first).value()});
    NodeId b = m_builder.shrink(m_origin, x, second).value();
    if (m_random.chance(50))
        b = combined(Op::Add, {b, b});
    b = m_builder.cast(m_origin, b, node(a).dtype).value();
    const std::array<NodeId, 2> parts = m_random.chance(50) ? std::array{a, b} : std::array{b, a};
    return m_builder.cat(m_origin, parts, axis).value();
}

// Values that are stored, each where it lies in a joined one, or in several: rows of whole cache lines, one after the other.
NodeId GraphGenerator::makeJoined()
{
    const DType dtype = node(operandOfRank(1)).dtype;
    const std::int64_t width = 64 * m_random.between(1, 2); // elements of any type
    std::vector<NodeId> parts;
    const std::int64_t count = m_random.between(2, 4);
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t rows = m_random.between(1, 3);
        const NodeId sum =
            reduced(m_random.chance(50) ? Op::Max : Op::Add, operandOf({rows, m_random.between(1, 5), width}, dtype), {1});
        parts.push_back(m_builder.cast(m_origin, m_builder.reshape(m_origin, sum, {rows, width}).value(), dtype).value());
    }
    const NodeId first = m_builder.cat(m_origin, std::array{parts[0], parts[1]}, 0).value();
    m_values.push_back(m_random.pick(parts));
    switch (m_random.below(3)) {
    case 0:
        return first;
    case 1: // a whole is a part of the next one
        return m_builder.cat(m_origin, std::array{first, parts.back()}, 0).value();
    default: // all of them each time
        m_values.push_back(first);
        return m_builder.cat(m_origin, parts, 0).value();
    }
}

// A value that meets itself: turned over, shifted, or reduced.
NodeId GraphGenerator::makeShared()
{
    const NodeId x = operandOfRank(2);
    const NodeId y = combined(Op::Mul, {x, m_builder.constScalar(m_origin, notableScalar(node(x).dtype))});
    const std::size_t axis = m_random.below(2);
    switch (m_random.below(3)) {
    case 0:
        return combined(Op::Sub, {y, m_builder.flip(m_origin, y, {axis}).value()});
    case 1:
        return combined(Op::Max, {reduced(Op::Add, y, {axis}), y});
    default: {
        ShrinkAttributes later{{0, 0}, {shapeOf(y)[0], shapeOf(y)[1]}};
        ShrinkAttributes sooner = later;
        later.begin[axis] = std::min<std::int64_t>(1, shapeOf(y)[axis] - 1);
        sooner.end[axis] = shapeOf(y)[axis] - later.begin[axis];
        const NodeId a = m_builder.shrink(m_origin, y, later).value();
        return combined(Op::Sub, {a, m_builder.shrink(m_origin, y, sooner).value()});
    }
    }
}

} // namespace sw
