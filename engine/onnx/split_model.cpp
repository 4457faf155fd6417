#include "engine/onnx/split_model.h"

#include "engine/types/stored_bytes.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>

namespace sw::onnx {

namespace {

using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;
using Wire = google::protobuf::internal::WireFormatLite;

// Messages that have tensors somewhere in them.
enum class Part : std::uint8_t { Model, Graph, Function, Node, Attribute, Tensor };

struct PartField {
    Part within;
    int field;
    Part part;
};

// The numbers of onnx.proto.
constexpr std::array kFields{
    PartField{Part::Model, 7, Part::Graph},      PartField{Part::Model, 25, Part::Function},
    PartField{Part::Graph, 1, Part::Node},       PartField{Part::Graph, 5, Part::Tensor},
    PartField{Part::Function, 7, Part::Node},    PartField{Part::Function, 11, Part::Attribute},
    PartField{Part::Node, 5, Part::Attribute},   PartField{Part::Attribute, 5, Part::Tensor},
    PartField{Part::Attribute, 6, Part::Graph},  PartField{Part::Attribute, 10, Part::Tensor},
    PartField{Part::Attribute, 11, Part::Graph},
};
constexpr int kRawData = 9; // of a tensor
// Of messages in messages: each level of bodies is a graph, a node and an attribute.
constexpr int kMostLevels = 300;

struct WireField {
    std::uint32_t tag = 0;
    std::span<const std::byte> whole;    // with its tag
    std::span<const std::byte> contents; // of a message or of bytes

    [[nodiscard]] int number() const { return Wire::GetTagFieldNumber(tag); }
    [[nodiscard]] bool hasContents() const { return Wire::GetTagWireType(tag) == Wire::WIRETYPE_LENGTH_DELIMITED; }
};

// Calls for one field after the other while that gives true. False: the bytes are no message, or a call gave false.
bool forEachField(std::span<const std::byte> bytes, const std::function<bool(const WireField &)> &take)
{
    CodedInputStream stream(reinterpret_cast<const std::uint8_t *>(bytes.data()), static_cast<int>(bytes.size()));
    const auto position = [&] { return static_cast<std::size_t>(stream.CurrentPosition()); };
    while (position() < bytes.size()) {
        const std::size_t begin = position();
        WireField field{.tag = stream.ReadTag(), .whole = {}, .contents = {}};
        if (field.tag == 0)
            return false;
        if (field.hasContents()) {
            std::uint32_t size = 0;
            if (!stream.ReadVarint32(&size) || size > bytes.size() - position())
                return false;
            field.contents = bytes.subspan(position(), size);
            if (!stream.Skip(static_cast<int>(size)))
                return false;
        } else if (!Wire::SkipField(&stream, field.tag)) {
            return false;
        }
        field.whole = bytes.subspan(begin, position() - begin);
        if (!take(field))
            return false;
    }
    return true;
}

void append(std::string &out, std::span<const std::byte> bytes)
{
    out.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
}

// Not through a StringOutputStream: that fills the whole capacity of the string each time, which for many nodes is quadratic.
void appendNumbers(std::string &out, std::initializer_list<std::uint32_t> numbers)
{
    constexpr std::size_t kLongestVarint = 5; // bytes of 32 bits
    std::array<std::uint8_t, kLongestVarint> bytes{};
    for (const std::uint32_t number : numbers)
        out.append(bytes.data(), CodedOutputStream::WriteVarint32ToArray(number, bytes.data()));
}

class Splitter {
public:
    bool add(Part part, std::span<const std::byte> bytes, std::string &out, int level)
    {
        if (part == Part::Tensor)
            return addTensor(bytes, out);
        return level <= kMostLevels &&
               forEachField(bytes, [&](const WireField &field) { return addField(part, field, out, level); });
    }

    std::vector<std::span<const std::byte>> apart;

private:
    bool addField(Part part, const WireField &field, std::string &out, int level)
    {
        const auto row = std::ranges::find_if(
            kFields, [&](const PartField &each) { return each.within == part && each.field == field.number(); });
        if (row == kFields.end() || !field.hasContents()) {
            append(out, field.whole);
            return true;
        }
        std::string made;
        if (!add(row->part, field.contents, made, level + 1))
            return false;
        appendNumbers(out, {field.tag, static_cast<std::uint32_t>(made.size())});
        out += made;
        return true;
    }

    // The last one counts where a field stands more than once. The mark is ours alone: a file's own field of that number goes.
    bool addTensor(std::span<const std::byte> bytes, std::string &out)
    {
        WireField raw;
        const bool isMessage = forEachField(bytes, [&](const WireField &field) {
            if (field.number() == kRawData && field.hasContents())
                raw = field;
            else if (field.number() != kApartField)
                append(out, field.whole);
            return true;
        });
        if (raw.contents.size() < kLeastStored) {
            append(out, raw.whole);
            return isMessage;
        }
        appendNumbers(out, {Wire::MakeTag(kApartField, Wire::WIRETYPE_VARINT), static_cast<std::uint32_t>(apart.size())});
        apart.push_back(raw.contents);
        return isMessage;
    }
};

} // namespace

std::optional<SplitModel> splitModel(std::span<const std::byte> bytes)
{
    if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        return std::nullopt;
    Splitter splitter;
    SplitModel split;
    if (!splitter.add(Part::Model, bytes, split.message, 0))
        return std::nullopt;
    split.apart = std::move(splitter.apart);
    return split;
}

} // namespace sw::onnx
