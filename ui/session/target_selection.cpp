#include "ui/session/target_selection.h"

#include <utility>

namespace stepwell::ui {

TargetSelection::TargetSelection(Selection &window, const Moment &moment, QObject *parent)
    : QObject(parent), m_window(window), m_moment(moment)
{
    connect(&window, &Selection::selectionChanged, this, &TargetSelection::follow);
    connect(&window, &Selection::hoverChanged, this, &TargetSelection::followHover);
    m_number = m_own.number();
    // Other documents are no other selection.
    connect(&m_own, &Selection::selectionChanged, this, [this] {
        if (std::exchange(m_number, m_own.number()) != m_own.number())
            lead();
    });
    connect(&m_own, &Selection::hoverChanged, this, &TargetSelection::leadHover);
}

void TargetSelection::setCode(const SnapshotPtr &end, const sw::StageDocumentPtr &code,
                              std::shared_ptr<const PartnerIndex> partners)
{
    if (!end || !code) {
        m_snapshot = nullptr;
    } else {
        auto snapshot = std::make_shared<Snapshot>(*end);
        StageView &view = snapshot->stages[indexOf(sw::StageKind::Machine)];
        view.document = code;
        view.partners = std::move(partners);
        m_snapshot = std::move(snapshot);
    }
    m_isFollowing = true;
    m_own.setSnapshot(m_snapshot);
    m_isFollowing = false;
    follow();
}

bool TargetSelection::isSameDocument(sw::StageKind stage) const
{
    const SnapshotPtr &shown = m_moment.snapshot();
    return shown && m_snapshot && shown->stage(stage).document == m_snapshot->stage(stage).document;
}

std::optional<StageItem> TargetSelection::counterpartHere(const StageItem &ofWindow) const
{
    if (ofWindow.stage != sw::StageKind::Machine)
        return isSameDocument(ofWindow.stage) ? std::optional(ofWindow) : std::nullopt;
    const SnapshotPtr &shown = m_moment.snapshot();
    const sw::StageDocumentPtr document = shown ? shown->stage(ofWindow.stage).document : nullptr;
    if (!document || ofWindow.item >= document->items.size() || !isSameDocument(sw::StageKind::Lowered))
        return {};
    const std::uint32_t instruction = document->items[ofWindow.item].instruction;
    return instruction == sw::kNoIndex ? std::nullopt : std::optional(StageItem{sw::StageKind::Lowered, instruction});
}

std::optional<StageItem> TargetSelection::counterpartInWindow(const StageItem &ofCode) const
{
    if (!m_snapshot || !isSameDocument(sw::StageKind::Lowered))
        return {};
    const auto &items = m_snapshot->stage(sw::StageKind::Machine).document->items;
    const std::uint32_t instruction = ofCode.item < items.size() ? items[ofCode.item].instruction : sw::kNoIndex;
    return instruction == sw::kNoIndex ? std::nullopt : std::optional(StageItem{sw::StageKind::Lowered, instruction});
}

void TargetSelection::follow()
{
    if (std::exchange(m_isFollowing, true))
        return;
    const std::optional<StageItem> selected = m_window.firstSelected();
    if (const std::optional<StageItem> here = selected ? counterpartHere(*selected) : std::nullopt)
        m_own.select(here->stage, {here->item});
    else
        m_own.clear();
    m_number = m_own.number(); // what was empty is cleared without a signal
    m_isFollowing = false;
}

void TargetSelection::followHover()
{
    if (std::exchange(m_isFollowing, true))
        return;
    const std::optional<StageItem> hovered = m_window.firstHovered();
    if (const std::optional<StageItem> here = hovered ? counterpartHere(*hovered) : std::nullopt)
        m_own.setHover(here->stage, {here->item});
    else
        m_own.clearHover();
    m_isFollowing = false;
}

void TargetSelection::lead()
{
    if (std::exchange(m_isFollowing, true))
        return;
    const std::optional<StageItem> selected = m_own.firstSelected();
    if (const std::optional<StageItem> there = selected ? counterpartInWindow(*selected) : std::nullopt)
        m_window.select(there->stage, {there->item});
    else
        m_window.clear();
    m_isFollowing = false;
}

void TargetSelection::leadHover()
{
    if (std::exchange(m_isFollowing, true))
        return;
    const std::optional<StageItem> hovered = m_own.firstHovered();
    if (const std::optional<StageItem> there = hovered ? counterpartInWindow(*hovered) : std::nullopt)
        m_window.setHover(there->stage, {there->item});
    else
        m_window.clearHover();
    m_isFollowing = false;
}

} // namespace stepwell::ui
