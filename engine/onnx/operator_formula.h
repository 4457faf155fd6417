#pragma once
// Operators that are formulas: functions of the library, and which inputs and attributes of a node are their arguments.
//
// A formula is written as a call: "trilu($0, k = $1!, upper = @upper:1)". Arguments, each for the next parameter or NAME = for
// one:
//   $2        input 2, a tensor; None if it is left out
//   $2!       its elements, which must be known during import: a number, or a list if it has an axis
//   $*        the list of all inputs
//   @axis     the attribute; None if it is left out
//   @axis:-1  the attribute, -1 if it is left out; an integer, a number with a point, or a 'text', and so must the attribute be
//   %to       the element type that the attribute names by ONNX's number; None if it is left out
//   #opset    the opset of the node's domain
//   #outputs  a list that says of each output whether the model uses it
//   3, 0.5, 'text', true, false   a value

#include "engine/onnx/node_call.h"

namespace sw::onnx {

struct FormulaArgument {
    std::string_view parameter; // empty: the next one
    std::string_view value;
};

struct Formula {
    std::string_view function;
    std::vector<FormulaArgument> arguments;
};

[[nodiscard]] Formula parseFormula(std::string_view text);

// The function returns a tensor, or a list of them, one per output; None stands for an output that the node does not have.
[[nodiscard]] Result<Outputs> callFormula(std::string_view text, NodeCall &call);

// What such a function made, from node firstNew on, as the outputs of the node.
[[nodiscard]] Result<Outputs> outputsOf(NodeCall &call, const language::Value &made, std::size_t firstNew);

} // namespace sw::onnx
