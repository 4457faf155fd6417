#pragma once
// Draws lists of loop transformations of all kinds for a nest. A list that applies and that the verifier lets pass is right for
// every device, sensible or not: kernels that are made by such lists compute what plain loops do.

#include "engine/loops/loop_nest.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace sw::test {

inline constexpr std::array kEveryAxisType = {AxisType::Thread, AxisType::Global, AxisType::Local,  AxisType::Loop,
                                              AxisType::Reduce, AxisType::Upcast, AxisType::Unroll, AxisType::Vector};

class RandomTransforms {
public:
    // Both must stay.
    RandomTransforms(std::mt19937 &random, const Schedule &schedule) : m_random(random), m_schedule(schedule) {}

    // The nest with a legal list. Of one that is not, the shorter beginnings are tried.
    [[nodiscard]] LoopNest anyNest(const LoopNest &plain);
    // The nest with one more transformation of that kind, at any place where it is legal; the nest as it is: nowhere, as far as
    // was tried.
    [[nodiscard]] LoopNest withAnother(LoopNest nest, TransformKind kind);

private:
    std::int64_t upTo(std::int64_t low, std::int64_t high)
    {
        return low + static_cast<std::int64_t>(m_random() % static_cast<std::uint64_t>(high - low + 1));
    }
    template <class Items>
    auto anyOf(const Items &items)
    {
        return items[m_random() % items.size()];
    }

    [[nodiscard]] std::string anyLeaf(const LoopNest &nest);
    [[nodiscard]] Transform anyReorder(const LoopNest &nest);
    [[nodiscard]] Transform anyPack(const LoopNest &nest);
    [[nodiscard]] Transform anyShare(const LoopNest &nest);
    [[nodiscard]] Transform anyJoin(const LoopNest &nest);
    [[nodiscard]] Transform anyMerge(const LoopNest &nest);
    [[nodiscard]] Transform anyFetch(const LoopNest &nest, TransformKind kind);
    [[nodiscard]] Transform anyTransform(const LoopNest &nest);
    template <class IsOutside>
    void addParts(const LoopNest &nest, AxisId axis, const IsOutside &isOutside, std::vector<std::string> &names);
    [[nodiscard]] std::vector<Transform> placesFor(const LoopNest &part, TransformKind kind);

    void applyTile(LoopNest &nest, const LoopNest &part);
    void applyGroup(LoopNest &nest);
    void applyProduct(LoopNest &nest);
    void transform(LoopNest &nest);
    void transformStages(LoopNest &nest);
    void transformRows(LoopNest &nest);
    [[nodiscard]] bool isLegal(const LoopNest &nest) const;

    std::mt19937 &m_random;
    const Schedule &m_schedule;
};

} // namespace sw::test
