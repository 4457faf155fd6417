// The nodes of scans. Programs call the library's scan(), which makes them.

#include "engine/graph/scan.h"
#include "engine/language/builtins.h"

#include <array>
#include <set>
#include <vector>

namespace sw::language {

namespace {

Result<Value> scanNumber(const BuiltinCall &call)
{
    return Value{unusedScanNumber(call.builder())};
}

Result<std::vector<NodeId>> tensorsOf(const BuiltinCall &call, std::size_t index)
{
    const ListValue *list = call.value(index).as<ListValue>();
    if (list == nullptr)
        return call.wrongArgument(index, "a list of tensors");
    std::vector<NodeId> nodes;
    for (const Value &item : *list->items) {
        if (!item.isA<TensorValue>())
            return call.wrongArgument(index, "a list of tensors");
        nodes.push_back(item.as<TensorValue>()->node);
    }
    return nodes;
}

// The arguments `scan` and `steps` from `first` on, and `condition`, two behind them.
Result<ScanAttributes> scanAt(const BuiltinCall &call, std::size_t first)
{
    ScanAttributes attributes;
    SW_TRY(attributes.scan, call.integer(first));
    attributes.steps = kUnboundedSteps;
    if (call.has(first + 1)) {
        SW_TRY(attributes.steps, call.integer(first + 1));
    }
    if (call.has(first + 3)) {
        SW_TRY(attributes.condition, call.integer(first + 3));
    }
    return attributes;
}

Result<Value> scanCarry(const BuiltinCall &call)
{
    SW_TRY(const NodeId initial, call.tensor(0));
    SW_TRY(ScanAttributes attributes, scanAt(call, 1));
    SW_TRY(attributes.index, call.integer(3));
    return call.made(call.builder().scanCarry(call.origin(), initial, attributes));
}

Result<Value> scanSlice(const BuiltinCall &call)
{
    SW_TRY(const NodeId whole, call.tensor(0));
    SW_TRY(ScanAttributes attributes, scanAt(call, 1));
    SW_TRY(attributes.isReversed, call.flag(3, false));
    return call.made(call.builder().scanSlice(call.origin(), whole, attributes));
}

Result<Value> scanLast(const BuiltinCall &call)
{
    SW_TRY(const std::vector<NodeId> nexts, tensorsOf(call, 0));
    SW_TRY(ScanAttributes attributes, scanAt(call, 1));
    SW_TRY(attributes.index, call.integer(3));
    return call.made(call.builder().scanLast(call.origin(), nexts, attributes));
}

Result<Value> scanRows(const BuiltinCall &call)
{
    SW_TRY(const std::vector<NodeId> nexts, tensorsOf(call, 0));
    SW_TRY(const NodeId row, call.tensor(1));
    SW_TRY(ScanAttributes attributes, scanAt(call, 2));
    SW_TRY(attributes.isReversed, call.flag(4, false));
    return call.made(call.builder().scanRows(call.origin(), nexts, row, attributes));
}

void addTensors(const Value &value, std::vector<NodeId> &nodes)
{
    if (const auto *tensor = value.as<TensorValue>())
        nodes.push_back(tensor->node);
    if (const auto *list = value.as<ListValue>())
        for (const Value &item : *list->items)
            addTensors(item, nodes);
}

// A scan without results is one whose step is being traced.
std::set<std::int64_t> scansWithResults(const GraphBuilder &builder)
{
    std::set<std::int64_t> numbers;
    for (std::size_t i = 0; i < builder.size(); ++i)
        if (const Node &node = builder.node(NodeId(i)); node.kind == NodeKind::ScanLast || node.kind == NodeKind::ScanRows)
            numbers.insert(scanAttributesOf(node).scan);
    return numbers;
}

Result<Value> isInStep(const BuiltinCall &call)
{
    const GraphBuilder &builder = call.builder();
    const std::set<std::int64_t> finished = scansWithResults(builder);
    std::vector<NodeId> open;
    addTensors(call.value(0), open);
    std::vector<bool> isSeen(builder.size(), false);
    while (!open.empty()) {
        const NodeId id = open.back();
        open.pop_back();
        if (isSeen[id.value])
            continue;
        isSeen[id.value] = true;
        const Node &node = builder.node(id);
        const bool begins = node.kind == NodeKind::ScanCarry || node.kind == NodeKind::ScanSlice;
        if (begins && !finished.contains(scanAttributesOf(node).scan))
            return Value{true};
        open.insert(open.end(), node.inputs.begin(), node.inputs.end());
    }
    return Value{false};
}

constexpr std::array<Builtin, 6> kTable = {{
    {"is_in_step", "value", isInStep, "Whether a value, or one in a list, is another in each step of a scan that is being made."},
    {"scan_carry", "x, scan, steps, index, condition = None", scanCarry,
     "What a step of a scan begins with; x in its first step. See scan."},
    {"scan_slice", "x, scan, steps, reversed = false, condition = None", scanSlice,
     "The part of x along its first axis that a step reads."},
    {"scan_last", "nexts, scan, steps, index, condition = None", scanLast,
     "What the last step hands on: of all carried values, that of the index."},
    {"scan_rows", "nexts, row, scan, steps, reversed = false, condition = None", scanRows,
     "The rows that all steps have computed, side by side."},
    {"scan_number", "", scanNumber, "A number that no scan of the program has so far."},
}};

} // namespace

std::span<const Builtin> scanBuiltins()
{
    return kTable;
}

} // namespace sw::language
