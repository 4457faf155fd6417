#pragma once
// The table of operators: one row each, for the range of opsets in which the operator means the same.

#include "engine/onnx/node_call.h"

#include <limits>
#include <span>
#include <string_view>

namespace sw::onnx {

using OperatorHandler = Result<Outputs> (*)(NodeCall &call);

inline constexpr std::int64_t kNoLastOpset = std::numeric_limits<std::int64_t>::max();
inline constexpr std::size_t kAnyOperands = std::numeric_limits<std::size_t>::max();

// Whether the handler is also to be run, and evaluated, while importing when all operands are known then.
enum class Folding : std::uint8_t { WhenConstant, Never };

struct OperatorRow {
    std::string_view name; // of ONNX's own domain
    std::int64_t firstOpset = 1;
    std::int64_t lastOpset = kNoLastOpset;
    std::size_t minOperands = 0; // those that must be there, from the first on
    std::size_t maxOperands = 0;
    OperatorHandler handler = nullptr;
    Folding folding = Folding::WhenConstant;
};

[[nodiscard]] std::span<const OperatorRow> operatorTable();
// Null when there is no row for the operator in this version.
[[nodiscard]] const OperatorRow *findOperator(std::string_view domain, std::string_view name, std::int64_t opset);

} // namespace sw::onnx
