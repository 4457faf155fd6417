#pragma once
// Which value an item of a stage's document stands for: a node of a graph, the tensor that a buffer holds. What is computed anew
// at every step of a kernel has no single value.

#include "engine/api/stage_document.h"
#include "engine/passes/stage.h"

#include <string>

namespace sw {

struct ItemValue {
    GraphPtr graph; // what the reference evaluates
    NodeId node;
    SchedulePtr schedule = {}; // of the buffer; null: the item stands for a node and no buffer
    BufferId buffer = {};
    std::string reason = {}; // why it has no value; empty: it has one
};

// stage: the one whose document of this kind the item is in. A schedule is also the stage of its graph's document.
[[nodiscard]] ItemValue valueOfItem(const Stage &stage, StageKind kind, ItemIndex item);

// Why a device has no buffer for the node: the kernel that computes it keeps it in registers, it is a view.
[[nodiscard]] std::string whyNotStored(const Schedule &schedule, NodeId id);

} // namespace sw
