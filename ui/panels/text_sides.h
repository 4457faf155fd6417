#pragma once
// What a pane with text shows while there is a baseline: its own text, the baseline's, or their difference.

#include "ui/panels/panel.h"
#include "ui/panels/side_choice.h"
#include "ui/text_view/difference_view.h"

#include <QStackedWidget>

namespace stepwell::ui {

class TextSides : public QStackedWidget {
    Q_OBJECT

public:
    // now: the pane's own widget; it becomes a page. name: of the pane, for the views.
    TextSides(const PanelContext &context, sw::StageKind stage, QWidget *now, const QString &name, QWidget *parent);

    void setChoice(SideChoice &choice);
    [[nodiscard]] Shown shown() const { return m_choice ? m_choice->shown() : Shown::Now; }
    // The view of the baseline's text or of the difference; null: the pane's own widget is shown.
    [[nodiscard]] TextView *view() const;
    [[nodiscard]] DifferenceView *difference() const { return m_difference; } // null: it was never shown
    // What the pane's note says; empty: what it says of its own text.
    [[nodiscard]] QString note() const;
    bool step(int direction);

signals:
    void changed(); // the page, or what it shows

protected:
    void showEvent(QShowEvent *event) override;

private:
    void showSide();
    void showBefore();
    void showDifference();

    PanelContext m_context;
    sw::StageKind m_stage;
    QString m_name;
    SideChoice *m_choice = nullptr;
    TextView *m_before = nullptr;
    DifferenceView *m_difference = nullptr;
};

} // namespace stepwell::ui
