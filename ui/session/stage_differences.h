#pragma once
// The differences of two snapshots, stage by stage. The worker thread computes one after the other, so that other questions come
// in between; what did not change is not computed again.

#include "engine/api/compare/graph_difference.h"
#include "engine/api/compare/text_difference.h"
#include "ui/session/session.h"

#include <QObject>

#include <array>
#include <memory>
#include <vector>

namespace stepwell::ui {

struct StageDifference {
    sw::StageDocumentPtr before;
    sw::StageDocumentPtr after;
    sw::TextDifference text;
    sw::GraphDifference items;
    std::vector<sw::ItemIndex> afterOf; // by item of `before`; kNoIndex: it was removed

    // How much differs: lines of a text, items of a graph or a schedule.
    [[nodiscard]] std::uint32_t count() const;
    [[nodiscard]] bool isDifferent() const { return count() > 0; }
};
using StageDifferencePtr = std::shared_ptr<const StageDifference>;

[[nodiscard]] StageDifferencePtr stageDifference(const sw::StageDocumentPtr &before, const sw::StageDocumentPtr &after);

// Pending: on its way. Unread: machine code that was not read yet. NotBefore, NotNow: one of the two has no such stage.
enum class DifferenceState : unsigned char { None, Pending, Unread, NotBefore, NotNow, Equal, Different };

class StageDifferences : public QObject {
    Q_OBJECT

public:
    explicit StageDifferences(Session &session, QObject *parent = nullptr);

    // Null: there is nothing to compare.
    void compare(const SnapshotPtr &before, const SnapshotPtr &now);

    [[nodiscard]] DifferenceState state(sw::StageKind stage) const { return m_states[indexOf(stage)]; }
    // While a new one is on its way, the last one; null: there is none.
    [[nodiscard]] const StageDifferencePtr &difference(sw::StageKind stage) const { return m_differences[indexOf(stage)]; }
    [[nodiscard]] bool isPending() const;

signals:
    void changed(sw::StageKind stage);

private:
    void askNext();

    Session &m_session;
    std::array<sw::StageDocumentPtr, kStageCount> m_before;
    std::array<sw::StageDocumentPtr, kStageCount> m_now;
    std::array<StageDifferencePtr, kStageCount> m_differences;
    std::array<DifferenceState, kStageCount> m_states{};
};

} // namespace stepwell::ui
