#include "engine/graph/contraction.h"

#include <algorithm>
#include <optional>

namespace sw {

namespace {

bool isLabel(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

Result<std::string> checkedLabels(std::string_view text, std::string_view subscripts)
{
    std::string labels;
    for (const char c : text) {
        if (c == ' ')
            continue;
        if (!isLabel(c))
            return Diagnostic::error(Code::Argument, {}, "the subscripts {} hold {}; a letter is expected for each axis",
                                     sw::quoted(std::string(subscripts)), sw::quoted(std::string(1, c)));
        if (labels.find(c) != std::string::npos)
            return Diagnostic::error(Code::Argument, {}, "the subscripts {} name the axis {} twice in one place",
                                     sw::quoted(std::string(subscripts)), c);
        labels += c;
    }
    return labels;
}

} // namespace

Result<Contraction> parseContraction(std::string_view subscripts)
{
    const std::size_t arrow = subscripts.find("->");
    if (arrow == std::string_view::npos)
        return Diagnostic::error(Code::Argument, {}, "the subscripts {} have no '->' before the axes of the result",
                                 sw::quoted(std::string(subscripts)));
    Contraction made;
    std::string_view operands = subscripts.substr(0, arrow);
    while (true) {
        const std::size_t comma = std::min(operands.find(','), operands.size());
        SW_TRY(std::string labels, checkedLabels(operands.substr(0, comma), subscripts));
        made.operands.push_back(std::move(labels));
        if (comma == operands.size())
            break;
        operands.remove_prefix(comma + 1);
    }
    SW_TRY(made.result, checkedLabels(subscripts.substr(arrow + 2), subscripts));
    made.labels = made.result;
    for (const std::string &operand : made.operands)
        for (const char label : operand)
            if (made.labels.find(label) == std::string::npos)
                made.labels += label;
    for (const char label : made.result)
        if (std::ranges::none_of(made.operands, [label](const std::string &o) { return o.find(label) != std::string::npos; }))
            return Diagnostic::error(Code::Argument, {}, "the subscripts {} name the axis {} in the result only",
                                     sw::quoted(std::string(subscripts)), label);
    return made;
}

Result<std::vector<std::int64_t>> labelExtents(const Contraction &contraction, std::span<const Shape> operands)
{
    if (operands.size() != contraction.operands.size())
        return Diagnostic::error(Code::Argument, {}, "the subscripts name {} operands, and there are {}",
                                 contraction.operands.size(), operands.size());
    std::vector<std::int64_t> extents(contraction.labels.size(), -1);
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const std::string &labels = contraction.operands[i];
        if (labels.size() != operands[i].rank())
            return Diagnostic::error(Code::ShapeMismatch, {}, "the subscripts {} name {} axes, and operand {} has shape {}",
                                     sw::quoted(labels), labels.size(), i, toText(operands[i]));
        for (std::size_t axis = 0; axis < labels.size(); ++axis) {
            std::int64_t &extent = extents[contraction.labels.find(labels[axis])];
            if (extent >= 0 && extent != operands[i][axis])
                return Diagnostic::error(Code::ShapeMismatch, {}, "the axis {} has extent {} and, in operand {}, {}",
                                         labels[axis], extent, i, operands[i][axis]);
            extent = operands[i][axis];
        }
    }
    return extents;
}

Result<std::vector<SymbolicExpr>> symbolicLabelExtents(const Contraction &contraction, std::span<const Shape> operands)
{
    std::vector<std::optional<SymbolicExpr>> extents(contraction.labels.size());
    for (std::size_t i = 0; i < operands.size(); ++i)
        for (std::size_t axis = 0; axis < contraction.operands[i].size(); ++axis) {
            std::optional<SymbolicExpr> &extent = extents[contraction.labels.find(contraction.operands[i][axis])];
            const SymbolicExpr own = operands[i].extent(axis);
            if (extent && *extent != own)
                return Diagnostic::error(Code::ShapeMismatch, {}, "the axis {} has extent {} and, in operand {}, {}",
                                         contraction.operands[i][axis], toText(*extent), i, toText(own));
            extent = own;
        }
    std::vector<SymbolicExpr> found;
    for (const std::optional<SymbolicExpr> &extent : extents)
        found.push_back(*extent);
    return found;
}

} // namespace sw
