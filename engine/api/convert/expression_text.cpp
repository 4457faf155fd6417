#include "engine/api/convert/expression_text.h"

#include "engine/api/convert/dimension_text.h"
#include "engine/graph/printer.h"

#include <algorithm>

namespace sw {

namespace {

template <class Numbers>
std::string listOf(const Numbers &numbers)
{
    return format("[{}]", join(numbers, ", ", [](std::int64_t number) { return format("{}", number); }));
}

std::string pairText(std::int64_t first, std::int64_t second)
{
    return format("[{}, {}]", first, second);
}

std::string ranges(const std::vector<std::int64_t> &first, const std::vector<std::int64_t> &second)
{
    std::string made;
    for (std::size_t i = 0; i < first.size(); ++i)
        made += (i == 0 ? "" : ", ") + pairText(first[i], second[i]);
    return "[" + made + "]";
}

std::string ranges(const std::vector<std::pair<std::int64_t, std::int64_t>> &pairs)
{
    return "[" + join(pairs, ", ", [](const auto &pair) { return pairText(pair.first, pair.second); }) + "]";
}

std::string nestedText(const HostTensor &value, std::size_t axis, std::int64_t &at)
{
    if (axis == value.shape().rank())
        return numberText(value.at(at++));
    std::string text = "[";
    for (std::int64_t i = 0; i < value.shape().extents()[axis]; ++i)
        text += (i == 0 ? "" : ", ") + nestedText(value, axis + 1, at);
    return text + "]";
}

bool isWritten(const Scalar &value)
{
    return value.dtype() != DType::U32x4 && numberText(value).find(':') == std::string::npos; // a NaN with bits of its own
}

class ExpressionWriter {
public:
    ExpressionWriter(const Graph &graph, NodeId id, const OperandText &operand)
        : m_graph(graph),
          m_node(graph.node(id)),
          m_operand(operand),
          m_x(m_node.inputs.empty() ? std::string() : operand(m_node.inputs.front()))
    {
    }

    [[nodiscard]] Result<std::string> write() const;

private:
    template <class Attributes>
    [[nodiscard]] const Attributes &has() const
    {
        return attributesOf<Attributes>(m_node);
    }
    [[nodiscard]] std::string operand(std::size_t i) const { return m_operand(m_node.inputs[i]); }
    [[nodiscard]] std::string operands(std::size_t from = 0) const
    {
        return join(std::span(m_node.inputs).subspan(from), ", ", [&](NodeId id) { return m_operand(id); });
    }
    [[nodiscard]] std::string shape() const { return shapeText(m_node.shape); }
    [[nodiscard]] std::string_view dtype() const { return nameOf(m_node.dtype); }
    [[nodiscard]] Diagnostic unsupported(std::string_view what) const
    {
        return Diagnostic::error(Code::Unsupported, {}, "{} ({}) is not written as a program", what, operationText(m_node));
    }

    [[nodiscard]] std::string elementwise() const;
    [[nodiscard]] Result<std::string> constant() const;
    [[nodiscard]] Result<std::string> custom() const;
    [[nodiscard]] Result<std::string> shrink() const;
    [[nodiscard]] std::string view() const;
    [[nodiscard]] std::string threefry() const;
    [[nodiscard]] std::string kernel() const;
    [[nodiscard]] std::string scan() const;

    const Graph &m_graph;
    const Node &m_node;
    const OperandText &m_operand;
    std::string m_x; // the first operand
};

std::string ExpressionWriter::elementwise() const
{
    const OpInfo &info = infoOf(m_node.op);
    if (m_node.op == Op::Max || m_node.op == Op::Min) // max(x, axis) is a reduction
        return format("{}({})", m_node.op == Op::Max ? "maximum" : "minimum", operands());
    if (m_node.inputs.size() == 2 && !info.symbol.empty())
        return format("{} {} {}", m_x, info.symbol, operand(1));
    if (m_node.op == Op::Not) // ~ turns over the bits of an integer
        return format("{}{}", m_graph.node(m_node.inputs.front()).dtype == DType::Bool ? "~" : "not ", m_x);
    return format("{}({})", info.name, operands());
}

Result<std::string> ExpressionWriter::constant() const
{
    if (m_node.kind == NodeKind::ConstScalar) {
        const Scalar &value = has<ScalarAttributes>().value;
        if (!isWritten(value))
            return unsupported("a constant with these bits");
        return format("const_scalar({}, {})", numberText(value), dtype());
    }
    const HostTensor &value = *has<TensorAttributes>().value;
    if (!isListed(value))
        return unsupported("a constant of this size or type");
    return format("vconst({}, {})", listText(value), dtype());
}

Result<std::string> ExpressionWriter::custom() const
{
    const auto &attributes = has<CustomAttributes>();
    std::vector<NodeId> inputs = m_node.inputs;
    std::string reference;
    if (attributes.hasReference) {
        reference = format(", reference = {}", m_operand(inputs.back()));
        inputs.pop_back();
    }
    std::string made = format("custom({}, [{}], dtype = {}{}", sw::quoted(attributes.name),
                              join(inputs, ", ", [&](NodeId id) { return m_operand(id); }), dtype(), reference);
    for (const auto &[language, source] : attributes.sources) {
        if (source.find_first_of("\"\\\n") != std::string::npos)
            return unsupported("an expression with quotes");
        made += format(", {} = {}", language, sw::quoted(source));
    }
    return made + ")";
}

std::string ExpressionWriter::view() const
{
    const auto &view = has<ViewAttributes>();
    return format("view({}, {}, {}, {}{})", m_x, shape(), listOf(view.strides), view.offset,
                  view.mask.empty() ? std::string() : ", " + ranges(view.mask));
}

std::string ExpressionWriter::threefry() const
{
    const auto &attributes = has<ThreefryAttributes>();
    const bool hasStreams = attributes.variant != ThreefryVariant::TwoByThirtyTwo;
    return format("threefry{}({}{})", nameOf(attributes.variant), operands(),
                  hasStreams ? format(", stream = {}", sw::quoted(nameOf(attributes.stream))) : std::string());
}

std::string ExpressionWriter::scan() const
{
    const auto &scan = has<ScanAttributes>();
    const bool isRows = m_node.kind == NodeKind::ScanRows;
    const bool isResult = isRows || m_node.kind == NodeKind::ScanLast;
    std::vector<std::string> inputs;
    for (std::size_t i = 0; i < m_node.inputs.size(); ++i)
        inputs.push_back(operand(i));
    std::string read = m_x;
    if (isResult) {
        const std::string row = isRows ? ", " + inputs.back() : std::string();
        inputs.resize(inputs.size() - (isRows ? 1 : 0));
        read = format("[{}]{}", join(inputs, ", "), row);
    }
    return format("{}({}, {}, {}, {}{})", nameOf(m_node.kind), read, scan.scan,
                  scan.steps >= kUnboundedSteps ? "None" : format("{}", scan.steps),
                  isOfCarriedValue(m_node.kind) ? format("{}", scan.index)
                  : scan.isReversed             ? "true"
                                                : "false",
                  scan.condition == kNoCondition ? std::string() : format(", condition = {}", scan.condition));
}

std::string ExpressionWriter::kernel() const
{
    const std::string &name = has<KernelAttributes>().name;
    return format("kernel({}{}{})", m_x, m_node.inputs.size() == 1 ? std::string() : format(", inputs = [{}]", operands(1)),
                  name.empty() ? std::string() : ", name = " + sw::quoted(name));
}

Result<std::string> ExpressionWriter::shrink() const
{
    const auto &kept = has<ShrinkAttributes>();
    // A slice of all of a value is the value, and an empty one begins where it likes.
    const bool isOdd = m_node.shape.isEmpty() || m_node.shape == m_graph.node(m_node.inputs[0]).shape;
    if (m_node.shape.rank() == 0 || (!m_node.shape.isSymbolic() && isOdd))
        return format("shrink({}, {})", m_x, ranges(kept.begin, kept.end));
    const std::optional<std::string> slice = sliceText(m_graph, m_node);
    if (!slice)
        return unsupported("this part of a value with dimensions");
    return m_x + *slice;
}

Result<std::string> ExpressionWriter::write() const
{
    switch (m_node.kind) {
    case NodeKind::Unary:
    case NodeKind::Binary:
    case NodeKind::Ternary:
        return elementwise();
    case NodeKind::ConstScalar:
    case NodeKind::Vconst:
        return constant();
    case NodeKind::Iota:
        return format("iota({}, {})", shape(), dtype());
    case NodeKind::Buffer:
        return format("buffer({}, {})", m_node.shape.elements(), dtype());
    case NodeKind::Reshape:
        return format("reshape({}, {})", m_x, shape());
    case NodeKind::Expand:
        return format("expand({}, {})", m_x, shape());
    case NodeKind::Permute:
        return format("permute({}, {})", m_x, listOf(has<AxesAttributes>().axes));
    case NodeKind::Flip:
        return format("flip({}, {})", m_x, listOf(has<AxesAttributes>().axes));
    case NodeKind::ReduceAxis:
        return format("reduce_axis({}, {}, {})", m_x, sw::quoted(nameOf(m_node.op)), listOf(has<AxesAttributes>().axes));
    case NodeKind::Pad: {
        const auto &pad = has<PadAttributes>();
        if (!isWritten(pad.fill))
            return unsupported("a fill value with these bits");
        return format("pad({}, {}, {})", m_x, ranges(pad.before, pad.after), numberText(pad.fill));
    }
    case NodeKind::Shrink:
        return shrink();
    case NodeKind::View:
        return view();
    case NodeKind::Cast:
        return format("cast({}, {}{})", m_x, dtype(),
                      std::holds_alternative<SaturateAttributes>(m_node.attributes) ? ", saturate = true" : "");
    case NodeKind::Bitcast:
        return format("bitcast({}, {})", m_x, dtype());
    case NodeKind::Choose:
        return format("choose({})", operands());
    case NodeKind::Cat:
        return format("cat([{}], {})", operands(), has<AxisAttributes>().axis);
    case NodeKind::Gather:
        return format("gather({}, {})", operands(), has<AxisAttributes>().axis);
    case NodeKind::Index: {
        const auto *axis = std::get_if<AxisAttributes>(&m_node.attributes);
        return format("index({}{})", operands(), axis == nullptr ? std::string() : format(", axis = {}", axis->axis));
    }
    case NodeKind::Scatter: {
        const auto &scatter = has<ScatterAttributes>();
        return format("scatter({}, {}, {})", operands(), scatter.axis, sw::quoted(nameOf(scatter.mode)));
    }
    case NodeKind::Contiguous:
    case NodeKind::Detach:
    case NodeKind::ContiguousBackward:
    case NodeKind::Fuse:
    case NodeKind::Noop:
        return format("{}({})", nameOf(m_node.kind), m_x);
    case NodeKind::Wmma:
        return format("wmma({})", operands());
    case NodeKind::Vectorize:
        return format("vectorize([{}])", operands());
    case NodeKind::Gep:
        return format("gep({}, {})", m_x, listOf(has<LanesAttributes>().lanes));
    case NodeKind::BufferView:
        return format("buffer_view({}, {}, {})", m_x, m_node.shape.elements(), has<BufferViewAttributes>().offset);
    case NodeKind::Contract:
        return format("contract({}, {})", sw::quoted(has<ContractAttributes>().subscripts), operands());
    case NodeKind::Gradient:
        return m_node.inputs.size() == 2 ? format("grad({})", operands())
                                         : format("grad({}, {}, weights = {})", m_x, operand(1), operand(2));
    case NodeKind::Threefry:
        return threefry();
    case NodeKind::Uniform:
        return format("uint4x32_to_prec_uniform{}({}, {})", has<UniformAttributes>().form == UniformForm::Scalar ? "1" : "", m_x,
                      dtype());
    case NodeKind::Unroll:
        return format("unroll({}, {})", m_x, has<UnrollAttributes>().factor);
    case NodeKind::Unique:
        return format("unique({}, {})", m_x, has<UniqueAttributes>().id);
    case NodeKind::Crop:
        return format("crop({}, {}, axis = {})", m_x, operand(1), has<AxisAttributes>().axis);
    case NodeKind::Kernel:
        return kernel();
    case NodeKind::Device:
        return format("device({}, {})", m_x, sw::quoted(has<DeviceAttributes>().device));
    case NodeKind::Copy:
        return format("copy({}, {}{})", m_x, sw::quoted(has<CopyAttributes>().device),
                      has<CopyAttributes>().isClone ? ", clone = true" : "");
    case NodeKind::Custom:
        return custom();
    case NodeKind::ScanCarry:
    case NodeKind::ScanSlice:
    case NodeKind::ScanLast:
    case NodeKind::ScanRows:
        return scan();
    case NodeKind::Placeholder:
    case NodeKind::DefineVar:
    case NodeKind::Bind:
    case NodeKind::Assign:
    case NodeKind::Valid:
    case NodeKind::Multi:
    case NodeKind::Sink:
        return unsupported("this operation");
    }
    SW_UNREACHABLE();
}

} // namespace

std::string numberText(const Scalar &value)
{
    return toText(value);
}

std::string listText(const HostTensor &value)
{
    std::int64_t at = 0;
    return nestedText(value, 0, at);
}

bool isListed(const HostTensor &value)
{
    if (value.elements() == 0 || value.elements() > kListedElements)
        return false;
    for (std::int64_t i = 0; i < value.elements(); ++i)
        if (!isWritten(value.at(i)))
            return false;
    return true;
}

Result<std::string> expressionText(const Graph &graph, NodeId id, const OperandText &operand)
{
    return ExpressionWriter(graph, id, operand).write();
}

} // namespace sw
