#include "engine/passes/loops/nest_steps.h"

#include "engine/base/assert.h"

#include <array>

namespace sw {

namespace {

constexpr std::array kRules{
    StepRule{"open-loop",
             "Every axis of the kernel's result gets a loop, so that each of its elements is one point of the nest."},
    StepRule{"open-reduction",
             "Every axis that a reduction goes over gets a loop of its own, inside of the point that reads it."},
    StepRule{"constant", "A constant of the graph is the same value at every point."},
    StepRule{"load", "A value that another kernel stored is read at the place where the views between make it stand."},
    StepRule{"look-up", "A value is read at a place that the program computes."},
    StepRule{"compute", "An operation of the graph computes one element from the elements that it reads."},
    StepRule{"choose", "A border or a joint: which value stands at the point is told from its index."},
    StepRule{"index", "The value is the point's index itself."},
    StepRule{"reduce", "The values of all steps of the reduction's loops are gathered into one."},
    StepRule{"store", "A result of the kernel is written to its place in its buffer."},
    StepRule{"end-loop", "A loop over a dimension ends where a run's values end, not at the largest extent that there may be."},
    StepRule{"merge-axes", "Two neighbouring axes become one where no index tells them apart: one loop counts what two did."},
};

} // namespace

std::span<const StepRule> nestStepRules()
{
    return kRules;
}

std::string_view stepOf(ValueKind kind)
{
    switch (kind) {
    case ValueKind::Constant:
        return "constant";
    case ValueKind::Load:
        return "load";
    case ValueKind::Indexed:
        return "look-up";
    case ValueKind::Alu:
    case ValueKind::Cast:
    case ValueKind::Bitcast:
    case ValueKind::Custom:
        return "compute";
    case ValueKind::Masked:
        return "choose";
    case ValueKind::IndexValue:
        return "index";
    case ValueKind::Reduction:
        return "reduce";
    }
    SW_UNREACHABLE();
}

} // namespace sw
