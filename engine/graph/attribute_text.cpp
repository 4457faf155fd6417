#include "engine/graph/attribute_text.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

namespace sw {

namespace {

// A fill(...) of a mistyped shape must not take all the memory.
constexpr std::int64_t kMaxFillBytes = std::int64_t{1} << 30;

template <class T, class ReadOne>
Result<std::vector<T>> readList(TextScanner &scanner, ReadOne readOne)
{
    std::vector<T> out;
    SW_CHECK(scanner.expect("["));
    if (scanner.accept("]"))
        return out;
    do {
        SW_TRY(T element, readOne(scanner));
        out.push_back(std::move(element));
    } while (scanner.accept(","));
    SW_CHECK(scanner.expect("]"));
    return out;
}

Result<std::vector<std::int64_t>> readIntegers(TextScanner &scanner)
{
    return readList<std::int64_t>(scanner, [](TextScanner &s) { return s.integer(); });
}

Result<std::size_t> readAxis(TextScanner &scanner)
{
    SW_TRY(const std::uint64_t axis, scanner.unsignedInteger());
    return static_cast<std::size_t>(axis);
}

Result<Scalar> readScalar(TextScanner &scanner, DType dtype)
{
    const std::uint32_t start = scanner.nextColumn();
    auto value = parseScalar(dtype, scanner.until(",])}"));
    if (!value) {
        Diagnostic diagnostic = value.error().front();
        diagnostic.where = scanner.rangeFrom(start);
        return diagnostic;
    }
    return std::move(value).value();
}

Result<Done> readHex(TextScanner &scanner, std::span<std::byte> bytes)
{
    const std::uint32_t start = scanner.nextColumn();
    const std::string_view digits = scanner.until(")");
    if (digits.size() != 2 * bytes.size())
        return Diagnostic::error(Code::Syntax, scanner.rangeFrom(start), "expected {} hexadecimal digits, not {}",
                                 2 * bytes.size(), digits.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        std::uint8_t value = 0;
        const char *pair = digits.data() + 2 * i;
        const auto [end, error] = std::from_chars(pair, pair + 2, value, 16);
        if (error != std::errc{} || end != pair + 2)
            return Diagnostic::error(Code::Syntax, scanner.rangeFrom(start), "{} at byte {} is not a pair of hexadecimal digits",
                                     quoted(std::string_view(pair, 2)), i);
        bytes[i] = std::byte{value};
    }
    return Done{};
}

Result<Done> checkFillSize(const Node &node, const TextScanner &scanner, std::uint32_t start)
{
    if (node.shape.elements() <= kMaxFillBytes / static_cast<std::int64_t>(bytesOf(node.dtype)))
        return Done{};
    return Diagnostic::error(Code::Limit, scanner.rangeFrom(start), "fill of {} would take more than {} bytes",
                             typeText(node.dtype, node.shape), kMaxFillBytes);
}

Result<HostTensor> readTensor(TextScanner &scanner, const Node &node)
{
    const std::uint32_t start = scanner.nextColumn();
    if (scanner.accept("fill(")) {
        SW_TRY(const Scalar value, readScalar(scanner, node.dtype));
        SW_CHECK(scanner.expect(")"));
        SW_CHECK(checkFillSize(node, scanner, start));
        return HostTensor::filled(value, node.shape);
    }
    if (scanner.accept("hex(")) {
        // The text is as long as the tensor, or this is an error: no size check is needed beyond that.
        TextScanner ahead = scanner;
        const auto byteCount = static_cast<std::int64_t>(ahead.until(")").size() / 2);
        if (node.shape.elements() > byteCount)
            return Diagnostic::error(Code::Syntax, scanner.rangeFrom(start), "{} needs more than these {} bytes",
                                     typeText(node.dtype, node.shape), byteCount);
        HostTensor out(node.dtype, node.shape);
        SW_CHECK(readHex(scanner, out.mutableBytes()));
        SW_CHECK(scanner.expect(")"));
        return out;
    }
    if (scanner.accept("omitted("))
        return Diagnostic::error(Code::InvalidIr, scanner.rangeFrom(start), "this text leaves the elements of the tensor out")
            .withHint("print the graph with its tensors to get a text that can be read");
    SW_TRY(const std::vector<Scalar> elements,
           readList<Scalar>(scanner, [&node](TextScanner &s) { return readScalar(s, node.dtype); }));
    if (static_cast<std::int64_t>(elements.size()) != node.shape.elements())
        return Diagnostic::error(Code::ShapeMismatch, scanner.rangeFrom(start), "{} has {} elements, not {}",
                                 typeText(node.dtype, node.shape), node.shape.elements(), elements.size());
    HostTensor out(node.dtype, node.shape);
    for (std::size_t i = 0; i < elements.size(); ++i)
        out.set(static_cast<std::int64_t>(i), elements[i]);
    return out;
}

using MaskRange = std::pair<std::int64_t, std::int64_t>;

Result<MaskRange> readRange(TextScanner &scanner)
{
    SW_CHECK(scanner.expect("["));
    SW_TRY(const std::int64_t first, scanner.integer());
    SW_CHECK(scanner.expect(","));
    SW_TRY(const std::int64_t last, scanner.integer());
    SW_CHECK(scanner.expect("]"));
    return MaskRange(first, last);
}

// Takes the attributes of one node by name; what is left at the end does not belong there.
class AttributeReader {
public:
    AttributeReader(const Node &node, std::vector<RawAttribute> list, const TextScanner &line)
        : m_node(node), m_list(std::move(list)), m_line(line)
    {
    }

    // Reads the attribute into `into`; a missing one is an error.
    template <class T, class Read>
    Result<Done> required(std::string_view name, T &into, Read readValue)
    {
        if (!has(name))
            return Diagnostic::error(Code::Syntax, m_line.rangeFrom(1), "{} needs the attribute {}", operationText(m_node), name);
        return optional(name, into, readValue);
    }

    template <class T, class Read>
    Result<Done> optional(std::string_view name, T &into, Read readValue)
    {
        const auto found = std::ranges::find(m_list, name, &RawAttribute::name);
        if (found == m_list.end())
            return Done{};
        TextScanner scanner = m_line.within(found->value);
        m_list.erase(found);
        SW_TRY(into, readValue(scanner));
        return scanner.expectEnd();
    }

    [[nodiscard]] bool has(std::string_view name) const
    {
        return std::ranges::find(m_list, name, &RawAttribute::name) != m_list.end();
    }

    template <class T>
    Result<NodeAttributes> finish(T attributes) const
    {
        if (m_list.empty())
            return NodeAttributes(std::move(attributes));
        return Diagnostic::error(Code::Syntax, m_list.front().where, "{} has no attribute {}, or has it twice",
                                 operationText(m_node), m_list.front().name);
    }

    Result<NodeAttributes> read();

private:
    Result<NodeAttributes> readPlaceholder();
    Result<NodeAttributes> readView();
    Result<NodeAttributes> readPad();

    const Node &m_node;
    std::vector<RawAttribute> m_list;
    const TextScanner &m_line;
};

Result<PlaceholderRole> readRole(TextScanner &scanner)
{
    if (scanner.accept("input"))
        return PlaceholderRole::Input;
    if (scanner.accept("param"))
        return PlaceholderRole::Param;
    return scanner.unexpected("input or param");
}

Result<NodeAttributes> AttributeReader::readPlaceholder()
{
    PlaceholderAttributes out;
    out.isRandom = has("random");
    SW_CHECK(required("name", out.name, [](TextScanner &s) { return s.string(); }));
    SW_CHECK(required("role", out.role, readRole));
    SW_CHECK(optional(out.isRandom ? "random" : "seed", out.seed, [](TextScanner &s) { return s.unsignedInteger(); }));
    if (has("value")) {
        HostTensor value;
        SW_CHECK(required("value", value, [this](TextScanner &s) { return readTensor(s, m_node); }));
        out.initial = std::make_shared<const HostTensor>(std::move(value));
    }
    return finish(std::move(out));
}

Result<NodeAttributes> AttributeReader::readView()
{
    ViewAttributes out;
    SW_CHECK(required("strides", out.strides, readIntegers));
    SW_CHECK(required("offset", out.offset, [](TextScanner &s) { return s.integer(); }));
    SW_CHECK(optional("mask", out.mask, [](TextScanner &s) { return readList<MaskRange>(s, readRange); }));
    return finish(std::move(out));
}

Result<NodeAttributes> AttributeReader::readPad()
{
    PadAttributes out;
    SW_CHECK(required("before", out.before, readIntegers));
    SW_CHECK(required("after", out.after, readIntegers));
    SW_CHECK(required("fill", out.fill, [this](TextScanner &s) { return readScalar(s, m_node.dtype); }));
    return finish(std::move(out));
}

Result<NodeAttributes> AttributeReader::read()
{
    switch (m_node.kind) {
    case NodeKind::Placeholder:
        return readPlaceholder();
    case NodeKind::ConstScalar: {
        ScalarAttributes out;
        SW_CHECK(required("value", out.value, [this](TextScanner &s) { return readScalar(s, m_node.dtype); }));
        return finish(out);
    }
    case NodeKind::Vconst: {
        HostTensor value;
        SW_CHECK(required("value", value, [this](TextScanner &s) { return readTensor(s, m_node); }));
        return finish(TensorAttributes{std::make_shared<const HostTensor>(std::move(value))});
    }
    case NodeKind::View:
        return readView();
    case NodeKind::Permute:
    case NodeKind::Flip:
    case NodeKind::ReduceAxis: {
        AxesAttributes out;
        SW_CHECK(required("axes", out.axes, [](TextScanner &s) { return readList<std::size_t>(s, readAxis); }));
        return finish(std::move(out));
    }
    case NodeKind::Pad:
        return readPad();
    case NodeKind::Shrink: {
        ShrinkAttributes out;
        SW_CHECK(required("begin", out.begin, readIntegers));
        SW_CHECK(required("end", out.end, readIntegers));
        return finish(std::move(out));
    }
    case NodeKind::Cat:
    case NodeKind::Gather: {
        AxisAttributes out;
        SW_CHECK(required("axis", out.axis, readAxis));
        return finish(out);
    }
    case NodeKind::Sink: {
        SinkAttributes out;
        SW_CHECK(required("names", out.outputNames, [](TextScanner &s) {
            return readList<std::string>(s, [](TextScanner &name) { return name.string(); });
        }));
        return finish(std::move(out));
    }
    case NodeKind::Buffer:
    case NodeKind::Unary:
    case NodeKind::Binary:
    case NodeKind::Ternary:
    case NodeKind::Reshape:
    case NodeKind::Expand:
    case NodeKind::Cast:
    case NodeKind::Bitcast:
    case NodeKind::Contiguous:
    case NodeKind::Index:
    case NodeKind::Detach:
    case NodeKind::ContiguousBackward:
    case NodeKind::Gradient:
        return finish(NoAttributes{});
    }
    SW_UNREACHABLE();
}

} // namespace

Result<std::vector<RawAttribute>> readAttributeList(TextScanner &scanner)
{
    std::vector<RawAttribute> list;
    do {
        const std::uint32_t start = scanner.nextColumn();
        RawAttribute made;
        SW_TRY(made.name, scanner.word("the name of an attribute"));
        SW_CHECK(scanner.expect("="));
        made.value = scanner.until(",}");
        if (made.value.empty())
            return scanner.unexpected("a value");
        made.where = scanner.rangeFrom(start);
        list.push_back(std::move(made));
    } while (scanner.accept(","));
    SW_CHECK(scanner.expect("}"));
    return list;
}

Result<NodeAttributes> readAttributes(const Node &node, std::vector<RawAttribute> list, const TextScanner &line)
{
    return AttributeReader(node, std::move(list), line).read();
}

} // namespace sw
