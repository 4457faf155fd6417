#include "engine/types/reshape_runs.h"

namespace sw {

std::pair<AxisRun, AxisRun> nextRuns(const Shape &a, const Shape &b, AxisRun before, AxisRun beforeOther)
{
    const auto firstFrom = [](const Shape &shape, std::size_t axis) {
        while (axis < shape.rank() && shape[axis] == 1)
            ++axis;
        return axis;
    };
    AxisRun run{firstFrom(a, before.end), 0};
    AxisRun other{firstFrom(b, beforeOther.end), 0};
    run.end = run.begin;
    other.end = other.begin;
    if (run.begin == a.rank())
        return {run, other};
    std::int64_t count = a[run.end++];
    std::int64_t otherCount = b[other.end++];
    while (count != otherCount) {
        if (count < otherCount)
            count *= a[run.end++];
        else
            otherCount *= b[other.end++];
    }
    return {run, other};
}

} // namespace sw
