#include "ui/session/selection_pair.h"

#include <utility>

namespace stepwell::ui {

SelectionPair::SelectionPair(Selection &now, Selection &before, const StageDifferences &differences, QObject *parent)
    : QObject(parent), m_now(now), m_before(before), m_differences(differences)
{
    connect(&now, &Selection::selectionChanged, this, [this] { follow(Way::ToBefore); });
    // Other documents are no other selection.
    m_number = before.number();
    connect(&before, &Selection::selectionChanged, this, [this] {
        if (std::exchange(m_number, m_before.number()) != m_before.number())
            follow(Way::ToNow);
    });
    connect(&now, &Selection::hoverChanged, this, [this] { followHover(Way::ToBefore); });
    connect(&before, &Selection::hoverChanged, this, [this] { followHover(Way::ToNow); });
    connect(&differences, &StageDifferences::changed, this, [this](sw::StageKind stage) {
        if (const std::optional<StageItem> selected = m_now.firstSelected(); selected && selected->stage == stage)
            follow(Way::ToBefore);
    });
}

std::optional<StageItem> SelectionPair::counterpart(const StageItem &of, Way way) const
{
    const StageDifferencePtr &difference = m_differences.difference(of.stage);
    if (!difference)
        return {};
    sw::ItemIndex item = sw::kNoIndex;
    if (way == Way::ToNow)
        item = of.item < difference->afterOf.size() ? difference->afterOf[of.item] : sw::kNoIndex;
    else if (of.item < difference->after->items.size())
        item = difference->items.items[of.item].before;
    return item == sw::kNoIndex ? std::nullopt : std::optional(StageItem{of.stage, item});
}

void SelectionPair::follow(Way way)
{
    if (m_isFollowing)
        return;
    m_isFollowing = true;
    Selection &to = way == Way::ToBefore ? m_before : m_now;
    const std::optional<StageItem> selected = (way == Way::ToBefore ? m_now : m_before).firstSelected();
    if (const std::optional<StageItem> other = selected ? counterpart(*selected, way) : std::nullopt)
        to.select(other->stage, {other->item});
    else
        to.clear();
    m_number = m_before.number(); // what was empty is cleared without a signal
    m_isFollowing = false;
}

void SelectionPair::followHover(Way way)
{
    if (m_isFollowing)
        return;
    m_isFollowing = true;
    Selection &to = way == Way::ToBefore ? m_before : m_now;
    const std::optional<StageItem> hovered = (way == Way::ToBefore ? m_now : m_before).firstHovered();
    if (const std::optional<StageItem> other = hovered ? counterpart(*hovered, way) : std::nullopt)
        to.setHover(other->stage, {other->item});
    else
        to.clearHover();
    m_isFollowing = false;
}

} // namespace stepwell::ui
