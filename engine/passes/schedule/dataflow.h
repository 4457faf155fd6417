#pragma once
// The graph as the grouping sees it: computed nodes that read each other directly, with the views between them folded into the
// access of each read. Also decides which views are computed after all, because their value is needed in memory.

#include "engine/graph/branches.h"
#include "engine/passes/schedule/access.h"

#include <cstdint>
#include <span>
#include <vector>

namespace sw {

enum class ReadKind : std::uint8_t {
    Elements, // the access is over the reader's axes
    Reduced,  // the reader is a reduction; the access is over the axes of its input
    Lookup,   // at places computed at run time, or by a transfer: what is read must be in memory
};

struct Read {
    NodeId producer; // a leaf or a computed node
    NodeId consumer;
    ReadKind kind = ReadKind::Elements;
    Access access;
    std::int64_t positions = 1; // elements of the space that the access is over
    bool isAskedFor = false;    // through a Fuse node: the consumer's kernel is to compute it
};

// A literal stays one wherever its elements are read; only a lookup needs it in memory.
[[nodiscard]] inline bool isLiteral(const Graph &graph, const Read &read)
{
    return isLiteral(graph.node(read.producer)) && read.kind != ReadKind::Lookup;
}

// Why a view, or a constant, is computed into memory of its own.
enum class StoredView : std::uint8_t { No, Output, LookupSource, CopySource, PaddedForReduction, LongChain, JoinedPart };

struct Dataflow {
    std::vector<bool> isLive;               // an output needs it
    std::vector<bool> isComputed;           // by a kernel
    std::vector<StoredView> storedViews;    // views and constants among the computed nodes
    std::vector<NodeId> bases;              // the leaf or computed node that a node's value is a view of; itself if it is none
    std::vector<Access> accesses;           // from the node's axes to its base
    std::vector<std::vector<Read>> reads;   // by consumer, in operand order; leaves included
    std::vector<std::vector<Read>> readers; // by producer, by ascending consumer; of computed producers only
    std::vector<bool> isOutput;             // its value is an output, directly or reshaped
    std::vector<NodeId> outputs;            // the node whose buffer serves output i
    std::vector<bool> isOfLoad;             // computed once, when the program is loaded: see load_values.h
    std::vector<NodeId> kernels;            // the Kernel node that asks for a node (or the node itself); invalid: none
    ScanMap scans;
    BranchMap branches;
};

// The node whose buffer has the value of a node that must be in memory.
[[nodiscard]] inline NodeId holderOf(const Dataflow &flow, NodeId value)
{
    return flow.storedViews[value.value] != StoredView::No ? value : flow.bases[value.value];
}

// joined: views that are stored as parts of cats, see joins.h.
[[nodiscard]] Dataflow dataflowOf(const Graph &graph, std::span<const NodeId> joined = {});

} // namespace sw
