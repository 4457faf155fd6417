#include "engine/onnx/handlers.h"

#include <numeric>

namespace sw::onnx {

namespace {

// An attribute up to opset 12, an operand from 13 on.
Result<std::optional<std::vector<std::int64_t>>> axesOf(NodeCall &call)
{
    if (call.opset() < 13)
        return call.integers("axes");
    if (!call.has(1))
        return std::optional<std::vector<std::int64_t>>();
    SW_TRY(std::vector<std::int64_t> axes, call.constantIntegers(1, "axes"));
    return std::optional(std::move(axes));
}

// An extent of -1 takes the remaining elements.
Result<Done> inferExtent(NodeCall &call, std::vector<std::int64_t> &extents)
{
    const auto unknown = std::find(extents.begin(), extents.end(), -1);
    if (unknown == extents.end())
        return Done{};
    if (std::find(unknown + 1, extents.end(), -1) != extents.end())
        return call.error(Code::ShapeMismatch, "shape [{}] leaves two extents open", join(extents, ", "));
    *unknown = 1;
    const auto known = Shape::checked(extents);
    const std::int64_t elements = call.shape(0).elements();
    if (!known || known->isEmpty() || elements % known->elements() != 0)
        return call.error(Code::ShapeMismatch, "{} elements of {} do not fill shape [{}] with any extent in place of -1",
                          elements, toText(call.shape(0)), join(extents, ", "));
    *unknown = elements / known->elements();
    return Done{};
}

Result<std::int64_t> blockSize(NodeCall &call, std::int64_t divided)
{
    const std::int64_t block = call.integer("blocksize", 0);
    if (call.shape(0).rank() != 4)
        return call.error(Code::ShapeMismatch, "expected [batch, channels, height, width], found {}", toText(call.shape(0)));
    if (block < 1 || block > divided)
        return call.error(Code::Argument, "blocksize {} does not fit shape {}", block, toText(call.shape(0)));
    return block;
}

Result<Outputs> tile(NodeCall &call, const std::vector<std::int64_t> &repeats)
{
    const Shape &shape = call.shape(0);
    if (repeats.size() != shape.rank())
        return call.error(Code::ShapeMismatch, "repeats [{}] does not fit shape {}", join(repeats, ", "), toText(shape));
    // Reshapes [a, b] to [1, a, 1, b] and repeats along the axes of extent 1.
    std::vector<std::int64_t> apart;
    std::vector<std::int64_t> repeated;
    std::vector<std::int64_t> joined;
    for (std::size_t i = 0; i < shape.rank(); ++i) {
        apart.insert(apart.end(), {1, shape[i]});
        repeated.insert(repeated.end(), {repeats[i], shape[i]});
        SW_CHECK(Shape::checked({repeats[i], shape[i]}));
        joined.push_back(repeats[i] * shape[i]);
    }
    SW_TRY(const NodeId split, call.reshape(call.input(0), std::move(apart)));
    SW_TRY(const NodeId tiled, call.broadcastTo(split, std::move(repeated)));
    SW_TRY(const NodeId result, call.reshape(tiled, std::move(joined)));
    return Outputs{result};
}

} // namespace

Result<Outputs> importIdentity(NodeCall &call)
{
    if (call.value(0)->sequence)
        return Outputs{outputOf(call.builder(), *call.value(0))};
    return Outputs{call.input(0)};
}

// Inference drops nothing. In training, the runtime decides what to drop, so there would be no result to agree
// with.
Result<Outputs> importDropout(NodeCall &call)
{
    bool isTraining = call.opset() < 7 && !call.isOn("is_test") && call.number("ratio", 0.5) != 0;
    if (call.has(2)) {
        SW_TRY(const Scalar mode, call.constantScalar(2, "training_mode"));
        isTraining = mode.asBool();
    }
    if (isTraining && call.has(1)) {
        SW_TRY(const Scalar ratio, call.constantScalar(1, "ratio"));
        isTraining = ratio.asDouble() != 0;
    }
    if (isTraining)
        return call.unsupported("{}; only inference is supported, or a ratio of 0",
                                call.opset() < 7 ? "is_test is 0" : "training_mode is on");
    if (!call.wantsOutput(1))
        return Outputs{call.input(0)};
    const DType maskType = call.opset() < 10 ? call.dtype(0) : DType::Bool;
    SW_TRY(const NodeId mask, call.builder().full(call.origin(), Scalar::of(maskType, std::int64_t{1}), call.shape(0)));
    return Outputs{call.input(0), mask};
}

Result<Outputs> importReshape(NodeCall &call)
{
    std::vector<std::int64_t> extents = call.integers("shape").value_or(std::vector<std::int64_t>());
    if (call.opset() >= 5) {
        SW_TRY(extents, call.constantIntegers(1, "shape"));
    }
    const Shape &from = call.shape(0);
    for (std::size_t i = 0; i < extents.size() && !call.isOn("allowzero"); ++i) {
        if (extents[i] != 0)
            continue;
        if (i >= from.rank())
            return call.error(Code::ShapeMismatch, "shape [{}] copies extent {} of {}, which has {}", join(extents, ", "), i,
                              toText(from), from.rank());
        extents[i] = from[i];
    }
    SW_CHECK(inferExtent(call, extents));
    SW_TRY(const NodeId result, call.reshape(call.input(0), std::move(extents)));
    return Outputs{result};
}

Result<Outputs> importFlatten(NodeCall &call)
{
    const Shape &shape = call.shape(0);
    const std::int64_t rank = static_cast<std::int64_t>(shape.rank());
    const std::int64_t asked = call.integer("axis", 1);
    if (asked < -rank || asked > rank)
        return call.error(Code::ShapeMismatch, "axis {} is out of range for shape {}", asked, toText(shape));
    const auto split = shape.begin() + (asked < 0 ? asked + rank : asked);
    SW_TRY(const Shape outer, Shape::checked({shape.begin(), split}));
    SW_TRY(const Shape inner, Shape::checked({split, shape.end()}));
    SW_TRY(const NodeId result, call.reshape(call.input(0), {outer.elements(), inner.elements()}));
    return Outputs{result};
}

Result<Outputs> importTranspose(NodeCall &call)
{
    const std::size_t rank = call.shape(0).rank();
    std::vector<std::size_t> order(rank);
    std::iota(order.rbegin(), order.rend(), std::size_t{0});
    if (const auto given = call.integers("perm")) {
        if (given->size() != rank)
            return call.error(Code::ShapeMismatch, "perm [{}] does not fit shape {}", join(*given, ", "), toText(call.shape(0)));
        SW_CHECK(call.axes(*given, rank)); // each axis only once
        for (std::size_t i = 0; i < rank; ++i) {
            SW_TRY(order[i], call.axis((*given)[i], rank));
        }
    }
    SW_TRY(const NodeId result, call.permute(call.input(0), std::move(order)));
    return Outputs{result};
}

Result<Outputs> importSqueeze(NodeCall &call)
{
    const Shape &shape = call.shape(0);
    SW_TRY(const auto given, axesOf(call));
    std::vector<std::size_t> dropped;
    if (given) {
        SW_TRY(dropped, call.axes(*given, shape.rank()));
    }
    std::vector<std::int64_t> extents;
    for (std::size_t i = 0; i < shape.rank(); ++i) {
        const bool isNamed = std::find(dropped.begin(), dropped.end(), i) != dropped.end();
        if (isNamed && shape[i] != 1)
            return call.error(Code::ShapeMismatch, "axis {} of {} has not extent 1", i, toText(shape));
        if (!isNamed && (given || shape[i] != 1))
            extents.push_back(shape[i]);
    }
    SW_TRY(const NodeId result, call.reshape(call.input(0), std::move(extents)));
    return Outputs{result};
}

Result<Outputs> importUnsqueeze(NodeCall &call)
{
    SW_TRY(const auto given, axesOf(call));
    if (!given)
        return call.error(Code::MalformedModel, "there are no axes");
    std::vector<std::int64_t> extents = extentsOf(call.shape(0));
    SW_TRY(const std::vector<std::size_t> axes, call.axes(*given, extents.size() + given->size()));
    for (const std::size_t axis : axes)
        extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(axis), 1);
    SW_TRY(const NodeId result, call.reshape(call.input(0), std::move(extents)));
    return Outputs{result};
}

Result<Outputs> importConcat(NodeCall &call)
{
    SW_TRY(const std::size_t axis, call.axis(call.integer("axis", call.opset() < 4 ? 1 : 0), call.shape(0).rank()));
    const std::vector<NodeId> inputs = call.inputs();
    SW_TRY(const NodeId result, call.builder().cat(call.origin(), inputs, axis));
    return Outputs{result};
}

Result<Outputs> importExpand(NodeCall &call)
{
    SW_TRY(std::vector<std::int64_t> extents, call.constantIntegers(1, "shape"));
    SW_TRY(const Shape wanted, Shape::checked(std::move(extents)));
    SW_TRY(const Shape shape, broadcast(call.shape(0), wanted)); // either may have extent 1
    SW_TRY(const NodeId result, call.broadcastTo(call.input(0), extentsOf(shape)));
    return Outputs{result};
}

Result<Outputs> importTile(NodeCall &call)
{
    SW_TRY(const std::vector<std::int64_t> repeats, call.constantIntegers(1, "repeats"));
    return tile(call, repeats);
}

Result<Outputs> importTileAlongAxis(NodeCall &call)
{
    SW_TRY(const Scalar count, call.constantScalar(1, "tiles"));
    SW_TRY(const Scalar given, call.constantScalar(2, "axis"));
    SW_TRY(const std::size_t axis, call.axis(given.castTo(DType::I64).asInt(), call.shape(0).rank()));
    std::vector<std::int64_t> repeats(call.shape(0).rank(), 1);
    repeats[axis] = count.castTo(DType::I64).asInt();
    return tile(call, repeats);
}

Result<Outputs> importDepthToSpace(NodeCall &call)
{
    SW_TRY(const std::int64_t block, blockSize(call, call.shape(0).rank() == 4 ? call.shape(0)[1] : 0));
    const Shape &s = call.shape(0);
    const std::int64_t depth = s[1] / block / block;
    const bool isColumnFirst = call.text("mode", "DCR") == "CRD";
    const std::vector<std::int64_t> split = isColumnFirst ? std::vector<std::int64_t>{s[0], depth, block, block, s[2], s[3]}
                                                          : std::vector<std::int64_t>{s[0], block, block, depth, s[2], s[3]};
    const std::vector<std::size_t> order =
        isColumnFirst ? std::vector<std::size_t>{0, 1, 4, 2, 5, 3} : std::vector<std::size_t>{0, 3, 4, 1, 5, 2};
    SW_TRY(const NodeId blocks, call.reshape(call.input(0), split));
    SW_TRY(const NodeId ordered, call.permute(blocks, order));
    SW_TRY(const NodeId result, call.reshape(ordered, {s[0], depth, s[2] * block, s[3] * block}));
    return Outputs{result};
}

Result<Outputs> importSpaceToDepth(NodeCall &call)
{
    SW_TRY(const std::int64_t block,
           blockSize(call, call.shape(0).rank() == 4 ? std::min(call.shape(0)[2], call.shape(0)[3]) : 0));
    const Shape &s = call.shape(0);
    SW_TRY(const NodeId blocks, call.reshape(call.input(0), {s[0], s[1], s[2] / block, block, s[3] / block, block}));
    SW_TRY(const NodeId ordered, call.permute(blocks, {0, 3, 5, 1, 2, 4}));
    SW_TRY(const NodeId result, call.reshape(ordered, {s[0], s[1] * block * block, s[2] / block, s[3] / block}));
    return Outputs{result};
}

} // namespace sw::onnx
