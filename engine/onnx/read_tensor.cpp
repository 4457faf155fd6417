#include "engine/onnx/read_tensor.h"

#include "engine/onnx/import.h"
#include "engine/onnx/read_model.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <array>
#include <cstring>
#include <limits>

namespace sw::onnx {

namespace {

using ::onnx::TensorProto;

struct TypeRow {
    std::string_view name;
    std::optional<DType> dtype;
};

// Indexed by ONNX's number.
constexpr std::array<TypeRow, 27> kTypes = {{
    {"undefined", {}},
    {"float", DType::F32},
    {"uint8", DType::U8},
    {"int8", DType::I8},
    {"uint16", DType::U16},
    {"int16", DType::I16},
    {"int32", DType::I32},
    {"int64", DType::I64},
    {"string", {}},
    {"bool", DType::Bool},
    {"float16", DType::F16},
    {"double", DType::F64},
    {"uint32", DType::U32},
    {"uint64", DType::U64},
    {"complex64", {}},
    {"complex128", {}},
    {"bfloat16", DType::BF16},
    {"float8e4m3fn", {}},
    {"float8e4m3fnuz", {}},
    {"float8e5m2", {}},
    {"float8e5m2fnuz", {}},
    {"uint4", {}},
    {"int4", {}},
    {"float4e2m1", {}},
    {"float8e8m0", {}},
    {"uint2", {}},
    {"int2", {}},
}};

Diagnostic malformed(const SourceRange &where, const TensorProto &proto, std::string_view what)
{
    return Diagnostic::error(Code::MalformedModel, where, "tensor '{}': {}", displayText(proto.name()), what);
}

// The typed fields hold elements one by one: 32-bit fields for narrow types, 64-bit fields for wide ones.
template <class Field, class Element>
void copyElements(const Field &field, std::span<std::byte> out)
{
    std::size_t at = 0;
    for (const auto value : field) {
        const Element element = static_cast<Element>(value);
        std::memcpy(out.data() + at, &element, sizeof element);
        at += sizeof element;
    }
}

template <class Field>
void copyBits(const Field &field, std::size_t elementBytes, std::span<std::byte> out)
{
    switch (elementBytes) {
    case 1:
        return copyElements<Field, std::uint8_t>(field, out);
    case 2:
        return copyElements<Field, std::uint16_t>(field, out);
    case 4:
        return copyElements<Field, std::uint32_t>(field, out);
    default:
        return copyElements<Field, std::uint64_t>(field, out);
    }
}

std::int64_t typedElements(const TensorProto &proto, DType dtype)
{
    if (dtype == DType::F32)
        return proto.float_data_size();
    if (dtype == DType::F64)
        return proto.double_data_size();
    if (dtype == DType::I64)
        return proto.int64_data_size();
    if (dtype == DType::U32 || dtype == DType::U64)
        return proto.uint64_data_size();
    return proto.int32_data_size();
}

void copyTyped(const TensorProto &proto, DType dtype, std::span<std::byte> out)
{
    if (dtype == DType::F32)
        std::memcpy(out.data(), proto.float_data().data(), out.size());
    else if (dtype == DType::F64)
        std::memcpy(out.data(), proto.double_data().data(), out.size());
    else if (dtype == DType::I64)
        std::memcpy(out.data(), proto.int64_data().data(), out.size());
    else if (dtype == DType::U32 || dtype == DType::U64)
        copyBits(proto.uint64_data(), bytesOf(dtype), out);
    else
        copyBits(proto.int32_data(), bytesOf(dtype), out);
}

// A bool is one byte, 0 or 1, whatever the file contains.
void normalizeBools(std::span<std::byte> bytes)
{
    for (std::byte &b : bytes)
        b = std::byte{b != std::byte{0}};
}

} // namespace

Result<DType> dtypeOfOnnx(std::int32_t number, const SourceRange &where)
{
    const bool isKnown = number > 0 && static_cast<std::size_t>(number) < kTypes.size();
    if (!isKnown)
        return Diagnostic::error(Code::MalformedModel, where, "element type {} is none of ONNX's", number);
    const TypeRow &row = kTypes[static_cast<std::size_t>(number)];
    if (!row.dtype)
        return Diagnostic::error(Code::UnsupportedDType, where, "element type {} is not supported", row.name);
    return *row.dtype;
}

Result<HostTensor> readTensor(const TensorProto &proto, const SourceRange &where)
{
    SW_TRY(const DType dtype, dtypeOfOnnx(proto.data_type(), where));
    if (proto.data_location() == TensorProto::EXTERNAL)
        return Diagnostic::error(Code::Unsupported, where, "tensor '{}' is stored outside of the model file",
                                 displayText(proto.name()))
            .withHint("store the weights in the model file");
    if (proto.has_segment())
        return Diagnostic::error(Code::Unsupported, where, "tensor '{}' is stored in segments", displayText(proto.name()));

    const auto checked = Shape::checked({proto.dims().begin(), proto.dims().end()});
    if (!checked)
        return malformed(where, proto, checked.error().front().message);
    const Shape &shape = *checked;
    const bool isRaw = proto.has_raw_data();
    const std::int64_t found =
        isRaw ? static_cast<std::int64_t>(proto.raw_data().size()) / bytesOf(dtype) : typedElements(proto, dtype);
    if (found != shape.elements() || (isRaw && proto.raw_data().size() % bytesOf(dtype) != 0))
        return malformed(where, proto,
                         format("shape {} wants {} elements, the file has {}", toText(shape), shape.elements(), found));

    HostTensor tensor(dtype, shape);
    const std::span<std::byte> out = tensor.mutableBytes();
    if (out.empty())
        return tensor;
    if (isRaw)
        std::memcpy(out.data(), proto.raw_data().data(), out.size());
    else
        copyTyped(proto, dtype, out);
    if (dtype == DType::Bool)
        normalizeBools(out);
    return tensor;
}

} // namespace sw::onnx

namespace sw {

Result<HostTensor> readOnnxTensor(std::span<const std::byte> bytes, const std::string &fileName)
{
    const SourceRange where{.file = fileName};
    ::onnx::TensorProto proto;
    if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) ||
        !proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
        return Diagnostic::error(Code::MalformedModel, where, "not a stored ONNX tensor");
    return onnx::readTensor(proto, where);
}

} // namespace sw
