#include "engine/onnx/split_model.h"

#include "engine/types/stored_bytes.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

namespace sw::onnx {

namespace {

using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;
using google::protobuf::io::StringOutputStream;
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

// Nothing: the bytes are no message.
std::optional<std::vector<WireField>> fieldsOf(std::span<const std::byte> bytes)
{
    std::vector<WireField> fields;
    CodedInputStream stream(reinterpret_cast<const std::uint8_t *>(bytes.data()), static_cast<int>(bytes.size()));
    while (static_cast<std::size_t>(stream.CurrentPosition()) < bytes.size()) {
        const auto begin = static_cast<std::size_t>(stream.CurrentPosition());
        WireField field{.tag = stream.ReadTag(), .whole = {}, .contents = {}};
        if (field.tag == 0)
            return std::nullopt;
        if (field.hasContents()) {
            std::uint32_t size = 0;
            if (!stream.ReadVarint32(&size))
                return std::nullopt;
            const auto at = static_cast<std::size_t>(stream.CurrentPosition());
            if (size > bytes.size() - at || !stream.Skip(static_cast<int>(size)))
                return std::nullopt;
            field.contents = bytes.subspan(at, size);
        } else if (!Wire::SkipField(&stream, field.tag)) {
            return std::nullopt;
        }
        field.whole = bytes.subspan(begin, static_cast<std::size_t>(stream.CurrentPosition()) - begin);
        fields.push_back(field);
    }
    return fields;
}

void append(std::string &out, std::span<const std::byte> bytes)
{
    out.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
}

void appendNumbers(std::string &out, std::initializer_list<std::uint32_t> numbers)
{
    StringOutputStream strings(&out);
    CodedOutputStream stream(&strings);
    for (const std::uint32_t number : numbers)
        stream.WriteVarint32(number);
}

class Splitter {
public:
    bool add(Part part, std::span<const std::byte> bytes, std::string &out, int level)
    {
        const auto fields = fieldsOf(bytes);
        if (!fields || level > kMostLevels)
            return false;
        if (part == Part::Tensor) {
            addTensor(*fields, out);
            return true;
        }
        for (const WireField &field : *fields) {
            const auto row = std::ranges::find_if(
                kFields, [&](const PartField &each) { return each.within == part && each.field == field.number(); });
            if (row == kFields.end() || !field.hasContents()) {
                append(out, field.whole);
                continue;
            }
            std::string made;
            if (!add(row->part, field.contents, made, level + 1))
                return false;
            appendNumbers(out, {field.tag, static_cast<std::uint32_t>(made.size())});
            out += made;
        }
        return true;
    }

    std::vector<std::span<const std::byte>> apart;

private:
    // The last one counts where a field stands more than once. The mark is ours alone: a file's own field of that number goes.
    void addTensor(const std::vector<WireField> &fields, std::string &out)
    {
        const WireField *raw = nullptr;
        for (const WireField &field : fields) {
            if (field.number() == kRawData && field.hasContents())
                raw = &field;
            else if (field.number() != kApartField)
                append(out, field.whole);
        }
        if (raw == nullptr)
            return;
        if (raw->contents.size() < kLeastStored) {
            append(out, raw->whole);
            return;
        }
        appendNumbers(out, {Wire::MakeTag(kApartField, Wire::WIRETYPE_VARINT), static_cast<std::uint32_t>(apart.size())});
        apart.push_back(raw->contents);
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
