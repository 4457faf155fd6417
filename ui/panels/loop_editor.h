#pragma once
// The transformations of a kernel's loops, one to a line: lines are changed, added, moved and removed. A list that is legal is
// handed on; otherwise it says which line is not, why, and what would be legal there. Completion knows the loops at each line.

#include "ui/session/session.h"
#include "ui/theme/appearance.h"

#include <QStringList>
#include <QWidget>

#include <optional>

class QLabel;
class QListWidget;
class QStringListModel;
class QToolButton;

namespace stepwell::ui {

class LoopEditor : public QWidget {
    Q_OBJECT

public:
    LoopEditor(Session &session, const Appearance &appearance, QWidget *parent = nullptr);

    // override: "loops y: split i0 8; set_type i0.i vector". What is being edited stays if it is the same.
    void setOverride(const QString &override);
    [[nodiscard]] QStringList lines() const;
    [[nodiscard]] const sw::LoopCheck &check() const { return m_check; }
    [[nodiscard]] bool isChecking() const { return m_session.isAsking(RequestTag::Loops); }

signals:
    void changed(const QString &override); // to a legal list
    void checked();

private:
    void fill(const QStringList &lines);
    void addLine();
    void removeLine();
    void moveLine(int direction);
    void requestCheck();
    void onChecked(sw::LoopCheck check);
    void showCompletions();
    [[nodiscard]] QString overrideOf(const QStringList &lines) const;
    QToolButton *addTool(const char *icon, const QString &text, const char *name);

    Session &m_session;
    const Appearance &m_appearance;
    QString m_override;
    QString m_value; // the path in the override
    QListWidget *m_list;
    QLabel *m_problem;
    QStringListModel *m_completions;
    std::vector<std::pair<QToolButton *, QString>> m_tools; // with their icons
    sw::LoopCheck m_check;
};

} // namespace stepwell::ui
