#include "engine/passes/schedule/place.h"

#include "engine/base/checked_size.h"

#include <algorithm>

namespace sw {

KernelLoops::KernelLoops(const Shape &rootShape) : m_rank(rootShape.rank()), m_extents(rootShape.begin(), rootShape.end()) {}

Place KernelLoops::rootPlace(const Shape &rootShape) const
{
    Place place{identityAccess(rootShape), {}};
    for (std::uint32_t axis = 0; axis < m_rank; ++axis)
        if (m_extents[axis] != 1)
            place.loops.push_back(axis);
    return place;
}

Place KernelLoops::throughElements(const Place &reader, const Shape &readerShape, const Access &access) const
{
    Place place{composed(reader.access, readerShape, access), reader.loops};
    leaveOutInvariantLoops(place);
    return place;
}

Place KernelLoops::throughParts(const Place &reader, const Shape &readerShape, const Access &access) const
{
    Place place = throughElements(reader, readerShape, access);
    if (!reader.access.isStrided || !place.access.isStrided || place.access.isMasked)
        return place;
    const auto moves = [](const Access &of, std::uint32_t loop) {
        return std::any_of(of.terms.begin(), of.terms.end(), [loop](const AccessTerm &term) { return term.axis == loop; });
    };
    PlaceLoops kept;
    for (const std::uint32_t loop : place.loops)
        if (!moves(reader.access, loop) || moves(place.access, loop))
            kept.push_back(loop);
    place.loops = kept;
    return place;
}

std::vector<std::uint32_t> KernelLoops::addReduceLoops(const Shape &input, std::span<const std::size_t> axes)
{
    std::vector<std::uint32_t> loops;
    for (const std::size_t axis : axes) {
        loops.push_back(static_cast<std::uint32_t>(m_extents.size()));
        m_extents.push_back(input[axis]);
    }
    return loops;
}

Place KernelLoops::throughReduction(const Place &reduction, const Reduction &of, const Access &access) const
{
    const std::vector<std::int64_t> strides = rowMajorStrides(of.input);
    std::vector<std::int64_t> kept = strides;
    for (const std::size_t axis : of.axes)
        kept[axis] = 0;
    std::vector<std::int64_t> keptExtents(of.input.begin(), of.input.end());
    for (const std::size_t axis : of.axes)
        keptExtents[axis] = 1;
    const Shape keptShape(keptExtents);

    Place input{composed(reduction.access, keptShape, stridedAccess(keptShape, kept, 0)), reduction.loops};
    input.access.isBijection = reduction.access.isBijection;
    for (std::size_t i = 0; i < of.axes.size(); ++i) {
        const std::size_t axis = of.axes[i];
        input.loops.push_back(of.loops[i]);
        if (input.access.isStrided && of.input[axis] != 1)
            input.access.terms.push_back({of.loops[i], of.input[axis], strides[axis]});
    }
    return throughElements(input, of.input, access);
}

double KernelLoops::evaluations(const Place &place) const
{
    double count = 1;
    for (const std::uint32_t loop : place.loops)
        count *= static_cast<double>(m_extents[loop]);
    return count;
}

void KernelLoops::leaveOutInvariantLoops(Place &place) const
{
    if (!place.access.isStrided || place.access.isMasked)
        return;
    const auto dependsOn = [&place](std::uint32_t loop) {
        return std::any_of(place.access.terms.begin(), place.access.terms.end(),
                           [loop](const AccessTerm &t) { return t.axis == loop; });
    };
    while (!place.loops.empty() && !dependsOn(place.loops.back()))
        place.loops.pop_back();
}

bool KernelLoops::isInner(const Place &place) const
{
    return std::any_of(place.loops.begin(), place.loops.end(), [this](std::uint32_t loop) { return loop >= m_rank; });
}

bool KernelLoops::isDomain(const Place &place, std::int64_t elements) const
{
    if (place.access.isMasked || isInner(place))
        return false;
    if (place.access.isBijection)
        return true;
    CheckedSize domain = 1;
    for (std::size_t axis = 0; axis < m_rank; ++axis)
        domain *= m_extents[axis];
    return domain.fits() && domain.value() == elements && coversExactly(place.access, elements);
}

bool KernelLoops::isRow(const Place &place, std::int64_t elements) const
{
    if (isInner(place) || !coversExactly(place.access, elements))
        return false;
    // Its terms must be all the loops around it, and these a prefix of the root's.
    if (place.access.terms.size() != place.loops.size())
        return false;
    std::size_t next = 0;
    for (const std::uint32_t loop : place.loops) {
        while (next < m_rank && m_extents[next] == 1)
            ++next;
        if (loop != next)
            return false;
        ++next;
    }
    return true;
}

PlaceKind KernelLoops::kindOf(const Place &place, std::int64_t elements) const
{
    if (isInner(place))
        return PlaceKind::Inner;
    if (isDomain(place, elements))
        return PlaceKind::Domain;
    return isRow(place, elements) ? PlaceKind::Row : PlaceKind::Scattered;
}

} // namespace sw
