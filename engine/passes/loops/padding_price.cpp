// What it costs, and saves, to write out the steps of a reduction that moves through a padded value.

#include "engine/passes/loops/contraction_lines.h"
#include "engine/passes/loops/spread_loads.h"

#include <algorithm>
#include <set>

namespace sw {

namespace {

constexpr double kWorthWritingOut = 0.99;      // of the steps: if more than these are left, a loop does as well
constexpr std::int64_t kMostSpilled = 3;       // weights that are read from the first level of the cache instead
constexpr std::int64_t kMostWrittenOut = 1024; // accumulations in a body that is written out

// Whether the core's own cache holds what is read. A sum of products has work for the while in which lines come from farther
// away; what only looks at elements waits for them, the longer the more rows it reads along.
bool isNear(const NestPlan &plan, const NestAccess &load)
{
    const std::optional<std::int64_t> bytes = bufferBytes(plan, load);
    return !bytes || *bytes <= plan.device().cacheBytesPerCore;
}

std::int64_t placeOf(const PaddedCoordinate &coordinate, std::int64_t index, std::int64_t step)
{
    std::int64_t place = coordinate.constant;
    for (const auto &[factor, axis] : coordinate.terms)
        place += factor * (axis == coordinate.domain ? index : step);
    return place;
}

// The part of all pairs of indices of the coordinate's two axes that lies outside of the padding.
double partOutsideOfPadding(const NestPlan &plan, const PaddedCoordinate &coordinate)
{
    const std::int64_t indices = plan.extentOf(coordinate.domain);
    const std::int64_t steps = plan.extentOf(coordinate.reduced);
    const std::int64_t first = placeOf(coordinate, 0, 0);
    const std::int64_t last = placeOf(coordinate, indices - 1, steps - 1);
    if (coordinate.low <= first && last < coordinate.high)
        return 1;
    std::int64_t inside = 0;
    for (std::int64_t i = 0; i < indices; ++i) {
        for (std::int64_t step = 0; step < steps; ++step) {
            const std::int64_t place = placeOf(coordinate, i, step);
            inside += coordinate.low <= place && place < coordinate.high ? 1 : 0;
        }
    }
    return static_cast<double>(inside) / static_cast<double>(indices * steps);
}

} // namespace

std::vector<PaddedPart> paddedPartsOf(const NestPlan &plan)
{
    std::vector<PaddedPart> parts;
    for (const PaddedCoordinate &coordinate : paddedCoordinates(plan.schedule(), plan.nest(), ReductionId(0U)))
        parts.push_back({coordinate, partOutsideOfPadding(plan, coordinate)});
    return parts;
}

namespace {

// How many places so many rows of the tile read, at all steps.
std::int64_t placesOf(const NestPlan &plan, const PaddedCoordinate &coordinate, std::int64_t rows)
{
    std::set<std::int64_t> places;
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t step = 0; step < plan.extentOf(coordinate.reduced); ++step)
            places.insert(placeOf(coordinate, row, step));
    return static_cast<std::int64_t>(places.size());
}

// Whether vectors that are read at one place serve several rows of the tile.
bool isSharedByRows(const NestPlan &plan, const ContractionFacts &facts, const PaddedCoordinate &coordinate,
                    const TileChoice &choice)
{
    const auto isReadInVectors = [&](const NestAccess &load) {
        const std::int64_t stride = plan.strideIn(load, choice.vectorAxis);
        return load.load == coordinate.load && (stride == 1 || isReadSpread(stride, choice.lanes)) &&
               (coordinate.isOfProducts || isNear(plan, load));
    };
    return coordinate.domain == choice.rowAxis && std::ranges::any_of(facts.loads, isReadInVectors) &&
           placesOf(plan, coordinate, choice.rows) < choice.rows * plan.extentOf(coordinate.reduced);
}

// Whether each of the vectors side by side has weights of its own, as channels have.
bool hasOwnWeights(const NestPlan &plan, const ContractionFacts &facts, const TileChoice &choice)
{
    return std::ranges::all_of(facts.loads, [&](const NestAccess &load) { return plan.strideIn(load, choice.vectorAxis) != 0; });
}

} // namespace

// How many vectors serve so many rows of the tile at all of the written out steps, per step.
double rowLoads(const NestPlan &plan, const ContractionFacts &facts, const TileChoice &choice, std::int64_t rows)
{
    for (const auto &[coordinate, part] : facts.padding)
        if (coordinate.reduced == choice.rowSteps)
            return static_cast<double>(placesOf(plan, coordinate, rows)) / static_cast<double>(plan.extentOf(coordinate.reduced));
    return static_cast<double>(rows);
}

// Which loops of the reduction are written out, and what that leaves of the steps. What is known of a part of an axis in
// registers is too little; of all of it, each point knows where it is. Where vectors of the padded value serve neighbouring rows,
// steps are written out for the loads that it saves, too.
void leavePaddingOut(const NestPlan &plan, const ContractionFacts &facts, TileChoice &choice)
{
    choice.writtenOut.clear();
    choice.rowSteps = AxisId();
    choice.rowLoad = ValueId();
    choice.computed = 1;
    std::int64_t bodies = choice.rows * choice.vectors;
    for (const auto &[coordinate, part] : facts.padding) {
        const std::int64_t steps = plan.extentOf(coordinate.reduced);
        if (coordinate.domain == choice.vectorAxis || bodies * steps > kMostWrittenOut)
            continue;
        const bool isOfRows = coordinate.domain == choice.rowAxis;
        const bool isPart = isOfRows && choice.rows != plan.extentOf(choice.rowAxis);
        const bool isShared = isSharedByRows(plan, facts, coordinate, choice);
        // Place by place, the weights of all steps are in registers, beside the sums and what is read at the place.
        const std::int64_t ofSteps = coordinate.isOfProducts ? steps : 0;
        const std::int64_t weights = hasOwnWeights(plan, facts, choice) ? ofSteps * choice.vectors : ofSteps;
        const std::int64_t beside = isShared ? weights + choice.vectors : isOfRows ? ofSteps * choice.vectors + 1 : 1;
        const bool fits = choice.rows * choice.vectors + beside <= plan.device().vectorRegisters + kMostSpilled;
        const bool isWorthIt = isShared || (!isPart && coordinate.addsNothing && part <= kWorthWritingOut);
        if (!fits || !isWorthIt)
            continue;
        bodies *= steps;
        if (isOfRows)
            choice.rowSteps = coordinate.reduced;
        if (isShared)
            choice.rowLoad = coordinate.load;
        choice.writtenOut.push_back(coordinate.reduced);
        choice.computed *= isPart || !coordinate.addsNothing ? 1 : part;
    }
}

} // namespace sw
