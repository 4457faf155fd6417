#pragma once
// What of a graph has to be computed, and when. A Choose node has the value of one of its inputs, as its condition says, so what
// only the other input needs is not needed. Nothing marks these nodes: it follows from who reads them. A node that is read in
// another place too, or by both branches, depends on no condition, and a rewrite that keeps the values keeps this right.

#include "engine/graph/scan.h"

#include <optional>
#include <span>
#include <vector>

namespace sw {

// The condition, one bool, has to have this value.
struct Requirement {
    NodeId condition;
    bool wanted = true;
    bool operator==(const Requirement &) const = default;
};

// All of them have to hold. A condition that is itself computed only where others hold comes after these.
using Requirements = std::vector<Requirement>;

struct BranchMap {
    std::vector<Requirements> nodes; // by node; empty when no node chooses

    [[nodiscard]] const Requirements &of(NodeId id) const { return nodes.empty() ? m_none : nodes[id.value]; }

private:
    Requirements m_none;
};

// What has to hold so that one of the roots needs a node; nodes that no root needs require what all of their inputs do. The
// carried values and the results of a scan have what all of its results have in common. The scans must be right.
[[nodiscard]] BranchMap branchesOf(const Graph &graph, const ScanMap &scans, std::span<const NodeId> roots);

// What has to hold where one node can stand for two, with these requirements each; nothing: they cannot be said in one list
// without saying less, so that it would be computed where neither of the two is.
[[nodiscard]] std::optional<Requirements> eitherOf(const Requirements &a, const Requirements &b);

// values: by node. A condition is looked at only where it is computed.
[[nodiscard]] bool areMet(const Requirements &requirements, std::span<const HostTensor> values);

} // namespace sw
