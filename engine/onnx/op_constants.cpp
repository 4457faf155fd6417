#include "engine/onnx/formula.h"
#include "engine/onnx/handlers.h"

#include <cmath>

namespace sw::onnx {

namespace {

HostTensor integerList(const std::vector<std::int64_t> &values)
{
    HostTensor tensor(DType::I64, Shape{static_cast<std::int64_t>(values.size())});
    for (std::size_t i = 0; i < values.size(); ++i)
        tensor.set(static_cast<std::int64_t>(i), Scalar::of(DType::I64, values[i]));
    return tensor;
}

HostTensor numberList(const std::vector<float> &values)
{
    const std::vector<double> wide(values.begin(), values.end());
    return HostTensor::ofValues(DType::F32, Shape{static_cast<std::int64_t>(values.size())}, wide);
}

// Small constants are known during import, so that they can be used as shapes; larger ones stay one repeated literal.
constexpr std::int64_t kMaxKnownElements = 1024;
// A limit is needed because the length comes from a file.
constexpr std::int64_t kMaxRangeElements = std::int64_t{1} << 31U;

// The range is computed when the model runs. Floats are computed in f64 and rounded once, as in short ranges.
Result<Outputs> longRange(NodeCall &call, const Scalar &start, const Scalar &delta, std::int64_t length)
{
    const DType wide = isInteger(start.dtype()) ? start.dtype() : DType::F64;
    const auto number = [&](const Scalar &value) {
        return Term(call, call.builder().constScalar(call.origin(), value.castTo(wide)));
    };
    SW_TRY(const NodeId places, call.builder().iota(call.origin(), Shape{length}));
    const Term values = Term(call, places).castTo(wide) * number(delta) + number(start);
    SW_TRY(const NodeId result, values.castTo(start.dtype()).result());
    return Outputs{result};
}

} // namespace

Result<Outputs> importConstant(NodeCall &call)
{
    if (call.hasAttribute("value_int"))
        return Outputs{HostTensor::ofScalar(Scalar::of(DType::I64, call.integer("value_int", 0)))};
    if (call.hasAttribute("value_float"))
        return Outputs{HostTensor::ofScalar(Scalar::of(DType::F32, call.number("value_float", 0)))};
    if (const auto values = call.integers("value_ints"))
        return Outputs{integerList(*values)};
    if (const auto values = call.numbers("value_floats"))
        return Outputs{numberList(*values)};
    for (const std::string_view name : {"value_string", "value_strings", "sparse_value"}) {
        if (call.hasAttribute(name))
            return call.unsupported("a constant of kind {} is not supported", name);
    }
    SW_TRY(HostTensor value, call.tensor("value"));
    return Outputs{std::move(value)};
}

Result<Outputs> importConstantOfShape(NodeCall &call)
{
    SW_TRY(std::vector<std::int64_t> extents, call.constantIntegers(0, "shape"));
    SW_TRY(Shape shape, Shape::checked(std::move(extents)));
    Scalar value = Scalar::of(DType::F32, 0.0);
    if (call.hasAttribute("value")) {
        SW_TRY(const HostTensor given, call.tensor("value"));
        if (given.elements() != 1)
            return call.error(Code::MalformedModel, "value has {} elements, expected one", given.elements());
        value = given.at(0);
    }
    if (shape.elements() <= kMaxKnownElements)
        return Outputs{HostTensor::filled(value, std::move(shape))};
    SW_TRY(const NodeId result, call.builder().full(call.origin(), value, shape));
    return Outputs{result};
}

// The extents of a value, one of which only the run knows.
Result<NodeId> extentsWithCount(NodeCall &call, const CountedAxis &counted, std::int64_t begin, std::int64_t end)
{
    std::vector<NodeId> parts;
    for (std::int64_t axis = begin; axis < end; ++axis) {
        const bool isCount = static_cast<std::size_t>(axis) == counted.axis;
        SW_TRY(const NodeId wide, call.cast(counted.count, DType::I64));
        SW_TRY(const NodeId part,
               isCount ? call.reshape(wide, {1})
                       : call.builder().full(call.origin(), Scalar::of(DType::I64, call.shape(0)[static_cast<std::size_t>(axis)]),
                                             Shape{1}));
        parts.push_back(part);
    }
    return call.builder().cat(call.origin(), parts, 0);
}

Result<Outputs> importShape(NodeCall &call)
{
    const std::vector<std::int64_t> extents(call.shape(0).begin(), call.shape(0).end());
    const auto rank = static_cast<std::int64_t>(extents.size());
    const auto bound = [&](std::string_view name, std::int64_t otherwise) {
        const std::int64_t at = call.integer(name, otherwise);
        return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
    };
    const std::int64_t begin = bound("start", 0);
    const std::int64_t end = std::max(begin, bound("end", rank));
    if (const auto &counted = call.value(0)->counted;
        counted && static_cast<std::int64_t>(counted->axis) >= begin && static_cast<std::int64_t>(counted->axis) < end) {
        SW_TRY(const NodeId shape, extentsWithCount(call, *counted, begin, end));
        return Outputs{shape};
    }
    return Outputs{integerList({extents.begin() + begin, extents.begin() + end})};
}

Result<Outputs> importSize(NodeCall &call)
{
    if (const auto &counted = call.value(0)->counted) {
        std::int64_t others = 1;
        for (std::size_t axis = 0; axis < call.shape(0).rank(); ++axis)
            others *= axis == counted->axis ? 1 : call.shape(0)[axis];
        SW_TRY(const NodeId factor, call.builder().full(call.origin(), Scalar::of(DType::I64, others), Shape()));
        SW_TRY(const NodeId size, call.apply(Op::Mul, {factor, counted->count}));
        return Outputs{size};
    }
    return Outputs{HostTensor::ofScalar(Scalar::of(DType::I64, call.shape(0).elements()))};
}

Result<Outputs> importRange(NodeCall &call)
{
    SW_TRY(const Scalar start, call.constantScalar(0, "start"));
    SW_TRY(const Scalar limit, call.constantScalar(1, "limit"));
    SW_TRY(const Scalar delta, call.constantScalar(2, "delta"));
    const DType dtype = start.dtype();
    const double first = start.asDouble();
    const double step = delta.asDouble();
    const double count = std::ceil((limit.asDouble() - first) / step);
    if (!(count <= static_cast<double>(kMaxRangeElements)))
        return call.error(Code::Limit, "the range has {} elements, the limit is {}", count, kMaxRangeElements);
    const auto length = static_cast<std::int64_t>(std::max(0.0, count));
    if (length > kMaxKnownElements)
        return longRange(call, start, delta, length);
    HostTensor values(dtype, Shape{length});
    const bool isWhole = isInteger(dtype);
    for (std::int64_t i = 0; i < length; ++i) {
        // Unsigned, because integers wrap.
        const std::uint64_t whole = start.asUnsigned() + static_cast<std::uint64_t>(i) * delta.asUnsigned();
        values.set(i, isWhole ? Scalar::of(dtype, static_cast<std::int64_t>(whole))
                              : Scalar::of(dtype, first + static_cast<double>(i) * step));
    }
    return Outputs{std::move(values)};
}

} // namespace sw::onnx
