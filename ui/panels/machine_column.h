#pragma once
// The code of one kernel on another processor, in a column beside this machine's.

#include "engine/api/target_code.h"
#include "ui/panels/panel.h"
#include "ui/session/target_selection.h"
#include "ui/text_view/machine_text.h"

#include <memory>

namespace stepwell::ui {

class CutLabel;

// What was made for a target: the code, or why there is none.
struct MadeCode {
    sw::TargetCode code;
    std::shared_ptr<const PartnerIndex> partners; // of its document
};

class MachineColumn : public QWidget {
    Q_OBJECT

public:
    MachineColumn(const PanelContext &context, const sw::TargetEntry &target, QWidget *parent = nullptr);

    [[nodiscard]] const QString &target() const { return m_target; }
    // end: the snapshot that the code belongs to.
    void showCode(const SnapshotPtr &end, const MadeCode &made);
    void showWaiting(const QString &kernel);
    void showStopped();
    void showHint(const QString &hint);

    [[nodiscard]] TextView &view() { return *m_view; }
    [[nodiscard]] MachineText &code() { return *m_code; }
    [[nodiscard]] const QString &hint() const { return m_hint; } // what it says instead of code; empty: it has code
    [[nodiscard]] Selection &selection() { return m_selection.own(); }

signals:
    void closeWanted();
    void stopWanted(); // while it is waiting
    void codeWanted(); // after it was stopped

private:
    enum class Work : unsigned char { None, Stop, Make };

    void clear(const QString &hint, Work work);
    void updateTold();

    QString m_target;
    TargetSelection m_selection;
    TextView *m_view;
    MachineText *m_code;
    CutLabel *m_told;
    QToolButton *m_work; // stops the making, or begins it again
    Work m_does = Work::None;
    QString m_hint;
    sw::StageDocumentPtr m_document;
};

} // namespace stepwell::ui
