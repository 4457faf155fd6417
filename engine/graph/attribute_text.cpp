#include "engine/graph/attribute_text.h"

#include "engine/graph/attribute_values.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace sw {

namespace {

// Takes the attributes of one node by name; any that are left at the end do not belong to the node.
class AttributeReader {
public:
    AttributeReader(const Node &node, std::vector<RawAttribute> list, const TextScanner &line, const SymbolicScope &scope)
        : m_node(node), m_list(std::move(list)), m_line(line), m_scope(scope)
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
    Result<SymbolicVariable> readVariable();
    Result<NodeAttributes> readSink();
    Result<NodeAttributes> readCustom();
    Result<NodeAttributes> readView();
    Result<NodeAttributes> readPad();
    Result<NodeAttributes> readCast();
    Result<NodeAttributes> readThreefry();
    Result<NodeAttributes> readCopy();
    Result<NodeAttributes> readMulti();
    Result<NodeAttributes> readScan();

    const Node &m_node;
    std::vector<RawAttribute> m_list;
    const TextScanner &m_line;
    const SymbolicScope &m_scope;
};

// Reads the name and the bounds.
Result<SymbolicVariable> AttributeReader::readVariable()
{
    const auto integer = [](TextScanner &s) { return s.integer(); };
    SymbolicVariable out;
    SW_CHECK(required("name", out.name, [](TextScanner &s) { return s.string(); }));
    SW_CHECK(required("low", out.low, integer));
    SW_CHECK(required("high", out.high, integer));
    if (out.low > out.high)
        return Diagnostic::error(Code::Argument, m_line.rangeFrom(1), "the dimension {} has no value between {} and {}",
                                 sw::quoted(out.name), out.low, out.high);
    return out;
}

Result<NodeAttributes> AttributeReader::readPlaceholder()
{
    PlaceholderAttributes out;
    out.isRandom = has("random");
    if (has("low")) {
        SW_TRY(out.dimension, readVariable());
        out.name = out.dimension->name;
        SW_CHECK(required("role", out.role, readRole));
        if (has("bound"))
            SW_CHECK(required("bound", out.bound.emplace(), [](TextScanner &s) { return s.integer(); }));
        return finish(std::move(out));
    }
    SW_CHECK(optional("given", out.given, [this](TextScanner &s) { return readShape(s, m_scope); }));
    SW_CHECK(required("name", out.name, [](TextScanner &s) { return s.string(); }));
    SW_CHECK(required("role", out.role, readRole));
    SW_CHECK(optional(out.isRandom ? "random" : "seed", out.seed, [](TextScanner &s) { return s.unsignedInteger(); }));
    if (has("value")) {
        HostTensor value;
        SW_CHECK(required("value", value, [&](TextScanner &s) { return readTensor(s, m_node, out.name); }));
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

Result<bool> readTrue(TextScanner &scanner)
{
    SW_CHECK(scanner.expect("true"));
    return true;
}

Result<SaturateAttributes> readSaturate(TextScanner &scanner)
{
    SW_CHECK(scanner.expect("saturate"));
    return SaturateAttributes{};
}

Result<NodeAttributes> AttributeReader::readCast()
{
    if (!has("overflow"))
        return finish(NoAttributes{});
    SaturateAttributes out;
    SW_CHECK(required("overflow", out, readSaturate));
    return finish(out);
}

Result<NodeAttributes> AttributeReader::readThreefry()
{
    ThreefryAttributes out;
    SW_CHECK(required("variant", out.variant, [](TextScanner &s) -> Result<ThreefryVariant> {
        const std::uint32_t start = s.nextColumn();
        SW_TRY(const std::string name, s.string());
        const auto variant = threefryVariantNamed(name);
        if (!variant)
            return Diagnostic::error(Code::UnknownName, s.rangeFrom(start), "{} is not a variant of threefry", sw::quoted(name));
        return *variant;
    }));
    SW_CHECK(required("stream", out.stream,
                      [](TextScanner &s) { return readChoice<RandomStream>(s, randomStreamNamed, "a stream of threefry"); }));
    return finish(out);
}

Result<NodeAttributes> AttributeReader::readCustom()
{
    const auto text = [](TextScanner &s) { return s.string(); };
    CustomAttributes out;
    SW_CHECK(required("name", out.name, text));
    for (const TargetLanguage language : kSourceLanguages) {
        const std::string name(nameOf(language));
        if (!has(name))
            continue;
        out.sources.emplace_back(name, std::string());
        SW_CHECK(required(name, out.sources.back().second, text));
    }
    out.hasReference = has("reference");
    SW_CHECK(optional("reference", out.hasReference, readTrue));
    return finish(std::move(out));
}

// [output, axis, count]
Result<OutputCrop> readCrop(TextScanner &scanner)
{
    const std::uint32_t start = scanner.nextColumn();
    SW_TRY(const std::vector<std::size_t> numbers, readList<std::size_t>(scanner, readAxis));
    if (numbers.size() != 3)
        return Diagnostic::error(Code::Syntax, scanner.rangeFrom(start), "a crop is [output, axis, count], not {} numbers",
                                 numbers.size());
    return OutputCrop{numbers[0], numbers[1], numbers[2]};
}

Result<NodeAttributes> AttributeReader::readSink()
{
    SinkAttributes out;
    SW_CHECK(required("names", out.outputNames,
                      [](TextScanner &s) { return readList<std::string>(s, [](TextScanner &name) { return name.string(); }); }));
    SW_CHECK(optional("cells", out.cells, [](TextScanner &s) { return readList<std::size_t>(s, readAxis); }));
    SW_CHECK(optional("shapes", out.shapes, [this](TextScanner &s) {
        return readList<Shape>(s, [this](TextScanner &shape) { return readShape(shape, m_scope); });
    }));
    SW_CHECK(optional("crops", out.crops, [](TextScanner &s) { return readList<OutputCrop>(s, readCrop); }));
    return finish(std::move(out));
}

Result<bool> readFlag(TextScanner &scanner)
{
    if (scanner.accept("true"))
        return true;
    if (scanner.accept("false"))
        return false;
    return scanner.unexpected("true or false");
}

Result<NodeAttributes> AttributeReader::readCopy()
{
    CopyAttributes out;
    SW_CHECK(required("device", out.device, [](TextScanner &s) { return s.string(); }));
    SW_CHECK(optional("clone", out.isClone, readFlag));
    return finish(std::move(out));
}

Result<NodeAttributes> AttributeReader::readMulti()
{
    MultiAttributes out;
    if (has("axis"))
        SW_CHECK(required("axis", out.axis.emplace(), readAxis));
    SW_CHECK(optional("real", out.real, [](TextScanner &s) { return readList<bool>(s, readFlag); }));
    return finish(std::move(out));
}

Result<NodeAttributes> AttributeReader::readScan()
{
    ScanAttributes out;
    const auto number = [](TextScanner &s) { return s.integer(); };
    SW_CHECK(required("scan", out.scan, number));
    SW_CHECK(required("steps", out.steps, [](TextScanner &s) {
        return s.accept("unbounded") ? Result<std::int64_t>(kUnboundedSteps) : s.integer();
    }));
    SW_CHECK(optional("condition", out.condition, number));
    if (isOfCarriedValue(m_node.kind))
        SW_CHECK(required("index", out.index, number));
    else
        SW_CHECK(optional("reversed", out.isReversed, readFlag));
    return finish(out);
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
        SW_CHECK(required("value", value, [this](TextScanner &s) { return readTensor(s, m_node, m_node.name); }));
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
    case NodeKind::Crop:
    case NodeKind::Gather: {
        AxisAttributes out;
        SW_CHECK(required("axis", out.axis, readAxis));
        return finish(out);
    }
    case NodeKind::Cast:
        return readCast();
    case NodeKind::Index: {
        if (!has("axis"))
            return finish(NoAttributes{});
        AxisAttributes out;
        SW_CHECK(required("axis", out.axis, readAxis));
        return finish(out);
    }
    case NodeKind::Threefry:
        return readThreefry();
    case NodeKind::Uniform: {
        UniformAttributes out;
        SW_CHECK(required("form", out.form, readForm));
        return finish(out);
    }
    case NodeKind::Scatter: {
        ScatterAttributes out;
        SW_CHECK(required("axis", out.axis, readAxis));
        SW_CHECK(
            required("mode", out.mode, [](TextScanner &s) { return readChoice<ScatterMode>(s, scatterModeNamed, "a mode"); }));
        return finish(out);
    }
    case NodeKind::Valid:
        return readView();
    case NodeKind::Custom:
        return readCustom();
    case NodeKind::Assign: {
        AssignAttributes out;
        SW_CHECK(required("ranges", out.ranges, [](TextScanner &s) {
            return readList<std::vector<MaskRange>>(s, [](TextScanner &of) { return readList<MaskRange>(of, readRange); });
        }));
        return finish(std::move(out));
    }
    case NodeKind::BufferView: {
        BufferViewAttributes out;
        SW_CHECK(required("offset", out.offset, [](TextScanner &s) { return s.integer(); }));
        return finish(out);
    }
    case NodeKind::Gep: {
        LanesAttributes out;
        SW_CHECK(required("lanes", out.lanes, readIntegers));
        return finish(std::move(out));
    }
    case NodeKind::Contract: {
        ContractAttributes out;
        SW_CHECK(required("subscripts", out.subscripts, [](TextScanner &s) { return s.string(); }));
        return finish(std::move(out));
    }
    case NodeKind::Unroll: {
        UnrollAttributes out;
        SW_CHECK(required("factor", out.factor, [](TextScanner &s) { return s.integer(); }));
        return finish(out);
    }
    case NodeKind::Kernel: {
        KernelAttributes out;
        SW_CHECK(optional("name", out.name, [](TextScanner &s) { return s.string(); }));
        return finish(std::move(out));
    }
    case NodeKind::Unique: {
        UniqueAttributes out;
        SW_CHECK(required("id", out.id, [](TextScanner &s) { return s.integer(); }));
        return finish(out);
    }
    case NodeKind::DefineVar: {
        SW_TRY(SymbolicVariable variable, readVariable());
        return finish(DimensionAttributes{std::move(variable)});
    }
    case NodeKind::Device: {
        DeviceAttributes out;
        SW_CHECK(required("device", out.device, [](TextScanner &s) { return s.string(); }));
        return finish(std::move(out));
    }
    case NodeKind::Copy:
        return readCopy();
    case NodeKind::Multi:
        return readMulti();
    case NodeKind::ScanCarry:
    case NodeKind::ScanSlice:
    case NodeKind::ScanLast:
    case NodeKind::ScanRows:
        return readScan();
    case NodeKind::Bind: {
        BoundAttributes out;
        SW_CHECK(required("value", out.value, [](TextScanner &s) { return s.integer(); }));
        return finish(out);
    }
    case NodeKind::Sink:
        return readSink();
    case NodeKind::Buffer:
    case NodeKind::Iota:
    case NodeKind::Unary:
    case NodeKind::Binary:
    case NodeKind::Ternary:
    case NodeKind::Reshape:
    case NodeKind::Expand:
    case NodeKind::Bitcast:
    case NodeKind::Contiguous:
    case NodeKind::Choose:
    case NodeKind::Detach:
    case NodeKind::ContiguousBackward:
    case NodeKind::Gradient:
    case NodeKind::Vectorize:
    case NodeKind::Wmma:
    case NodeKind::Fuse:
    case NodeKind::Noop:
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

Result<NodeAttributes> readAttributes(const Node &node, std::vector<RawAttribute> list, const TextScanner &line,
                                      const SymbolicScope &scope)
{
    return AttributeReader(node, std::move(list), line, scope).read();
}

} // namespace sw
