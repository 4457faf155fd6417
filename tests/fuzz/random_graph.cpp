#include "tests/fuzz/random_graph.h"

#include "engine/graph/verify.h"
#include "tests/fuzz/graph_generator.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <utility>

namespace sw {

namespace {

constexpr std::uint32_t kScopes = 4;

// A program of one line per step, in a few nested scopes.
SourceMapPtr sourcesOf(std::size_t steps)
{
    auto sources = std::make_shared<SourceMap>();
    std::string text;
    for (std::size_t i = 0; i < steps; ++i)
        text += format("step {}\n", i);
    const FileId file = sources->addFile({"random.sw", text});
    const ScopeId outer = sources->addScope({"layer", SourceMap::rootScope(), {}});
    sources->addScope({"inner", outer, {}});
    sources->addScope({"layer", SourceMap::rootScope(), {}});
    for (std::uint32_t i = 0; i < steps; ++i)
        sources->addItem({file, {"random.sw", i + 1, 1, i + 1, 5}, SourceMap::rootScope(), {}, format("step {}", i)});
    return sources;
}

RandomGraphOptions completed(RandomGraphOptions options)
{
    if (options.dtypes.empty())
        options.dtypes.assign(scalarDTypes().begin(), scalarDTypes().end());
    if (options.kinds.empty())
        options.kinds.assign(allNodeKinds().begin(), allNodeKinds().end());
    std::erase(options.kinds, NodeKind::Sink);
    std::erase(options.kinds, NodeKind::Gradient); // it has no value before it is written out
    std::erase(options.kinds, NodeKind::DefineVar);
    std::erase(options.kinds, NodeKind::Bind);
    std::erase(options.kinds, NodeKind::Custom);    // of languages
    std::erase(options.kinds, NodeKind::ScanCarry); // made with what a scan gives
    std::erase(options.kinds, NodeKind::ScanSlice);
    std::erase(options.kinds, NodeKind::Crop); // of outputs
    if (options.devices.empty())
        options.devices.emplace_back(kDefaultDevice);
    if (options.ops.empty())
        options.ops.assign(allOps().begin(), allOps().end());
    return options;
}

} // namespace

RandomGraph randomGraph(const RandomGraphOptions &options)
{
    return GraphGenerator(options).run();
}

GraphGenerator::GraphGenerator(const RandomGraphOptions &options)
    : m_options(completed(options)),
      m_cropsOutputs(options.kinds.empty()),
      m_random(options.seed),
      m_builder(sourcesOf(options.steps + 1)),
      m_origin(SourceId(0U))
{
}

RandomGraph GraphGenerator::run()
{
    m_values.push_back(placeholder(anyTensor(anyDType(), anyShape())));
    for (std::size_t step = 0; step < m_options.steps; ++step) {
        m_origin = nextOrigin();
        m_builder.setScope(ScopeId(m_random.below(kScopes)));
        const bool isPattern = m_options.patternPercent > 0 && m_random.chance(m_options.patternPercent);
        Made made = isPattern ? makePattern() : make(m_random.pick(m_options.kinds));
        // A new input is always possible.
        const NodeId id = made ? *made : placeholder(anyTensor(anyDType(), anyShape()));
        if (m_random.chance(15) && node(id).name.empty())
            m_builder.setName(id, format("value {}", step));
        m_values.push_back(id);
    }
    std::vector<NodeId> outputs = {m_values.back()};
    std::vector<std::string> names = {"output"};
    while (outputs.size() < 4 && m_random.chance(50)) {
        names.push_back(format("output{}", outputs.size()));
        outputs.push_back(anyValue());
    }
    for (NodeId &output : outputs)
        if (m_cropsOutputs && m_random.chance(15))
            output = cropped(output);
    auto graph = std::move(m_builder).finish(m_origin, std::move(outputs), std::move(names));
    SW_ASSERT(graph.has_value(), "a graph with outputs of different names");
    const auto verified = verifyGraph(*graph);
    SW_ASSERT(verified.has_value(), "a valid graph, not: " + toText(verified.error()));
    return {std::move(graph).value(), std::move(m_inputs)};
}

NodeId GraphGenerator::cropped(NodeId output)
{
    const std::size_t rank = node(output).shape.rank();
    if (rank == 0)
        return output;
    const auto isCount = [this](NodeId id) { return isInteger(node(id).dtype) && node(id).shape.rank() == 0; };
    const auto computed = std::ranges::find_if(m_values, isCount);
    const NodeId count = computed != m_values.end() && m_random.chance(50)
                             ? *computed
                             : m_builder.constScalar(m_origin, Scalar::of(DType::I64, m_random.between(-1, 6)));
    return m_builder.crop(m_origin, output, count, m_random.below(rank)).value();
}

GraphGenerator::Made GraphGenerator::make(NodeKind kind)
{
    switch (kind) {
    case NodeKind::Placeholder:
    case NodeKind::Buffer:
    case NodeKind::ConstScalar:
    case NodeKind::Vconst:
    case NodeKind::Iota:
        return makeLeaf(kind);
    case NodeKind::Unary:
        return makeElementwise(1);
    case NodeKind::Binary:
        return makeElementwise(2);
    case NodeKind::Ternary:
        return makeElementwise(3);
    case NodeKind::View:
        return makeView();
    case NodeKind::Reshape:
        return makeReshape();
    case NodeKind::Permute:
        return makePermute();
    case NodeKind::Expand:
        return makeExpand();
    case NodeKind::Pad:
        return makePad();
    case NodeKind::Shrink:
        return makeShrink();
    case NodeKind::Flip:
        return makeFlip();
    case NodeKind::ReduceAxis:
        return makeReduce();
    case NodeKind::Cast:
        return makeCast();
    case NodeKind::Bitcast:
        return makeBitcast();
    case NodeKind::Contiguous:
        return m_builder.contiguous(m_origin, anyValue()).value();
    case NodeKind::Detach:
        return m_builder.detach(m_origin, anyValue()).value();
    case NodeKind::ContiguousBackward:
        return m_builder.contiguousBackward(m_origin, anyValue()).value();
    case NodeKind::Cat:
        return makeCat();
    case NodeKind::Gather:
        return makeGather();
    case NodeKind::Index:
        return makeIndex();
    case NodeKind::Scatter:
        return makeScatter();
    case NodeKind::Assign:
        return makeAssign();
    case NodeKind::BufferView:
        return makeBufferView();
    case NodeKind::Valid:
        return makeValid();
    case NodeKind::Gep:
        return makeGep();
    case NodeKind::Vectorize:
        return makeVectorize();
    case NodeKind::Wmma:
        return makeWmma();
    case NodeKind::Contract:
        return makeContract();
    case NodeKind::Threefry:
        return makeThreefry();
    case NodeKind::Uniform:
        return makeUniform();
    case NodeKind::Fuse:
    case NodeKind::Unroll:
    case NodeKind::Unique:
    case NodeKind::Noop:
        return makeMarker(kind);
    case NodeKind::Kernel:
        return makeKernel();
    case NodeKind::Device:
        return m_builder.onDevice(m_origin, anyValue(), m_random.pick(m_options.devices)).value();
    case NodeKind::Copy:
        return m_builder.copy(m_origin, anyValue(), {m_random.pick(m_options.devices), m_random.chance(30)}).value();
    case NodeKind::Multi:
        return makeMulti();
    case NodeKind::Choose:
        return makeChoose();
    case NodeKind::ScanLast:
    case NodeKind::ScanRows:
        return makeScan(kind);
    case NodeKind::ScanCarry:
    case NodeKind::ScanSlice:
    case NodeKind::Gradient:
    case NodeKind::DefineVar:
    case NodeKind::Bind:
    case NodeKind::Custom:
    case NodeKind::Crop:
    case NodeKind::Sink:
        break;
    }
    SW_UNREACHABLE();
}

GraphGenerator::Made GraphGenerator::makeLeaf(NodeKind kind)
{
    if (kind == NodeKind::Buffer)
        return m_builder.buffer(m_origin, anyDType(), m_random.between(0, 20)).value();
    if (kind == NodeKind::Iota)
        return m_builder.iota(m_origin, Shape{m_random.between(0, 20)}).value();
    if (kind == NodeKind::ConstScalar)
        return m_builder.constScalar(m_origin, m_random.chance(60) ? notableScalar(anyDType()) : anyScalar(anyDType()));
    const HostTensor value = anyTensor(anyDType(), anyShape());
    return kind == NodeKind::Vconst ? m_builder.vconst(m_origin, value) : placeholder(value);
}

NodeId GraphGenerator::placeholder(const HostTensor &value)
{
    PlaceholderAttributes attributes;
    attributes.name = format("input {}", m_inputs.size());
    if (m_random.chance(30)) {
        attributes.role = PlaceholderRole::Param;
        attributes.initial = std::make_shared<const HostTensor>(value);
    }
    m_inputs.push_back(value);
    return m_builder.placeholder(m_origin, value.dtype(), value.shape(), std::move(attributes));
}

std::vector<NodeId> GraphGenerator::acceptable(Op op, std::vector<NodeId> operands)
{
    const std::size_t first = firstTypedOperand(op);
    DType promoted = node(operands[first]).dtype;
    for (const NodeId id : std::span(operands).subspan(first))
        promoted = promote(promoted, node(id).dtype);
    const bool becomesFloat = infoOf(op).accepts == Accepts::Float;
    if (accepts(op, promoted) || becomesFloat)
        return operands;
    std::vector<DType> candidates;
    std::ranges::copy_if(m_options.dtypes, std::back_inserter(candidates), [op](DType dtype) { return accepts(op, dtype); });
    const DType goal = candidates.empty() ? (accepts(op, DType::I32) ? DType::I32 : DType::F32) : m_random.pick(candidates);
    for (std::size_t i = first; i < operands.size(); ++i)
        operands[i] = m_builder.cast(m_origin, operands[i], goal).value();
    return operands;
}

// A value that broadcasts with the other; a new scalar when none is found, and now and then.
GraphGenerator::Made GraphGenerator::partnerOf(NodeId id)
{
    const int attempts = m_random.chance(20) ? 0 : 8;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        const NodeId candidate = anyValue();
        const auto shape = broadcast(shapeOf(id), shapeOf(candidate));
        if (shape && shape->elements() <= m_options.maxElements)
            return candidate;
    }
    return m_builder.constScalar(m_origin, notableScalar(m_random.chance(70) ? node(id).dtype : anyDType()));
}

GraphGenerator::Made GraphGenerator::makeElementwise(std::size_t arity)
{
    std::vector<Op> ops;
    std::ranges::copy_if(m_options.ops, std::back_inserter(ops), [arity](Op op) { return arityOf(op) == arity; });
    if (ops.empty())
        return std::nullopt;
    const Op op = m_random.pick(ops);
    std::vector<NodeId> operands = {anyValue()};
    Shape common = shapeOf(operands[0]);
    while (operands.size() < arity) {
        const NodeId partner = *partnerOf(operands.back());
        const auto shape = broadcast(common, shapeOf(partner));
        if (!shape || shape->elements() > m_options.maxElements)
            return std::nullopt;
        common = *shape;
        operands.push_back(partner);
    }
    operands = acceptable(op, std::move(operands));
    return m_builder.broadcasted(m_origin, op, operands).value();
}

GraphGenerator::Made GraphGenerator::makeCast()
{
    const NodeId input = anyValue();
    return m_random.chance(20) ? m_builder.saturatingCast(m_origin, input, anyDType()).value()
                               : m_builder.cast(m_origin, input, anyDType()).value();
}

GraphGenerator::Made GraphGenerator::makeBitcast()
{
    const NodeId input = anyValue();
    std::vector<DType> goals;
    for (const DType dtype : m_options.dtypes)
        if (bytesOf(dtype) == bytesOf(node(input).dtype) && dtype != DType::Bool)
            goals.push_back(dtype);
    if (goals.empty())
        return std::nullopt;
    return m_builder.bitcast(m_origin, input, m_random.pick(goals)).value();
}

GraphGenerator::Made GraphGenerator::makeReduce()
{
    const Made input = anyValueOfRank(1);
    if (!input)
        return std::nullopt;
    std::vector<Op> ops;
    for (const Op op : m_options.ops)
        if (has(infoOf(op).traits, Trait::ReduceOp) && accepts(op, node(*input).dtype))
            ops.push_back(op);
    if (ops.empty())
        return std::nullopt;
    return m_builder.reduce(m_origin, m_random.pick(ops), *input, someAxes(shapeOf(*input))).value();
}

NodeId GraphGenerator::makeIndices(const Shape &shape, std::int64_t extent)
{
    constexpr std::array kTypes = {DType::I32, DType::I64, DType::U8, DType::I16};
    HostTensor indices(m_random.pick(kTypes), shape);
    for (std::int64_t i = 0; i < indices.elements(); ++i) {
        const bool isFault = m_options.indexFaults && m_random.chance(10);
        const std::int64_t index =
            isFault ? m_random.between(-2, extent + 2) : m_random.between(0, std::max<std::int64_t>(extent, 1) - 1);
        indices.set(i, Scalar::of(indices.dtype(), index));
    }
    return m_random.chance(50) ? placeholder(indices) : m_builder.vconst(m_origin, indices);
}

GraphGenerator::Made GraphGenerator::anyValueOfRank(std::size_t atLeast)
{
    std::vector<NodeId> candidates;
    std::ranges::copy_if(m_values, std::back_inserter(candidates), [&](NodeId id) { return shapeOf(id).rank() >= atLeast; });
    if (candidates.empty())
        return std::nullopt;
    return m_random.pick(candidates);
}

Shape GraphGenerator::anyShape()
{
    std::vector<std::int64_t> extents(m_random.below(5));
    for (std::int64_t &extent : extents)
        extent = m_random.chance(4) ? 0 : (m_random.chance(25) ? 1 : m_random.between(2, 7));
    Shape shape(std::move(extents));
    return shape.elements() <= m_options.maxElements ? shape : Shape{m_random.between(1, 33)};
}

NodeId GraphGenerator::anyValue()
{
    constexpr std::size_t kRecent = 3;
    if (m_random.chance(50) && m_values.size() > kRecent)
        return m_values[m_values.size() - 1 - m_random.below(kRecent)];
    return m_random.pick(m_values);
}

Scalar GraphGenerator::notableScalar(DType dtype)
{
    if (dtype == DType::U32x4)
        return anyScalar(dtype);
    if (m_random.chance(15))
        return m_random.chance(50) ? lowestOf(dtype) : highestOf(dtype);
    return Scalar::of(dtype, m_random.pick(std::array{0.0, 0.0, 1.0, 1.0, -0.0, -1.0, 2.0, 0.5}));
}

Scalar GraphGenerator::anyScalar(DType dtype)
{
    if (dtype == DType::Bool)
        return Scalar::ofBool(m_random.chance(50));
    if (dtype == DType::U32x4)
        return Scalar::fromBits(dtype, m_random.bits());
    if (isInteger(dtype)) {
        if (m_random.chance(8))
            return m_random.pick(std::array{lowestOf(dtype), highestOf(dtype), Scalar::fromBits(dtype, m_random.bits())});
        return Scalar::of(dtype, m_random.between(isSigned(dtype) ? -9 : 0, 9));
    }
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    if (m_options.specialValues && m_random.chance(12))
        return Scalar::of(dtype, m_random.pick(std::array{kInfinity, -kInfinity, kNan, -0.0, 0.0, 1e-40, -6e-8}));
    if (m_random.chance(20))
        return Scalar::of(dtype, static_cast<double>(m_random.between(-4, 4)));
    return Scalar::of(dtype, 4 * m_random.fraction() - 2);
}

HostTensor GraphGenerator::anyTensor(DType dtype, const Shape &shape)
{
    HostTensor out(dtype, shape);
    for (std::int64_t i = 0; i < out.elements(); ++i)
        out.set(i, anyScalar(dtype));
    return out;
}

Origin GraphGenerator::nextOrigin()
{
    return Origin(SourceId(m_nextItem++));
}

} // namespace sw
