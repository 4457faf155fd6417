#include "engine/graph/printer.h"

#include "engine/graph/scan.h"
#include "engine/graph/scope_text.h"

#include <algorithm>
#include <cstring>

namespace sw {

namespace {

bool isBareName(const std::string &name)
{
    return !name.empty() && name == identifierText(name);
}

template <class Integers>
std::string listText(const Integers &integers)
{
    return "[" + join(integers, ", ") + "]";
}

std::string rangesText(const std::vector<std::pair<std::int64_t, std::int64_t>> &ranges)
{
    return join(ranges, ", ", [](const auto &range) { return format("[{}, {}]", range.first, range.second); });
}

bool hasEqualElements(const HostTensor &tensor)
{
    if (tensor.at(0) != tensor.at(1)) // most are told by that, without reading the others
        return false;
    const std::span<const std::byte> bytes = tensor.unalignedBytes();
    const std::size_t size = bytesOf(tensor.dtype());
    // Checks that each element equals the one before it.
    return std::memcmp(bytes.data(), bytes.data() + size, bytes.size() - size) == 0;
}

std::string hexText(std::span<const std::byte> bytes)
{
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string out;
    out.reserve(2 * bytes.size());
    for (const std::byte byte : bytes) {
        out += kDigits[std::to_integer<std::size_t>(byte >> 4)];
        out += kDigits[std::to_integer<std::size_t>(byte & std::byte{15})];
    }
    return out;
}

// The first elements tell one tensor from another without reading all of them.
std::string omittedText(const HostTensor &tensor)
{
    constexpr std::int64_t kShown = 3;
    std::vector<std::string> first;
    for (std::int64_t i = 0; i < std::min(kShown, tensor.elements()); ++i)
        first.push_back(toText(tensor.at(i)));
    const bool isAll = static_cast<std::int64_t>(first.size()) == tensor.elements();
    return format("omitted({} elements: {}{})", tensor.elements(),
                  join(first, ", ", [](const std::string &text) { return text; }), isAll ? "" : ", ...");
}

std::string tensorText(const HostTensor &tensor, const GraphPrintOptions &options)
{
    const std::int64_t count = tensor.elements();
    if (count > 1 && hasEqualElements(tensor))
        return format("fill({})", toText(tensor.at(0)));
    if (options.files != nullptr && static_cast<std::int64_t>(tensor.byteSize()) > options.files->maxTextBytes) {
        auto &files = options.files->files;
        files.emplace_back(format("{}.{}.npy", options.files->stem, files.size()), tensor);
        return format("load({})", quoted(files.back().first));
    }
    if (static_cast<std::int64_t>(tensor.byteSize()) > options.maxTensorBytes)
        return omittedText(tensor);
    if (count > kListedElements)
        return format("hex({})", hexText(tensor.unalignedBytes()));
    std::vector<std::string> elements;
    for (std::int64_t i = 0; i < count; ++i)
        elements.push_back(toText(tensor.at(i)));
    return listText(elements);
}

// The attributes of a node as "name = value" pairs.
struct AttributeWriter {
    const GraphPrintOptions &options;
    NodeKind kind;

    std::string operator()(const NoAttributes & /*none*/) const { return {}; }
    std::string operator()(const PlaceholderAttributes &attributes) const
    {
        std::string out = format("name = {}, role = {}", quoted(attributes.name), nameOf(attributes.role));
        if (attributes.dimension)
            out += format(", low = {}, high = {}", attributes.dimension->low, attributes.dimension->high);
        if (attributes.bound)
            out += format(", bound = {}", *attributes.bound);
        if (attributes.given.isSymbolic())
            out += format(", given = {}", toText(attributes.given));
        if (attributes.isRandom || attributes.seed != 0)
            out += format(", {} = {}", attributes.isRandom ? "random" : "seed", attributes.seed);
        if (attributes.initial != nullptr)
            out += format(", value = {}", tensorText(*attributes.initial, options));
        return out;
    }
    std::string operator()(const DimensionAttributes &attributes) const
    {
        const SymbolicVariable &variable = attributes.variable;
        return format("name = {}, low = {}, high = {}", quoted(variable.name), variable.low, variable.high);
    }
    std::string operator()(const BoundAttributes &attributes) const { return format("value = {}", attributes.value); }
    std::string operator()(const ScalarAttributes &attributes) const { return format("value = {}", toText(attributes.value)); }
    std::string operator()(const TensorAttributes &attributes) const
    {
        return format("value = {}", tensorText(*attributes.value, options));
    }
    std::string operator()(const ViewAttributes &attributes) const
    {
        std::string out = format("strides = {}, offset = {}", listText(attributes.strides), attributes.offset);
        if (!attributes.mask.empty())
            out += format(", mask = [{}]", rangesText(attributes.mask));
        return out;
    }
    std::string operator()(const AxesAttributes &attributes) const { return format("axes = {}", listText(attributes.axes)); }
    std::string operator()(const PadAttributes &attributes) const
    {
        return format("before = {}, after = {}, fill = {}", listText(attributes.before), listText(attributes.after),
                      toText(attributes.fill));
    }
    std::string operator()(const ShrinkAttributes &attributes) const
    {
        return format("begin = {}, end = {}", listText(attributes.begin), listText(attributes.end));
    }
    std::string operator()(const AxisAttributes &attributes) const { return format("axis = {}", attributes.axis); }
    std::string operator()(const SaturateAttributes & /*none*/) const { return "overflow = saturate"; }
    std::string operator()(const ThreefryAttributes &attributes) const
    {
        return format("variant = {}, stream = {}", quoted(std::string(nameOf(attributes.variant))), nameOf(attributes.stream));
    }
    std::string operator()(const UniformAttributes &attributes) const
    {
        return format("form = {}", attributes.form == UniformForm::Vector ? "vector" : "scalar");
    }
    std::string operator()(const ScatterAttributes &attributes) const
    {
        return format("axis = {}, mode = {}", attributes.axis, nameOf(attributes.mode));
    }
    std::string operator()(const CustomAttributes &attributes) const
    {
        std::string out = format("name = {}", quoted(attributes.name));
        for (const auto &[language, source] : attributes.sources)
            out += format(", {} = {}", language, quoted(source));
        return out + (attributes.hasReference ? ", reference = true" : "");
    }
    std::string operator()(const AssignAttributes &attributes) const
    {
        return format("ranges = [{}]",
                      join(attributes.ranges, ", ", [](const auto &ranges) { return "[" + rangesText(ranges) + "]"; }));
    }
    std::string operator()(const BufferViewAttributes &attributes) const { return format("offset = {}", attributes.offset); }
    std::string operator()(const LanesAttributes &attributes) const { return format("lanes = {}", listText(attributes.lanes)); }
    std::string operator()(const ContractAttributes &attributes) const
    {
        return format("subscripts = {}", quoted(attributes.subscripts));
    }
    std::string operator()(const UnrollAttributes &attributes) const { return format("factor = {}", attributes.factor); }
    std::string operator()(const KernelAttributes &attributes) const
    {
        return attributes.name.empty() ? std::string() : format("name = {}", quoted(attributes.name));
    }
    std::string operator()(const UniqueAttributes &attributes) const { return format("id = {}", attributes.id); }
    std::string operator()(const DeviceAttributes &attributes) const { return format("device = {}", quoted(attributes.device)); }
    std::string operator()(const CopyAttributes &attributes) const
    {
        return format("device = {}{}", quoted(attributes.device), attributes.isClone ? ", clone = true" : "");
    }
    std::string operator()(const MultiAttributes &attributes) const
    {
        std::string out = attributes.axis ? format("axis = {}", *attributes.axis) : std::string();
        if (!attributes.real.empty())
            out += format("{}real = [{}]", out.empty() ? "" : ", ",
                          join(attributes.real, ", ", [](bool isReal) { return isReal ? "true" : "false"; }));
        return out;
    }
    std::string operator()(const ScanAttributes &attributes) const
    {
        std::string scan = format("scan = {}, steps = {}", attributes.scan, stepsText(attributes.steps));
        if (isOfCarriedValue(kind))
            scan += format(", index = {}", attributes.index);
        if (attributes.condition != kNoCondition)
            scan += format(", condition = {}", attributes.condition);
        return scan + (attributes.isReversed ? ", reversed = true" : "");
    }
    std::string operator()(const SinkAttributes &attributes) const
    {
        std::string out =
            format("names = [{}]", join(attributes.outputNames, ", ", [](const std::string &name) { return quoted(name); }));
        if (!attributes.cells.empty())
            out += format(", cells = {}", listText(attributes.cells));
        if (!attributes.shapes.empty())
            out += format(", shapes = [{}]", join(attributes.shapes, ", ", [](const Shape &shape) { return toText(shape); }));
        if (!attributes.crops.empty())
            out += format(", crops = [{}]", join(attributes.crops, ", ", [](const OutputCrop &crop) {
                              return format("[{}, {}, {}]", crop.output, crop.axis, crop.count);
                          }));
        return out;
    }
};

std::string lineText(const Graph &graph, NodeId id, ScopeNames &scopes, const GraphPrintOptions &options)
{
    const Node &node = graph.node(id);
    const bool isSink = node.kind == NodeKind::Sink;
    const auto numberOf = [&](NodeId of) { return options.numbers.empty() ? of.value : options.numbers[of.value]; };
    std::string out = isSink ? "" : format("%{} = ", numberOf(id));
    out += operationText(node);
    if (!node.inputs.empty())
        out += " " + join(node.inputs, ", ", [&](NodeId input) { return format("%{}", numberOf(input)); });
    const std::string attributes = std::visit(AttributeWriter{options, node.kind}, node.attributes);
    if (!attributes.empty())
        out += " {" + attributes + "}";
    if (!isSink)
        out += " : " + typeText(node.dtype, node.shape);
    if (node.scope != SourceMap::rootScope())
        out += " @" + quoted(scopes.textOf(node.scope));
    if (!node.name.empty())
        out += " #" + (isBareName(node.name) ? node.name : quoted(node.name));
    return out;
}

} // namespace

GraphText printGraph(const Graph &graph, const GraphPrintOptions &options)
{
    GraphText out;
    ScopeNames scopes(graph.sources());
    out.text = "stepwell graph 1\n";
    out.lines.emplace_back();
    for (std::size_t i = 0; i < graph.size(); ++i) {
        out.text += lineText(graph, NodeId(i), scopes, options) + "\n";
        out.lines.emplace_back(i);
    }
    return out;
}

std::string printGraphLines(const Graph &graph, const GraphPrintOptions &options, std::size_t indent)
{
    ScopeNames scopes(graph.sources());
    std::string out;
    for (std::size_t i = 0; i < graph.size(); ++i)
        out += std::string(indent, ' ') + lineText(graph, NodeId(i), scopes, options) + "\n";
    return out;
}

} // namespace sw
