#pragma once
// Where the axes of a nest end in a run of a program with dimensions: those of the domain where the last element lies that some
// output depends on, those of a reduction where its mask begins.

#include "engine/loops/loop_nest.h"
#include "engine/passes/loops/nest_steps.h"
#include "engine/passes/loops/pull.h"
#include "engine/passes/schedule/needed_extents.h"

#include <optional>
#include <vector>

namespace sw {

// Where the points end that what a nest stores is needed for, by axis of its domain; nothing: no store moves with the axis.
using DomainEnds = std::vector<std::optional<SymbolicExpr>>;

// The nest has its stores. The rows of a stage are needed for the results that it stores: what it keeps for the other stages is
// needed where their rows are.
[[nodiscard]] DomainEnds endsOfDomain(const NeededExtents &needed, const ValuePuller &puller, const LoopNest &nest);

// Ends the axes of the domain there.
void endDomain(const Schedule &schedule, const DomainEnds &ends, LoopNest &nest, NestSteps &steps);

// A reduction over where(axis < end, value, identity) is one over the value that ends there, also where the masked value was
// stored by another kernel. The reduction has its axes and its body, which is of its node's type; index: at which the body reads
// the node's input.
void endReduction(const Schedule &schedule, LoopNest &nest, Reduction &reduction, const std::vector<ExprId> &index,
                  NestSteps &steps);

} // namespace sw
