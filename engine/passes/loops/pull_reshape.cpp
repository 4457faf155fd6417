// The index that a reshape reads. Runs of axes with as many elements on both sides are handled one by one, so axes that a reshape
// leaves as they are keep their index. Only a run that changes needs a flat index that is taken apart.

#include "engine/passes/loops/pull.h"

#include <tuple>
#include <utility>

namespace sw {

namespace {

struct Run {
    std::size_t begin = 0;
    std::size_t end = 0;
};

// The next runs of both shapes with the same number of elements, after the previous runs; empty at the end. Axes of extent 1
// between runs belong to no run.
std::pair<Run, Run> nextRuns(const Shape &a, const Shape &b, Run before, Run beforeOther)
{
    const auto firstFrom = [](const Shape &shape, std::size_t axis) {
        while (axis < shape.rank() && shape[axis] == 1)
            ++axis;
        return axis;
    };
    Run run{firstFrom(a, before.end), 0};
    Run other{firstFrom(b, beforeOther.end), 0};
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

Shape extentsOf(const Shape &shape, Run run)
{
    return Shape(std::vector<std::int64_t>(shape.begin() + static_cast<std::ptrdiff_t>(run.begin),
                                           shape.begin() + static_cast<std::ptrdiff_t>(run.end)));
}

} // namespace

std::vector<ExprId> ValuePuller::reshaped(const Shape &shape, const std::vector<ExprId> &index, const Shape &from)
{
    std::vector<ExprId> inner(from.rank(), m_nest.arena.constant(0));
    if (shape.isEmpty())
        return inner;
    auto [run, other] = nextRuns(shape, from, {}, {});
    while (run.begin != run.end) {
        const auto first = index.begin() + static_cast<std::ptrdiff_t>(run.begin);
        const std::vector<ExprId> part(first, first + static_cast<std::ptrdiff_t>(run.end - run.begin));
        const bool isSame = run.end - run.begin == 1 && other.end - other.begin == 1;
        const std::vector<ExprId> read =
            isSame ? part : unravelled(flatIndex(extentsOf(shape, run), part), extentsOf(from, other));
        for (std::size_t i = 0; i < read.size(); ++i)
            inner[other.begin + i] = read[i];
        std::tie(run, other) = nextRuns(shape, from, run, other);
    }
    return inner;
}

} // namespace sw
