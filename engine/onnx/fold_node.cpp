#include "engine/onnx/fold_node.h"

#include "engine/onnx/known_values.h"

namespace sw::onnx {

namespace {

// Enough for shapes, indices and attention masks, which models compute besides their work. Larger ones stay visible in the graph.
constexpr std::int64_t kMaxOperandElements = 4096;
constexpr std::int64_t kMaxNodeElements = std::int64_t{1} << 16U;

// Weights are what a user looks for in the graph, unlike indices and the numbers of formulas.
bool isWeight(const Value &value)
{
    return value.isParameter && isFloat(value.dtype) && value.shape.rank() > 0;
}

bool areKnown(const std::vector<Value *> &operands)
{
    std::int64_t elements = 0;
    for (const Value *operand : operands) {
        if (operand == nullptr)
            continue;
        if (!operand->constant || isWeight(*operand))
            return false;
        elements += operand->constant->elements();
        if (elements > kMaxOperandElements)
            return false;
    }
    return !operands.empty();
}

// The elements of all nodes together; nothing if there are too many.
std::optional<std::int64_t> elementsOf(const GraphBuilder &builder)
{
    std::int64_t elements = 0;
    for (std::size_t i = 0; i < builder.size(); ++i) {
        const std::int64_t more = builder.node(NodeId(i)).shape.elements();
        if (more > kMaxNodeElements - elements)
            return std::nullopt;
        elements += more;
    }
    return elements;
}

} // namespace

Result<std::optional<Outputs>> NodeFolder::fold(const FoldedNode &folded, const std::vector<Value *> &operands)
{
    if (folded.row.folding == Folding::Never || !areKnown(operands))
        return std::optional<Outputs>();
    // Builds a separate graph, from which only the values are kept.
    GraphBuilder builder(folded.sources);
    KnownValues known(builder, m_stop);
    std::vector<Value> copies;
    copies.reserve(operands.size());
    std::vector<Value *> read;
    for (const Value *operand : operands) {
        read.push_back(operand == nullptr ? nullptr : &copies.emplace_back(*operand));
        if (operand != nullptr)
            read.back()->node = NodeId();
    }
    NodeCall call({builder, known, folded.library}, folded.place, std::move(read));
    SW_TRY(Outputs outputs, makeOutputs(folded.row, call));
    if (!call.problems().empty())
        return Failure(call.problems());
    const std::optional<std::int64_t> elements = elementsOf(builder);
    if (!elements || m_computedElements > kMaxComputedElements)
        return std::optional<Outputs>();
    m_computedElements += *elements;
    for (OutputValue &output : outputs) {
        if (output.constant || !output.node.isValid())
            continue;
        const Result<HostTensor> value = known.valueOf(output.node);
        if (!value) // an index is out of range; a run reports it
            return std::optional<Outputs>();
        const Narrow narrow = output.narrow;
        output = OutputValue(*value);
        output.narrow = narrow;
    }
    return std::optional(std::move(outputs));
}

} // namespace sw::onnx
