#include "engine/types/npy.h"

#include "engine/base/mapped_file.h"
#include "engine/base/whole_file.h"
#include "engine/types/stored_bytes.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>

namespace sw {

namespace {

static_assert(std::endian::native == std::endian::little, "tensors are stored as the files are");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kAlignment = 64;
constexpr std::int64_t kWordsPerElement = 4; // of u32x4

struct Header {
    DType dtype = DType::F32;
    bool isFortranOrder = false;
    Shape shape;
    std::size_t dataOffset = 0;
};

Diagnostic malformed(const std::string &fileName, std::string_view what)
{
    return Diagnostic::error(Code::File, {fileName}, "{} is not a valid .npy file: {}", fileName, what);
}

// The text after "'key':" up to the end of the value; nothing when the key is missing.
std::optional<std::string_view> valueOf(std::string_view header, std::string_view key)
{
    const std::size_t at = header.find(format("'{}'", key));
    const std::size_t colon = at == std::string_view::npos ? at : header.find(':', at);
    if (colon == std::string_view::npos)
        return std::nullopt;
    std::string_view rest = header.substr(colon + 1);
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    if (rest.starts_with('('))
        return rest.substr(0, rest.find(')') + 1);
    return rest.substr(0, rest.find_first_of(",}"));
}

Result<DType> dtypeOf(std::string_view descr, const std::string &fileName)
{
    if (descr.size() >= 2 && (descr.front() == '\'' || descr.front() == '"'))
        descr = descr.substr(1, descr.size() - 2);
    std::string name(descr);
    if (!name.empty() && name.front() == '=')
        name.front() = '<';
    if (name.ends_with('1') && !name.empty())
        name.front() = '|';
    // The first match counts: u2 is u16, although bf16 is written as u2 as well.
    for (const DType dtype : allDTypes())
        if (infoOf(dtype).npy == name)
            return dtype;
    return Diagnostic::error(Code::UnsupportedDType, {fileName}, "{} holds elements of type {}, which is not supported", fileName,
                             quoted(descr))
        .withHint("little-endian bool, integers and floats of 16 to 64 bits are");
}

Result<Shape> shapeOf(std::string_view text, const std::string &fileName)
{
    std::vector<std::int64_t> extents;
    if (text.size() < 2 || text.front() != '(' || text.back() != ')')
        return malformed(fileName, "its shape is not a tuple");
    text = text.substr(1, text.size() - 2);
    while (true) {
        text.remove_prefix(std::min(text.find_first_not_of(" ,"), text.size()));
        if (text.empty())
            break;
        std::int64_t extent = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
        if (error != std::errc() || extent < 0)
            return malformed(fileName, "its shape holds something else than sizes");
        extents.push_back(extent);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    }
    auto shape = Shape::checked(std::move(extents));
    if (!shape)
        return malformed(fileName, shape.error().front().message);
    return shape;
}

Result<Header> parseHeader(std::span<const std::byte> bytes, const std::string &fileName)
{
    const auto byteAt = [&](std::size_t i) { return std::to_integer<std::uint32_t>(bytes[i]); };
    const std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    if (!text.starts_with(kMagic))
        return malformed(fileName, "it does not begin with the magic string");
    if (bytes.size() < 12)
        return malformed(fileName, "it ends in its header");
    const std::uint32_t version = byteAt(6);
    if (version < 1 || version > 3)
        return malformed(fileName, format("its version is {}, not 1, 2 or 3", version));
    const std::size_t start = version == 1 ? 10 : 12;
    const std::size_t length =
        version == 1 ? byteAt(8) | byteAt(9) << 8U : byteAt(8) | byteAt(9) << 8U | byteAt(10) << 16U | byteAt(11) << 24U;
    if (length > bytes.size() - start)
        return malformed(fileName, "it ends in its header");
    const std::string_view header = text.substr(start, length);
    const auto descr = valueOf(header, "descr");
    const auto order = valueOf(header, "fortran_order");
    const auto shape = valueOf(header, "shape");
    if (!descr || !order || !shape)
        return malformed(fileName, "its header does not name descr, fortran_order and shape");
    Header parsed;
    SW_TRY(parsed.dtype, dtypeOf(*descr, fileName));
    SW_TRY(parsed.shape, shapeOf(*shape, fileName));
    parsed.isFortranOrder = order->starts_with("True");
    parsed.dataOffset = start + length;
    return parsed;
}

// The type that stores the raw bits of a type that NumPy lacks.
std::optional<DType> rawBitsType(DType dtype)
{
    if (dtype == DType::U32x4)
        return DType::U32;
    if (dtype == DType::BF16)
        return DType::U16;
    if (isFloat8(dtype))
        return DType::U8;
    return std::nullopt;
}

// Copies the elements of a column-major tensor in row-major order.
void copyFortran(std::span<const std::byte> data, HostTensor &tensor)
{
    const Shape &shape = tensor.shape();
    const std::size_t width = bytesOf(tensor.dtype());
    std::vector<std::int64_t> coordinates(shape.rank());
    const std::span<std::byte> out = tensor.mutableBytes();
    for (std::int64_t i = 0; i < tensor.elements(); ++i) {
        unravel(i, shape, coordinates);
        std::int64_t from = 0;
        for (std::size_t axis = shape.rank(); axis-- > 0;)
            from = from * shape[axis] + coordinates[axis];
        std::memcpy(out.data() + static_cast<std::size_t>(i) * width, data.data() + static_cast<std::size_t>(from) * width,
                    width);
    }
}

} // namespace

namespace {

// The bytes of the elements. They are there before anything is allocated: a header may claim any size.
Result<std::span<const std::byte>> dataOf(const Header &header, std::span<const std::byte> bytes, const std::string &fileName)
{
    const std::span<const std::byte> data = bytes.subspan(header.dataOffset);
    const auto wanted = static_cast<std::uint64_t>(header.shape.elements()) * bytesOf(header.dtype);
    if (data.size() != wanted)
        return malformed(fileName, format("{}{} needs {} bytes of data, and there are {}", nameOf(header.dtype),
                                          toText(header.shape), wanted, data.size()));
    return data;
}

HostTensor copied(const Header &header, std::span<const std::byte> data)
{
    HostTensor tensor(header.dtype, header.shape);
    if (data.empty())
        return tensor;
    if (header.isFortranOrder)
        copyFortran(data, tensor);
    else
        std::memcpy(tensor.mutableBytes().data(), data.data(), data.size());
    if (header.dtype == DType::Bool)
        for (std::byte &truth : tensor.mutableBytes())
            truth = truth == std::byte{0} ? std::byte{0} : std::byte{1};
    return tensor;
}

} // namespace

Result<HostTensor> parseNpy(std::span<const std::byte> bytes, const std::string &fileName)
{
    SW_TRY(const Header header, parseHeader(bytes, fileName));
    SW_TRY(const std::span<const std::byte> data, dataOf(header, bytes, fileName));
    return copied(header, data);
}

// The elements of a large tensor stay in the file (HostTensor::checkUnchanged), where they lie there as in memory: not in Fortran
// order, and no truths.
Result<HostTensor> readNpyFile(const std::filesystem::path &file)
{
    SW_TRY(const std::shared_ptr<const MappedFile> mapped, MappedFile::open(file));
    const std::span<const std::byte> bytes = mapped->bytes();
    SW_TRY(const Header header, parseHeader(bytes, file.string()));
    SW_TRY(const std::span<const std::byte> data, dataOf(header, bytes, file.string()));
    // Any byte may stand for a truth.
    const bool isAsInMemory = header.dtype != DType::Bool && (!header.isFortranOrder || header.shape.rank() < 2);
    if (isAsInMemory && data.size() >= kLeastStored)
        return HostTensor::stored(header.dtype, header.shape,
                                  std::make_shared<const StoredBytes>(mapped, header.dataOffset, data.size()));
    HostTensor tensor = copied(header, data);
    SW_CHECK(mapped->checkUnchanged());
    return tensor;
}

std::optional<HostTensor> fromRawBits(const HostTensor &stored, DType dtype)
{
    const auto bits = rawBitsType(dtype);
    if (!bits || stored.dtype() != *bits)
        return std::nullopt;
    if (dtype != DType::U32x4)
        return stored.reinterpreted(dtype, stored.shape());
    const std::span<const std::int64_t> extents = stored.shape().extents();
    if (extents.empty() || extents.back() != kWordsPerElement)
        return std::nullopt;
    return stored.reinterpreted(dtype, Shape(std::vector<std::int64_t>(extents.begin(), extents.end() - 1)));
}

HostTensor toRawBits(const HostTensor &tensor)
{
    const auto bits = rawBitsType(tensor.dtype());
    if (!bits)
        return tensor;
    std::vector<std::int64_t> extents(tensor.shape().begin(), tensor.shape().end());
    if (tensor.dtype() == DType::U32x4)
        extents.push_back(kWordsPerElement);
    return tensor.reinterpreted(*bits, Shape(std::move(extents)));
}

namespace {

// Everything before the elements.
std::string npyHeader(const HostTensor &tensor)
{
    const Shape &shape = tensor.shape();
    std::string extents = join(shape, ", ");
    if (shape.rank() == 1)
        extents += ',';
    std::string header =
        format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", infoOf(tensor.dtype()).npy, extents);
    const std::size_t prefix = kMagic.size() + 4;
    header.append((kAlignment - (prefix + header.size() + 1) % kAlignment) % kAlignment, ' ');
    header += '\n';
    std::string text = std::string(kMagic) + '\x01' + '\0';
    text += static_cast<char>(header.size() & 0xFFU);
    text += static_cast<char>(header.size() >> 8U);
    return text + header;
}

} // namespace

std::vector<std::byte> npyBytes(const HostTensor &value)
{
    const HostTensor tensor = toRawBits(value);
    const std::string text = npyHeader(tensor);
    std::vector<std::byte> bytes(text.size() + tensor.byteSize());
    std::memcpy(bytes.data(), text.data(), text.size());
    if (tensor.byteSize() != 0)
        std::memcpy(bytes.data() + text.size(), tensor.unalignedBytes().data(), tensor.byteSize());
    return bytes;
}

Result<Done> writeNpyFile(const std::filesystem::path &file, const HostTensor &value)
{
    const HostTensor tensor = toRawBits(value);
    const std::span<const std::byte> elements = tensor.unalignedBytes();
    return writeWholeFile(file, {npyHeader(tensor), {reinterpret_cast<const char *>(elements.data()), elements.size()}});
}

} // namespace sw
