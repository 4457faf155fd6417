#include "engine/loops/loop_nest.h"

#include "engine/base/assert.h"

namespace sw {

std::string_view nameOf(AxisType type)
{
    switch (type) {
    case AxisType::Thread:
        return "thread";
    case AxisType::Global:
        return "global";
    case AxisType::Local:
        return "local";
    case AxisType::Loop:
        return "loop";
    case AxisType::Reduce:
        return "reduce";
    case AxisType::Upcast:
        return "upcast";
    case AxisType::Unroll:
        return "unroll";
    case AxisType::Vector:
        return "vector";
    }
    SW_UNREACHABLE();
}

std::string_view nameOf(TransformKind kind)
{
    switch (kind) {
    case TransformKind::Split:
        return "split";
    case TransformKind::Reorder:
        return "reorder";
    case TransformKind::SetType:
        return "set_type";
    case TransformKind::Divide:
        return "divide";
    case TransformKind::Merge:
        return "merge";
    case TransformKind::Mask:
        return "mask";
    case TransformKind::Pack:
        return "pack";
    case TransformKind::NonTemporal:
        return "non_temporal";
    case TransformKind::Group:
        return "group";
    case TransformKind::Unroll:
        return "unroll";
    case TransformKind::Tensorize:
        return "tensorize";
    case TransformKind::Share:
        return "share";
    case TransformKind::Pad:
        return "pad";
    case TransformKind::Prefetch:
        return "prefetch";
    case TransformKind::Stream:
        return "stream";
    case TransformKind::Join:
        return "join";
    }
    SW_UNREACHABLE();
}

} // namespace sw
