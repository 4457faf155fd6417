// What it costs that neighbouring windows read the same lines of the cache, some time after each other.

#include "engine/base/checked_size.h"
#include "engine/passes/loops/contraction_lines.h"

#include <algorithm>

namespace sw {

namespace {

constexpr double kOwnCacheLineCycles = 2; // from the core's own cache, fetched ahead
constexpr double kOuterLineCycles = 12;   // from behind it

// Bytes that are read from one index of the axis to the next, in the order in which a tile without copies has its loops: those of
// the nest, then the vectors, then the rows of the tile.
CheckedSize bytesBetween(const NestPlan &plan, const TileChoice &choice, const NestAccess &load, AxisId axis, std::int64_t places)
{
    CheckedSize bytes = load.bytes;
    bytes = bytes * plan.extentOf(choice.vectorAxis);
    bool isInside = false;
    for (const AxisId each : plan.nest().domain) {
        if (isInside && each != choice.vectorAxis && plan.dependsOn(load, each))
            bytes = bytes * plan.extentOf(each);
        isInside = isInside || each == axis;
    }
    const auto place = [&](AxisId each) { return std::ranges::find(plan.nest().domain, each); };
    const bool isOfTile = choice.rowAxis.isValid() && place(choice.rowAxis) <= place(axis);
    return isOfTile ? bytes * places : bytes;
}

double lineCycles(const NestPlan &plan, CheckedSize bytes)
{
    if (bytes <= plan.device().firstLevelBytes / 2) // results go through it, too
        return 0;
    return bytes <= plan.device().cacheBytesPerCore / 4 ? kOwnCacheLineCycles : kOuterLineCycles;
}

// Blocks side by side, as the parts of a long axis that was split, are read once.
bool doOverlap(const NestPlan &plan, const PaddedCoordinate &coordinate)
{
    std::int64_t apart = 0;
    std::int64_t last = 0; // place of a window
    for (const auto &[factor, axis] : coordinate.terms)
        (axis == coordinate.domain ? apart : last) = axis == coordinate.domain ? factor : factor * (plan.extentOf(axis) - 1);
    return apart <= last;
}

} // namespace

double windowRereadCycles(const NestPlan &plan, const ContractionFacts &facts, const TileChoice &choice)
{
    if (!choice.packed.empty())
        return 0;
    double cycles = 0; // per line of the results
    for (const auto &[coordinate, part] : facts.padding) {
        const auto load = std::ranges::find(facts.loads, coordinate.load, &NestAccess::load);
        if (load == facts.loads.end() || coordinate.domain == choice.vectorAxis || plan.strideIn(*load, choice.vectorAxis) != 1 ||
            !doOverlap(plan, coordinate))
            continue;
        const std::int64_t steps = plan.extentOf(coordinate.reduced);
        const bool isOfRows = coordinate.domain == choice.rowAxis && choice.rowSteps == coordinate.reduced;
        const double places =
            isOfRows ? rowLoads(plan, facts, choice, choice.rows) * static_cast<double>(steps) : static_cast<double>(choice.rows);
        const CheckedSize between = bytesBetween(plan, choice, *load, coordinate.domain, static_cast<std::int64_t>(places));
        const double again = isOfRows ? places / static_cast<double>(choice.rows) - 1 : static_cast<double>(steps - 1);
        cycles += again * lineCycles(plan, isOfRows ? between : between * steps);
    }
    const double bytes = static_cast<double>(plan.elementsOf(plan.nest().domain) * facts.sumBytes);
    return cycles * bytes / static_cast<double>(kCacheLineBytes);
}

} // namespace sw
