#pragma once
// The table of operators: a row for each range of opsets in which the operator's meaning does not change.

#include "engine/onnx/node_call.h"

#include <limits>
#include <span>
#include <string_view>

namespace sw::onnx {

using OperatorHandler = Result<Outputs> (*)(NodeCall &call);

// How an operator becomes graph nodes: by a function of the library (see operator_formula.h), or in C++ where the language cannot
// say it.
struct OperatorRule {
    constexpr OperatorRule(OperatorHandler made) : handler(made) {}
    constexpr OperatorRule(const char *made) : formula(made) {}

    OperatorHandler handler = nullptr;
    std::string_view formula = {}; // "trilu($0, k = $1!)"
};

inline constexpr std::int64_t kNoLastOpset = std::numeric_limits<std::int64_t>::max();
inline constexpr std::size_t kAnyOperands = std::numeric_limits<std::size_t>::max();

// Whether to run the handler and evaluate its result during import when all operands are known.
enum class Folding : std::uint8_t { WhenConstant, Never };

// Operands of types that the graph does not have (see onnx_types.h).
enum class NarrowTypes : std::uint8_t {
    Refused,
    Kept,  // the elements are only moved: each output has the type of the first operand
    Known, // the handler reads and writes them
};

// Operands that are sequences of tensors.
enum class Sequences : std::uint8_t { Refused, Known };

struct OperatorRow {
    std::string_view name; // in ONNX's own domain; others are written before the name, with a dot
    std::int64_t firstOpset = 1;
    std::int64_t lastOpset = kNoLastOpset;
    std::size_t minOperands = 0; // how many of the first operands are required
    std::size_t maxOperands = 0;
    OperatorRule rule;
    Folding folding = Folding::WhenConstant;
    NarrowTypes narrow = NarrowTypes::Refused;
    Sequences sequences = Sequences::Refused;
};

[[nodiscard]] std::span<const OperatorRow> operatorTable();
// Returns null if the table has no row for the operator in this version.
[[nodiscard]] const OperatorRow *findOperator(std::string_view domain, std::string_view name, std::int64_t opset);
// Makes the outputs of a node by its row's rule.
[[nodiscard]] Result<Outputs> makeOutputs(const OperatorRow &row, NodeCall &call);

} // namespace sw::onnx
