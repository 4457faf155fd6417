#include "engine/types/safetensors.h"

#include "engine/base/json.h"
#include "engine/base/json_value.h"
#include "engine/base/whole_file.h"
#include "engine/types/npy.h"
#include "engine/types/stored_bytes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>

namespace sw {

namespace {

static_assert(std::endian::native == std::endian::little, "tensors are stored as the files are");

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kMostHeaderBytes = 100'000'000; // the format's own limit
constexpr std::size_t kAlignment = 64;                  // of the first element in the file
constexpr std::string_view kFacts = "__metadata__";     // a name that is not a tensor's

// "F32", "BF16", "F8_E4M3": our names in capitals, with the sizes of an exponent set off.
std::string spellingOf(DType dtype)
{
    std::string name(nameOf(dtype));
    std::ranges::transform(name, name.begin(),
                           [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    const std::size_t exponent = name.find('E');
    if (isFloat(dtype) && exponent != std::string::npos)
        name.insert(exponent, "_");
    return name;
}

std::optional<DType> dtypeSpelled(std::string_view spelling)
{
    for (const DType dtype : allDTypes())
        if (dtype != DType::Unit && dtype != DType::U32x4 && spellingOf(dtype) == spelling)
            return dtype;
    return std::nullopt;
}

std::optional<std::uint64_t> lengthIn(std::span<const std::byte> bytes)
{
    if (bytes.size() < kLengthBytes)
        return std::nullopt;
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), kLengthBytes);
    return length;
}

HostTensor stored(const HostTensor &tensor)
{
    return tensor.dtype() == DType::U32x4 ? toRawBits(tensor) : tensor;
}

// Everything before the elements.
std::string headerOf(const NamedTensors &tensors)
{
    JsonWriter json(JsonLayout::Compact);
    std::int64_t offset = 0;
    json.beginObject();
    for (const auto &[name, value] : tensors) {
        json.key(name).beginObject().field("dtype", spellingOf(value.dtype()));
        json.key("shape").integers(value.shape().extents());
        const std::array<std::int64_t, 2> place{offset, offset + static_cast<std::int64_t>(value.byteSize())};
        json.key("data_offsets").integers(place).endObject();
        offset = place.back();
    }
    json.endObject();
    std::string header = json.text();
    header.append((kAlignment - (kLengthBytes + header.size()) % kAlignment) % kAlignment, ' ');
    const std::uint64_t length = header.size();
    std::string bytes(kLengthBytes, '\0');
    std::memcpy(bytes.data(), &length, kLengthBytes);
    return bytes + header;
}

} // namespace

Diagnostic TensorArchive::malformed(std::string_view what) const
{
    return Diagnostic::error(Code::File, {m_name}, "{} is not a valid .safetensors file: {}", m_name, what);
}

Result<TensorArchive> TensorArchive::open(const std::filesystem::path &file)
{
    TensorArchive archive;
    archive.m_name = file.string();
    SW_TRY(archive.m_file, MappedFile::open(file));
    SW_CHECK(archive.readHeader());
    return archive;
}

Result<Done> TensorArchive::readHeader()
{
    const std::span<const std::byte> bytes = m_file->bytes();
    const auto length = lengthIn(bytes);
    if (!length || *length > bytes.size() - kLengthBytes)
        return malformed("it ends in its header");
    if (*length > kMostHeaderBytes)
        return Diagnostic::error(Code::Limit, {m_name}, "{} has a header of {} bytes, more than the {} that are read", m_name,
                                 *length, kMostHeaderBytes);
    const auto headerBytes = bytes.subspan(kLengthBytes, static_cast<std::size_t>(*length));
    const std::string_view text(reinterpret_cast<const char *>(headerBytes.data()), headerBytes.size());
    SW_TRY(const JsonValue header, parseJson(text, m_name));
    if (header.object() == nullptr)
        return malformed("its header is not a table of tensors");
    const std::size_t begin = kLengthBytes + headerBytes.size();
    const auto space = static_cast<std::int64_t>(bytes.size() - begin);
    for (const auto &[name, facts] : *header.object()) {
        if (name == kFacts)
            continue;
        const JsonValue *dtype = facts.find("dtype");
        const JsonValue *shape = facts.find("shape");
        const JsonValue *place = facts.find("data_offsets");
        if (dtype == nullptr || dtype->text() == nullptr || shape == nullptr || shape->integers() == nullptr ||
            place == nullptr || place->integers() == nullptr || place->integers()->size() != 2)
            return malformed(format("tensor {} does not name dtype, shape and data_offsets", sw::quoted(name)));
        const std::int64_t from = place->integers()->front();
        const std::int64_t end = place->integers()->back();
        if (from < 0 || end < from || end > space)
            return malformed(format("tensor {} takes bytes {} to {}, and there are {}", sw::quoted(name), from, end, space));
        auto extents = Shape::checked(*shape->integers());
        if (!extents)
            return malformed(format("tensor {}: {}", sw::quoted(name), extents.error().front().message));
        m_entries.emplace(name, Entry{*dtype->text(), std::move(*extents), begin + static_cast<std::size_t>(from),
                                      static_cast<std::size_t>(end - from)});
    }
    return Done{};
}

Result<HostTensor> TensorArchive::tensor(std::string_view name) const
{
    const auto found = m_entries.find(name);
    if (found == m_entries.end())
        return Diagnostic::error(Code::UnknownName, {m_name}, "{} has no tensor {}", m_name, sw::quoted(name))
            .withHint(m_entries.empty()
                          ? "it has none"
                          : format("the first of its {} is {}", m_entries.size(), sw::quoted(m_entries.begin()->first)));
    const Entry &entry = found->second;
    const auto dtype = dtypeSpelled(entry.dtype);
    if (!dtype)
        return Diagnostic::error(Code::UnsupportedDType, {m_name},
                                 "{}: tensor {} has elements of type {}, which is not supported", m_name, sw::quoted(name),
                                 sw::quoted(entry.dtype));
    // Checked before allocating: a header may claim any size.
    const auto wanted = static_cast<std::uint64_t>(entry.shape.elements());
    if (entry.bytes % bytesOf(*dtype) != 0 || entry.bytes / bytesOf(*dtype) != wanted)
        return malformed(format("tensor {}: {}{} has {} elements, and there are {} bytes", sw::quoted(name), entry.dtype,
                                toText(entry.shape), wanted, entry.bytes));
    if (entry.bytes >= kLeastStored && *dtype != DType::Bool)
        return HostTensor::stored(*dtype, entry.shape, std::make_shared<const StoredBytes>(m_file, entry.offset, entry.bytes));
    HostTensor tensor(*dtype, entry.shape);
    if (entry.bytes != 0)
        std::memcpy(tensor.mutableBytes().data(), m_file->bytes().data() + entry.offset, entry.bytes);
    if (*dtype == DType::Bool)
        for (std::byte &truth : tensor.mutableBytes())
            truth = truth == std::byte{0} ? std::byte{0} : std::byte{1};
    return tensor;
}

std::vector<std::string> TensorArchive::names() const
{
    std::vector<std::string> all;
    for (const auto &[name, entry] : m_entries)
        all.push_back(name);
    return all;
}

Result<Done> writeTensorArchive(const std::filesystem::path &file, const NamedTensors &tensors)
{
    NamedTensors sorted;
    for (const auto &[name, value] : tensors)
        sorted.emplace_back(name, stored(value));
    // Wide elements first, so that every tensor begins at a multiple of the size of its elements.
    std::ranges::stable_sort(sorted, std::greater<>(), [](const auto &one) { return bytesOf(one.second.dtype()); });
    const std::string header = headerOf(sorted);
    std::size_t part = 0;
    return writeWholeFile(file, [&]() -> std::optional<std::string_view> {
        if (part++ == 0)
            return header;
        while (part - 2 < sorted.size() && sorted[part - 2].second.byteSize() == 0)
            ++part;
        if (part - 2 >= sorted.size())
            return std::string_view();
        const std::span<const std::byte> bytes = sorted[part - 2].second.unalignedBytes();
        return std::string_view(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    });
}

} // namespace sw
