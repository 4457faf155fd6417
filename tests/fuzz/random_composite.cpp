// Random nodes that a pass writes as simpler ones.

#include "engine/graph/scan.h"
#include "tests/fuzz/graph_generator.h"

#include <array>

namespace sw {

namespace {

constexpr std::int64_t kMaxPairs = 4096; // of updates and elements of a scatter, which compares each with each

std::string labelsOf(std::size_t rank, char first)
{
    std::string labels;
    for (std::size_t axis = 0; axis < rank; ++axis)
        labels += static_cast<char>(first + static_cast<char>(axis));
    return labels;
}

} // namespace

GraphGenerator::Made GraphGenerator::makeScatter()
{
    const Made base = anyValueOfRank(1);
    if (!base)
        return std::nullopt;
    const Shape shape = shapeOf(*base);
    const std::size_t axis = m_random.below(shape.rank());
    std::vector<std::int64_t> extents(shape.begin(), shape.end());
    for (std::size_t i = 0; i < extents.size(); ++i)
        extents[i] = i == axis ? m_random.between(0, 6) : m_random.between(std::min<std::int64_t>(1, extents[i]), extents[i]);
    const Shape updates(std::move(extents));
    if (updates.elements() * shape[axis] > kMaxPairs)
        return std::nullopt;
    ScatterMode mode = m_random.pick(std::array{ScatterMode::Set, ScatterMode::Add, ScatterMode::Min, ScatterMode::Max});
    if (mode != ScatterMode::Set && !accepts(*combiningOp(mode), node(*base).dtype))
        mode = ScatterMode::Set;
    const NodeId indices = makeIndices(updates, shape[axis]);
    const NodeId values = operandOf(updates, node(*base).dtype);
    return m_builder.scatter(m_origin, *base, indices, values, {axis, mode}).value();
}

GraphGenerator::Made GraphGenerator::makeAssign()
{
    const NodeId target = anyValue();
    const Shape whole = shapeOf(target);
    const DType dtype = node(target).dtype;
    AssignAttributes attributes;
    std::vector<NodeId> updates;
    for (std::int64_t i = m_random.between(0, 3); i > 0; --i) {
        std::vector<std::int64_t> extents(whole.begin(), whole.end());
        attributes.ranges.emplace_back();
        if (m_random.chance(80)) {
            for (std::int64_t &extent : extents) {
                const std::int64_t first = m_random.between(0, extent);
                attributes.ranges.back().emplace_back(first, m_random.between(first, extent));
                extent = attributes.ranges.back().back().second - first;
            }
        }
        updates.push_back(operandOf(Shape(std::move(extents)), dtype));
    }
    return m_builder.assign(m_origin, target, updates, std::move(attributes)).value();
}

GraphGenerator::Made GraphGenerator::makeBufferView()
{
    const NodeId input = anyValue();
    const std::int64_t elements = shapeOf(input).elements();
    const std::int64_t offset = m_random.between(0, elements);
    return m_builder.bufferView(m_origin, input, offset, m_random.between(0, elements - offset)).value();
}

GraphGenerator::Made GraphGenerator::makeValid()
{
    const Shape shape = anyShape();
    ViewAttributes view{rowMajorStrides(shape), 0, {}};
    for (const std::int64_t extent : shape) {
        const std::int64_t first = m_random.between(0, extent);
        view.mask.emplace_back(first, m_random.between(first, extent));
    }
    return m_builder.valid(m_origin, shape, std::move(view)).value();
}

GraphGenerator::Made GraphGenerator::makeGep()
{
    const Made input = anyValueOfRank(1);
    if (!input || shapeOf(*input)[shapeOf(*input).rank() - 1] == 0)
        return std::nullopt;
    std::vector<std::int64_t> lanes(m_random.below(4) + 1);
    for (std::int64_t &lane : lanes)
        lane = m_random.between(0, shapeOf(*input)[shapeOf(*input).rank() - 1] - 1);
    return m_builder.gep(m_origin, *input, std::move(lanes)).value();
}

GraphGenerator::Made GraphGenerator::makeVectorize()
{
    const NodeId first = anyValue();
    if (shapeOf(first).rank() >= 6 || shapeOf(first).elements() * 4 > m_options.maxElements)
        return std::nullopt;
    std::vector<NodeId> inputs = {first};
    while (inputs.size() < 4 && m_random.chance(60))
        inputs.push_back(m_random.chance(50) ? first : operandOf(shapeOf(first), node(first).dtype));
    return m_builder.vectorize(m_origin, inputs).value();
}

GraphGenerator::Made GraphGenerator::makeWmma()
{
    std::vector<DType> types;
    for (const DType dtype : m_options.dtypes)
        if (dtype != DType::Bool)
            types.push_back(dtype);
    if (types.empty())
        return std::nullopt;
    const DType a = m_random.pick(types);
    const DType c = promote(a, m_random.pick(types));
    const std::int64_t m = m_random.between(1, 5);
    const std::int64_t n = m_random.between(1, 5);
    const std::int64_t k = m_random.between(0, 6);
    const NodeId left = operandOf(Shape{m, k}, a);
    const NodeId right = operandOf(Shape{k, n}, a);
    return m_builder.wmma(m_origin, left, right, operandOf(Shape{m, n}, c)).value();
}

// Two operands that share an axis or two, which the result keeps or leaves out.
GraphGenerator::Made GraphGenerator::makeContract()
{
    const Made input = anyValueOfRank(1);
    if (!input || !accepts(Op::Mul, node(*input).dtype) || shapeOf(*input).rank() > 4)
        return std::nullopt;
    const Shape shape = shapeOf(*input);
    const std::string own = labelsOf(shape.rank(), 'a');
    const std::size_t shared = m_random.below(shape.rank());
    const std::int64_t free = m_random.between(1, 4);
    if (shape.elements() * free > m_options.maxElements)
        return std::nullopt;
    const NodeId other = operandOf(Shape{free, shape[shared]}, node(*input).dtype);
    std::string result = "z";
    for (std::size_t axis = 0; axis < own.size(); ++axis)
        if (axis == shared ? m_random.chance(30) : m_random.chance(70))
            result.insert(m_random.below(result.size() + 1), 1, own[axis]);
    const std::string subscripts = format("{},z{}->{}", own, own[shared], result);
    return m_builder.contract(m_origin, std::array{*input, other}, subscripts).value();
}

NodeId GraphGenerator::cells(const Shape &shape)
{
    const DType from = m_random.pick(std::array{DType::U32, DType::I32, DType::U64, DType::U16});
    return m_builder.cast(m_origin, operandOf(shape, from), DType::U32x4).value();
}

GraphGenerator::Made GraphGenerator::makeThreefry()
{
    const Shape shape{m_random.between(1, 5)};
    if (m_random.chance(40)) {
        const DType dtype = m_random.chance(50) ? DType::U32 : DType::I32;
        const NodeId key = operandOf(Shape{shape[0], 2}, dtype);
        return m_builder
            .threefry(m_origin, key, operandOf(Shape{shape[0], 2}, dtype),
                      {ThreefryVariant::TwoByThirtyTwo, RandomStream::Random123})
            .value();
    }
    const bool isLight = m_random.chance(90); // the other's 20 rounds are slow to compile
    const ThreefryAttributes attributes{isLight ? ThreefryVariant::FourByThirtyTwoLight : ThreefryVariant::FourByThirtyTwoCrypto,
                                        m_random.chance(50) ? RandomStream::Random123 : RandomStream::Ocannl};
    const NodeId key = cells(shape);
    return m_builder.threefry(m_origin, key, cells(shape), attributes).value();
}

GraphGenerator::Made GraphGenerator::makeUniform()
{
    std::vector<DType> types;
    for (const DType dtype : m_options.dtypes)
        if (dtype != DType::Bool)
            types.push_back(dtype);
    if (types.empty())
        return std::nullopt;
    std::vector<NodeId> known;
    for (const NodeId id : m_values)
        if (node(id).dtype == DType::U32x4)
            known.push_back(id);
    const NodeId input = known.empty() || m_random.chance(20) ? cells(Shape{m_random.between(0, 6)}) : m_random.pick(known);
    if (shapeOf(input).elements() * 16 > m_options.maxElements)
        return std::nullopt;
    const UniformForm form = m_random.chance(70) ? UniformForm::Vector : UniformForm::Scalar;
    return m_builder.uniform(m_origin, input, m_random.pick(types), form).value();
}

// Of one operation, which is always possible; a value in parts cannot be the value of a kernel.
GraphGenerator::Made GraphGenerator::makeKernel()
{
    for (std::size_t i = 0; i < m_builder.size(); ++i)
        if (m_builder.node(NodeId(i)).kind == NodeKind::Multi)
            return std::nullopt;
    const Made value = m_random.chance(80) ? makeElementwise(m_random.between(1, 3)) : anyValue();
    if (!value)
        return std::nullopt;
    const bool isOperation = familyOf(node(*value).kind) == NodeFamily::Elementwise;
    const std::vector<NodeId> inputs = isOperation ? node(*value).inputs : std::vector{*value};
    return m_builder.kernel(m_origin, *value, inputs, m_random.chance(50) ? "asked for" : "").value();
}

GraphGenerator::Made GraphGenerator::makeScan(NodeKind kind)
{
    for (std::size_t i = 0; i < m_builder.size(); ++i)
        if (m_builder.node(NodeId(i)).kind == NodeKind::Multi)
            return std::nullopt;
    const NodeId initial = anyValue();
    const Shape shape = shapeOf(initial);
    const DType dtype = node(initial).dtype;
    if (dtype == DType::U32x4 || shape.rank() == Shape::kMaxRank)
        return std::nullopt;
    ScanAttributes attributes{.scan = unusedScanNumber(m_builder), .steps = m_random.between(1, 4)};
    std::vector<std::int64_t> extents{attributes.steps};
    extents.insert(extents.end(), shape.begin(), shape.end());
    const NodeId whole = placeholder(anyTensor(dtype, Shape(std::move(extents))));
    std::vector<NodeId> carries;
    for (std::int64_t &i = attributes.index; i < m_random.between(1, 2); ++i)
        carries.push_back(m_builder.scanCarry(m_origin, i == 0 ? initial : operandOf(shape, dtype), attributes).value());
    attributes.index = 0;
    attributes.isReversed = m_random.chance(50);
    const NodeId slice = m_builder.scanSlice(m_origin, whole, attributes).value();
    const NodeId outer = operandOf(shape, dtype);
    // One carried value may become the other, or stay as it is.
    std::vector<NodeId> nexts;
    for (const NodeId carry : carries)
        nexts.push_back(m_random.chance(30) ? m_random.pick(carries) : combined(Op::Max, {carry, slice}));
    const NodeId row = m_random.chance(50) ? combined(Op::Min, {carries.back(), outer}) : m_random.pick(nexts);
    if (kind == NodeKind::ScanRows)
        return m_builder.scanRows(m_origin, nexts, row, attributes).value();
    attributes.isReversed = false;
    attributes.index = static_cast<std::int64_t>(m_random.below(nexts.size()));
    return m_builder.scanLast(m_origin, nexts, attributes).value();
}

GraphGenerator::Made GraphGenerator::makeMarker(NodeKind kind)
{
    NodeAttributes attributes;
    if (kind == NodeKind::Unroll)
        attributes = UnrollAttributes{m_random.between(1, 8)};
    if (kind == NodeKind::Unique)
        attributes = UniqueAttributes{m_random.between(0, 3)};
    return m_builder.marker(m_origin, kind, anyValue(), std::move(attributes)).value();
}

} // namespace sw
