#pragma once
// The table of operators: a row for each range of opsets in which the operator's meaning does not change.

#include "engine/onnx/node_call.h"

#include <limits>
#include <span>
#include <string_view>

namespace sw::onnx {

using OperatorHandler = Result<Outputs> (*)(NodeCall &call);

inline constexpr std::int64_t kNoLastOpset = std::numeric_limits<std::int64_t>::max();
inline constexpr std::size_t kAnyOperands = std::numeric_limits<std::size_t>::max();

// Whether to run the handler and evaluate its result during import when all operands are known.
enum class Folding : std::uint8_t { WhenConstant, Never };

struct OperatorRow {
    std::string_view name; // in ONNX's own domain
    std::int64_t firstOpset = 1;
    std::int64_t lastOpset = kNoLastOpset;
    std::size_t minOperands = 0; // how many of the first operands are required
    std::size_t maxOperands = 0;
    OperatorHandler handler = nullptr;
    Folding folding = Folding::WhenConstant;
};

[[nodiscard]] std::span<const OperatorRow> operatorTable();
// Returns null if the table has no row for the operator in this version.
[[nodiscard]] const OperatorRow *findOperator(std::string_view domain, std::string_view name, std::int64_t opset);

} // namespace sw::onnx
