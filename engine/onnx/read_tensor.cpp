#include "engine/onnx/read_tensor.h"

#include "engine/onnx/import.h"
#include "engine/onnx/read_model.h"
#include "engine/onnx/split_model.h"
#include "engine/types/stored_bytes.h"

#include <google/protobuf/unknown_field_set.h>

#include <charconv>
#include <cstring>
#include <limits>
#include <optional>

namespace sw::onnx {

namespace {

using ::onnx::TensorProto;

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

// Elements of 2 or 4 bits lie in each byte from its lowest bits on.
void unpack(std::span<const std::byte> packed, Narrow narrow, HostTensor &tensor)
{
    const unsigned bits = bitsOf(narrow);
    const bool isSigned = storageOf(narrow) == DType::I8;
    const std::int64_t perByte = 8 / bits;
    for (std::int64_t i = 0; i < tensor.elements(); ++i) {
        const auto byte = std::to_integer<unsigned>(packed[static_cast<std::size_t>(i / perByte)]);
        const auto code = static_cast<std::int64_t>((byte >> (bits * static_cast<unsigned>(i % perByte))) & ((1U << bits) - 1));
        const std::int64_t half = std::int64_t{1} << (bits - 1);
        tensor.set(i, Scalar::of(tensor.dtype(), isSigned && code >= half ? code - 2 * half : code));
    }
}

// The raw data of the tensor, in its message or apart; nothing: it has none.
std::optional<std::span<const std::byte>> rawBytes(const TensorProto &proto, const ModelFile &file)
{
    if (proto.has_raw_data())
        return std::as_bytes(std::span(proto.raw_data().data(), proto.raw_data().size()));
    const auto &unknown = proto.GetReflection()->GetUnknownFields(proto);
    for (int i = 0; i < unknown.field_count(); ++i) {
        const auto &field = unknown.field(i);
        if (field.number() == kApartField && field.type() == google::protobuf::UnknownField::TYPE_VARINT &&
            field.varint() < file.apart.size())
            return file.apart[static_cast<std::size_t>(field.varint())];
    }
    return std::nullopt;
}

bool isExternal(const TensorProto &proto)
{
    return proto.data_location() == TensorProto::EXTERNAL;
}

Result<std::uint64_t> numberOf(const TensorProto &proto, const std::string &text, const ModelFile &file)
{
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size())
        return malformed(file.where, proto, format("'{}' is no number of bytes", displayText(text)));
    return number;
}

// So many elements take so many bytes; more than there can be, if the number has no room.
std::uint64_t byteCount(std::int64_t elements, std::int64_t perElement)
{
    const auto count = static_cast<std::uint64_t>(elements);
    const auto each = static_cast<std::uint64_t>(perElement);
    return count > std::numeric_limits<std::uint64_t>::max() / each ? std::numeric_limits<std::uint64_t>::max() : count * each;
}

Diagnostic placed(Diagnostic problem, const TensorProto &proto, const ModelFile &file)
{
    problem.message = format("tensor '{}': {}", displayText(proto.name()), problem.message);
    problem.where = file.where;
    return problem;
}

// A range of a mapped file.
struct FileRange {
    std::shared_ptr<const MappedFile> file; // null: the bytes are in memory
    std::span<const std::byte> bytes;
};

Result<FileRange> findExternal(const TensorProto &proto, std::uint64_t bytes, const ModelFile &file)
{
    ExternalPlace place;
    for (const auto &entry : proto.external_data()) {
        if (entry.key() == "location") {
            place.location = entry.value();
        } else if (entry.key() == "offset") {
            SW_TRY(place.offset, numberOf(proto, entry.value(), file));
        } else if (entry.key() == "length") {
            SW_TRY(place.length, numberOf(proto, entry.value(), file));
        }
    }
    const auto found = file.external->find(place, bytes);
    if (!found)
        return placed(found.error().front(), proto, file);
    return FileRange{found->file, found->file->bytes().subspan(found->offset, static_cast<std::size_t>(bytes))};
}

// The elements stay in the file if they are many and lie there as a tensor has them.
HostTensor tensorOf(const FileRange &range, DType dtype, const Shape &shape)
{
    if (range.file != nullptr && range.bytes.size() >= kLeastStored && dtype != DType::Bool) {
        const auto offset = static_cast<std::size_t>(range.bytes.data() - range.file->bytes().data());
        return HostTensor::stored(dtype, shape, std::make_shared<const StoredBytes>(range.file, offset, range.bytes.size()));
    }
    HostTensor tensor(dtype, shape);
    if (range.bytes.empty())
        return tensor;
    std::memcpy(tensor.mutableBytes().data(), range.bytes.data(), range.bytes.size());
    if (dtype == DType::Bool)
        normalizeBools(tensor.mutableBytes());
    return tensor;
}

Result<HostTensor> readPacked(const TensorProto &proto, Narrow narrow, const Shape &shape, const ModelFile &file)
{
    const std::int64_t perByte = 8 / bitsOf(narrow);
    const std::int64_t wanted = shape.elements() / perByte + (shape.elements() % perByte == 0 ? 0 : 1);
    const auto raw = rawBytes(proto, file);
    std::vector<std::byte> packed;
    if (isExternal(proto)) {
        SW_TRY(const FileRange found, findExternal(proto, static_cast<std::uint64_t>(wanted), file));
        packed.assign(found.bytes.begin(), found.bytes.end());
    } else if (raw) {
        packed.assign(raw->begin(), raw->end());
    } else {
        packed.resize(static_cast<std::size_t>(proto.int32_data_size()));
        copyBits(proto.int32_data(), 1, packed);
    }
    if (static_cast<std::int64_t>(packed.size()) != wanted)
        return malformed(
            file.where, proto,
            format("shape {} wants {} bytes of {}, the file has {}", toText(shape), wanted, nameOf(narrow), packed.size()));
    HostTensor tensor(storageOf(narrow), shape);
    unpack(packed, narrow, tensor);
    return tensor;
}

Result<HostTensor> readElements(const TensorProto &proto, ElementType type, const ModelFile &file)
{
    if (proto.has_segment())
        return Diagnostic::error(Code::Unsupported, file.where, "tensor '{}' is stored in segments", displayText(proto.name()));

    const auto checked = Shape::checked({proto.dims().begin(), proto.dims().end()});
    if (!checked)
        return malformed(file.where, proto, checked.error().front().message);
    const Shape &shape = *checked;
    const DType dtype = type.dtype;
    if (type.narrow != Narrow::None && bitsOf(type.narrow) < 8)
        return readPacked(proto, type.narrow, shape, file);
    // What the file has is known before anything is allocated.
    if (isExternal(proto)) {
        SW_TRY(const FileRange found, findExternal(proto, byteCount(shape.elements(), bytesOf(dtype)), file));
        return tensorOf(found, dtype, shape);
    }
    const auto raw = rawBytes(proto, file);
    const std::int64_t found = raw ? static_cast<std::int64_t>(raw->size()) / bytesOf(dtype) : typedElements(proto, dtype);
    if (found != shape.elements() || (raw && raw->size() % bytesOf(dtype) != 0))
        return malformed(file.where, proto,
                         format("shape {} wants {} elements, the file has {}", toText(shape), shape.elements(), found));
    if (raw)
        return tensorOf({proto.has_raw_data() ? nullptr : file.mapped, *raw}, dtype, shape);
    HostTensor tensor(dtype, shape);
    if (tensor.byteSize() == 0)
        return tensor;
    copyTyped(proto, dtype, tensor.mutableBytes());
    if (dtype == DType::Bool)
        normalizeBools(tensor.mutableBytes());
    return tensor;
}

} // namespace

Result<HostTensor> readTensor(const TensorProto &proto, const ModelFile &file)
{
    SW_TRY(const DType dtype, dtypeOfOnnx(proto.data_type(), file.where));
    return readElements(proto, ElementType{dtype}, file);
}

Result<StoredTensor> readStored(const TensorProto &proto, const ModelFile &file)
{
    SW_TRY(const ElementType type, elementTypeOfOnnx(proto.data_type(), file.where));
    SW_TRY(HostTensor value, readElements(proto, type, file));
    return StoredTensor{std::move(value), type.narrow};
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
    return onnx::readTensor(proto, {where, std::make_shared<onnx::ExternalFiles>(std::filesystem::path())});
}

} // namespace sw
