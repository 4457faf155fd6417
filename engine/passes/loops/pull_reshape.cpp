// The index that a reshape reads. Runs of axes with as many elements on both sides are handled one by one, so axes that a reshape
// leaves as they are keep their index. Only a run that changes needs a flat index that is taken apart.

#include "engine/passes/loops/pull.h"
#include "engine/types/reshape_runs.h"

#include <tuple>
#include <utility>

namespace sw {

namespace {

Shape extentsOf(const Shape &shape, AxisRun run)
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
