#include "engine/tune/search_space.h"

#include "engine/loops/written_out.h"
#include "engine/passes/loops/loop_overrides.h"
#include "engine/tune/draws.h"
#include "engine/tune/edits.h"
#include "engine/tune/tensor_draws.h"
#include "engine/tune/tensor_edits.h"

#include <algorithm>

namespace sw {

namespace {

// Of a hundred draws for a product that an instruction does, those without: few are as fast.
constexpr std::size_t kPlainDraws = 15;

bool isTooLarge(const LoopNest &nest)
{
    return writtenOutElements(nest) > SearchSpace::kMostRepeats ||
           std::ranges::any_of(nest.reductions, [&](const Reduction &reduction) {
               return writtenOutSteps(nest, reduction) > SearchSpace::kMostRepeats;
           });
}

// One transformation is what it is in both, or two differ in a number or an order only.
bool agree(const Transform &a, const Transform &b)
{
    if (a.kind != b.kind || a.type != b.type || a.value != b.value)
        return false;
    return a.kind == TransformKind::Reorder ? std::ranges::is_permutation(a.axes, b.axes) : a.axes == b.axes;
}

} // namespace

SearchSpace::SearchSpace(const Schedule &schedule, const LoopNest &nest, const DeviceInfo &device)
    : m_schedule(schedule), m_nest(nest), m_device(device), m_tensor(tensorProductOf(nest, device))
{
}

std::optional<LoopNest> SearchSpace::nestWith(std::span<const Transform> list) const
{
    Result<LoopNest> made = transformedBy(m_nest, list, m_schedule);
    if (!made || isTooLarge(*made))
        return std::nullopt;
    return std::move(*made);
}

std::optional<TransformList> SearchSpace::legal(TransformList list) const
{
    const std::optional<LoopNest> nest = nestWith(list);
    const bool isWorthTrying = nest && (!m_tensor || readsWholeColumns(*nest, *m_tensor));
    return isWorthTrying ? std::optional(std::move(list)) : std::nullopt;
}

std::optional<TransformList> SearchSpace::drawn(Dice &dice) const
{
    const bool isPlain = !m_tensor || dice.percent(kPlainDraws);
    return legal(isPlain ? drawList(m_nest, m_device, dice) : drawTensorList(m_nest, m_device, *m_tensor, dice));
}

std::optional<TransformList> SearchSpace::edited(const TransformList &list, Dice &dice) const
{
    const bool isPlain = !m_tensor || !instructionOf(*m_tensor, list);
    return legal(isPlain ? editedList(m_nest, list, dice) : editedTensorList(m_nest, m_device, *m_tensor, list, dice));
}

std::optional<TransformList> SearchSpace::crossed(const TransformList &a, const TransformList &b, Dice &dice) const
{
    TransformList made = a;
    std::size_t common = 0;
    while (common < std::min(a.size(), b.size()) && agree(a[common], b[common]))
        ++common;
    for (std::size_t i = 0; i < common; ++i)
        if (dice.percent(50))
            made[i] = b[i];
    if (dice.percent(50)) {
        made.resize(common);
        made.insert(made.end(), b.begin() + static_cast<std::ptrdiff_t>(common), b.end());
    }
    return legal(std::move(made));
}

} // namespace sw
