#include "engine/api/convert/dimension_text.h"

#include <algorithm>

namespace sw {

namespace {

constexpr std::size_t kLongest = 400; // characters; a longer number is computed with tensors

std::string atomText(const SymbolicAtom &atom)
{
    if (!atom.function)
        return atom.variable.name;
    const std::string left = dimensionText(*atom.left);
    const std::string right = dimensionText(*atom.right);
    switch (*atom.function) {
    case SymbolicFunction::Divide:
        return format("(({}) // ({}))", left, right);
    case SymbolicFunction::Modulo:
        return format("(({}) % ({}))", left, right);
    case SymbolicFunction::Min:
        return format("minimum({}, {})", left, right);
    case SymbolicFunction::Max:
        return format("maximum({}, {})", left, right);
    }
    SW_UNREACHABLE();
}

// Without its sign.
std::string termText(const SymbolicTerm &term)
{
    const std::int64_t factor = term.coefficient < 0 ? -term.coefficient : term.coefficient;
    std::string text = factor == 1 && !term.atoms.empty() ? std::string() : format("{}", factor);
    for (const SymbolicAtom &atom : term.atoms)
        text += (text.empty() ? "" : " * ") + atomText(atom);
    return text;
}

// What the operation of two numbers is called; empty: dimensions do not take part in it.
std::string numberText(Op op, const std::string &a, const std::string &b)
{
    if (op == Op::Add)
        return format("({} + {})", a, b);
    if (op == Op::Sub)
        return format("({} - {})", a, b);
    if (op == Op::Mul)
        return format("({} * {})", a, b);
    if (op == Op::FloorDiv)
        return format("({} // {})", a, b);
    if (op == Op::FloorMod)
        return format("({} % {})", a, b);
    if (op == Op::Min)
        return format("minimum({}, {})", a, b);
    return op == Op::Max ? format("maximum({}, {})", a, b) : std::string();
}

} // namespace

std::string dimensionText(const SymbolicExpr &expr)
{
    std::vector<SymbolicTerm> terms(expr.terms().begin(), expr.terms().end());
    std::ranges::stable_partition(terms, [](const SymbolicTerm &term) { return !term.atoms.empty(); }); // n + 1
    std::string text;
    for (const SymbolicTerm &term : terms) {
        const bool isNegative = term.coefficient < 0;
        if (text.empty())
            text = (isNegative ? "-" : "") + termText(term);
        else
            text += (isNegative ? " - " : " + ") + termText(term);
    }
    return text.empty() ? "0" : text;
}

std::string shapeText(const Shape &shape)
{
    std::vector<std::string> extents;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis)
        extents.push_back(dimensionText(shape.extent(axis)));
    return format("[{}]", join(extents, ", "));
}

std::optional<std::string> dimensionNumberText(const Graph &graph, NodeId id, const DimensionNumbers &known)
{
    const Node &node = graph.node(id);
    if (node.kind == NodeKind::DefineVar)
        return attributesOf<DimensionAttributes>(node).variable.name;
    if (node.kind == NodeKind::Bind)
        return known.at(node.inputs[0]);
    if (node.kind != NodeKind::Binary || node.dtype != DType::I64 || node.shape.rank() != 0)
        return std::nullopt;
    std::vector<std::string> numbers;
    bool isOfDimensions = false;
    for (const NodeId input : node.inputs) {
        const Node &operand = graph.node(input);
        const auto found = known.find(input);
        if (found == known.end() && operand.kind != NodeKind::ConstScalar)
            return std::nullopt;
        isOfDimensions = isOfDimensions || found != known.end();
        numbers.push_back(found != known.end() ? found->second : toText(attributesOf<ScalarAttributes>(operand).value));
    }
    std::string made = isOfDimensions ? numberText(node.op, numbers[0], numbers[1]) : std::string();
    if (made.empty() || made.size() > kLongest)
        return std::nullopt;
    return made;
}

std::optional<std::string> sliceText(const Graph &graph, const Node &shrink)
{
    const Shape &from = graph.node(shrink.inputs[0]).shape;
    const auto &kept = attributesOf<ShrinkAttributes>(shrink);
    std::vector<std::string> ranges;
    for (std::size_t axis = 0; axis < from.rank(); ++axis) {
        const std::int64_t begin = kept.begin[axis];
        const std::string first = begin == 0 ? std::string() : format("{}", begin);
        if (shrink.shape.extent(axis).isConstant()) {
            const bool isToTheEnd = from.extent(axis).isConstant() && kept.end[axis] == from[axis];
            ranges.push_back(isToTheEnd ? first + ":" : format("{}:{}", first, kept.end[axis]));
            continue;
        }
        const auto rest = subtract(from.extent(axis), shrink.shape.extent(axis));
        if (!rest || !rest->constant() || *rest->constant() < begin)
            return std::nullopt;
        const std::int64_t behind = *rest->constant() - begin;
        ranges.push_back(behind == 0 ? first + ":" : format("{}:-{}", first, behind));
    }
    return format("[{}]", join(ranges, ", "));
}

} // namespace sw
