#pragma once

#include "engine/api/life.h"
#include "ui/panels/panel.h"

#include <optional>

class QStackedWidget;
class QTableView;
class QToolButton;

namespace stepwell::ui {

class CutLabel;
class LifeModel;

// The life of the selected value: from the program's text through every rewrite to its time. Each step leads to its moment and
// selects there what it is about. Buttons lead to the rewrite that made the selected item, and to the one that ends it.
class LifePanel : public Panel {
    Q_OBJECT

public:
    LifePanel(const PanelContext &context, const PanelName &name);

    void setSnapshot(const SnapshotPtr &snapshot) override;
    [[nodiscard]] bool isSettled() const override { return !m_context.session.isAsking(RequestTag::Story) && !m_target; }
    [[nodiscard]] const LifeModel &model() const { return *m_model; }

protected:
    void showEvent(QShowEvent *event) override;

private:
    // Whose life is told: a selection, in a compilation.
    struct Subject {
        std::uint64_t selection = 0;
        std::uint64_t compilation = 0;
        [[nodiscard]] bool operator==(const Subject &) const = default;
    };

    void onSelection();
    void ask(const Subject &subject);
    [[nodiscard]] bool canAsk() const; // the engine has what is shown
    void show(sw::ItemLife life);
    void tellEvent(QToolButton *button, const QString &text, const std::optional<sw::HistoryEvent> &event);
    void goTo(const sw::LifeStep &step);
    void selectTarget();
    void updateHint();

    LifeModel *m_model;
    QTableView *m_table;
    QStackedWidget *m_stack;
    CutLabel *m_value;
    QToolButton *m_made;
    QToolButton *m_ended;
    sw::ItemLife m_life;
    SnapshotPtr m_snapshot;
    std::optional<sw::LifeStep> m_target; // the window is on its way there
    Subject m_subject;                    // whose life is told, or was asked for
};

} // namespace stepwell::ui
