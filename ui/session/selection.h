#pragma once
// What is pointed at and what is selected, for the whole window. Panes report what the user does in them and ask what to light up
// in their own document; they never know each other. A selection is stored as source items, so it survives recompiling.

#include "ui/session/snapshot.h"

#include <QObject>
#include <QString>

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stepwell::ui {

enum class SelectMode : unsigned char { Replace, Add };

struct StageItem {
    sw::StageKind stage = sw::StageKind::Graph;
    sw::ItemIndex item = 0;
};

class Selection : public QObject {
    Q_OBJECT

public:
    explicit Selection(QObject *parent = nullptr);

    void setSnapshot(const SnapshotPtr &snapshot);

    // Hovering is transient; no pane scrolls for it.
    void setHover(sw::StageKind stage, const std::vector<sw::ItemIndex> &items);
    void clearHover();
    void select(sw::StageKind stage, const std::vector<sw::ItemIndex> &items, SelectMode mode = SelectMode::Replace);
    void clear();
    // A new number for each new selection; recompiling does not change it. Panes scroll once for each number.
    [[nodiscard]] std::uint64_t number() const { return m_number; }

    // What a pane that shows `stage` lights up.
    [[nodiscard]] const PartnerSet &hovered(sw::StageKind stage) const;
    [[nodiscard]] const PartnerSet &selected(sw::StageKind stage) const;
    [[nodiscard]] bool hasSelection() const { return !m_selected.items.empty(); }
    [[nodiscard]] bool hasHover() const { return !m_hovered.items.empty(); }

    // Where the selected item stands; nothing: none is selected.
    struct Place {
        sw::StageKind stage = sw::StageKind::Graph;
        sw::ItemIndex item = sw::kNoIndex;
    };
    [[nodiscard]] std::optional<Place> selectedPlace() const;
    // The selected item itself, or else the one pointed at; null when there is none.
    [[nodiscard]] const sw::DocumentItem *selectedItem() const;
    [[nodiscard]] const sw::DocumentItem *hoveredItem() const;

    [[nodiscard]] std::optional<StageItem> firstSelected() const;
    [[nodiscard]] std::optional<StageItem> firstHovered() const;
    [[nodiscard]] const std::vector<sw::ItemIndex> &selectedItems() const { return m_selected.items; } // of one stage
    // What the selected items come from (DocumentItem::sources), sorted.
    [[nodiscard]] std::vector<std::uint32_t> selectedSources() const;

    // "relu: 1 node -> 1 kernel -> 6 instructions -> 14 lines -> 41 machine instructions -> 12 % of the time"; empty when nothing
    // is pointed at or selected. Counts close partners, in the stages of the same compilation; the time only if it was measured.
    [[nodiscard]] QString summary() const;

signals:
    void hoverChanged();
    void selectionChanged();

private:
    // Items of one stage, and their partners in all other stages, resolved when first asked for.
    struct Mark {
        sw::StageKind stage = sw::StageKind::Graph;
        std::vector<sw::ItemIndex> items;
        std::vector<PartnerKey> keys;
        std::vector<std::string> labels;
        std::array<PartnerSet, kStageCount> resolved;
        std::array<bool, kStageCount> isResolved{};
    };

    [[nodiscard]] Mark markOf(sw::StageKind stage, std::vector<sw::ItemIndex> items) const;
    [[nodiscard]] const PartnerSet &resolve(Mark &mark, sw::StageKind stage) const;
    [[nodiscard]] std::vector<sw::ItemIndex> findAgain(const Mark &mark) const;
    [[nodiscard]] const sw::DocumentItem *firstItemOf(const Mark &mark) const;
    [[nodiscard]] QString nameOf(const Mark &mark) const;
    [[nodiscard]] QString shareOfTime(Mark &mark) const;

    SnapshotPtr m_snapshot;
    mutable Mark m_hovered;
    mutable Mark m_selected;
    std::uint64_t m_number = 0;
};

} // namespace stepwell::ui
