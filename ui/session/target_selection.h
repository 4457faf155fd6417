#pragma once
// Lights up the code of another processor with the window's documents, and the window with it. The two meet at the lowered
// instructions that both were made for.

#include "ui/session/moment.h"
#include "ui/session/selection.h"

#include <QObject>

#include <memory>
#include <optional>

namespace stepwell::ui {

class TargetSelection : public QObject {
    Q_OBJECT

public:
    TargetSelection(Selection &window, const Moment &moment, QObject *parent = nullptr);

    // end: the snapshot whose kernel the document is made from; code: instead of its machine code. Null: there is no code.
    void setCode(const SnapshotPtr &end, const sw::StageDocumentPtr &code, std::shared_ptr<const PartnerIndex> partners);
    [[nodiscard]] Selection &own() { return m_own; }

private:
    // Nothing: it has none.
    [[nodiscard]] std::optional<StageItem> counterpartHere(const StageItem &ofWindow) const;
    [[nodiscard]] std::optional<StageItem> counterpartInWindow(const StageItem &ofCode) const;
    [[nodiscard]] bool isSameDocument(sw::StageKind stage) const;
    void follow();
    void followHover();
    void lead();
    void leadHover();

    Selection &m_window;
    const Moment &m_moment;
    Selection m_own;
    SnapshotPtr m_snapshot; // with the code in the place of this machine's
    std::uint64_t m_number = 0;
    bool m_isFollowing = false;
};

} // namespace stepwell::ui
