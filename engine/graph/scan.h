#pragma once
// Scans: recurrences that are one body, computed step after step. There is no node for the scan itself. Its ScanCarry and
// ScanSlice nodes are where the body begins: what depends on them, directly or not, is the body, up to the ScanLast and ScanRows
// nodes, which are values of the whole scan. A node that depends on neither is computed once, wherever it was written.
//
// In each step, carried value i is what its ScanCarry has: first the initial value, then input i of the scan's results, computed
// in the step before. All results of a scan have these inputs, so whoever needs one of them needs all that the next step needs.
//
// A scan with a condition ends when a step hands on that its carried condition is false. The first step is always made. So a body
// hands on what it was given where its own condition does not hold (where(condition, next, carried)): then it does not matter
// whether the steps behind the end are made.

#include "engine/graph/builder.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sw {

inline constexpr std::uint32_t kNoScan = ~std::uint32_t{0};

struct Scan {
    std::int64_t number = 0;
    std::int64_t steps = 1;
    std::int64_t condition = kNoCondition; // the number of a carried value
    std::vector<NodeId> carries;           // by carried value; invalid where nothing reads it
    std::vector<NodeId> nexts;             // by carried value: what a step hands on; empty while no result is there
    std::vector<NodeId> slices;
    std::vector<NodeId> lasts;
    std::vector<NodeId> rows;
};

struct ScanMap {
    std::vector<Scan> scans; // by their first nodes
    // By node: the scan whose body it is in, as an index into `scans`, or kNoScan. Empty when there are no scans.
    std::vector<std::uint32_t> bodies;

    // The scan of this number, which there is.
    [[nodiscard]] std::uint32_t numbered(std::int64_t number) const
    {
        return static_cast<std::uint32_t>(std::ranges::find(scans, number, &Scan::number) - scans.begin());
    }
    [[nodiscard]] std::uint32_t bodyOf(NodeId id) const { return bodies.empty() ? kNoScan : bodies[id.value]; }
};

// "7", or "unbounded".
[[nodiscard]] std::string stepsText(std::int64_t steps);

// A number that no scan of the nodes has.
[[nodiscard]] std::int64_t unusedScanNumber(const GraphBuilder &builder);

[[nodiscard]] ScanMap scansOf(const Graph &graph);

[[nodiscard]] const ScanAttributes &scanAttributesOf(const Node &node);

// The rules beyond those of single nodes: equal steps and inputs in all of a scan, one node for each carried value, which has the
// type of its next value, and a body that nothing reads but the scan's own results, which come after all of it. Errors:
// InvalidIr; Unsupported for a scan in the body of another one.
[[nodiscard]] Diagnostics verifyScans(const Graph &graph);

// All nodes but the sink, in an order in which each follows its inputs and the nodes of a scan (its body and its results) follow
// each other directly.
struct ScanOrder {
    std::vector<NodeId> nodes;
    std::vector<std::uint32_t> scans; // by node id: the scan that it belongs to, as part of the body or as result; or empty
};
[[nodiscard]] ScanOrder scanOrderOf(const Graph &graph, const ScanMap &map);

} // namespace sw
