#pragma once
// A frame around one panel, or around several with one shown at a time: title or tabs at the left, the shown panel's tools at the
// right.

#include <QFrame>

#include <vector>

class QLabel;
class QStackedWidget;
class QTabBar;

namespace stepwell::ui {

class Panel;

class PaneFrame : public QFrame {
    Q_OBJECT

public:
    PaneFrame(const QString &id, const std::vector<ui::Panel *> &panels, QWidget *parent = nullptr);

    void setCurrent(ui::Panel *panel);
    [[nodiscard]] ui::Panel *current() const;
    [[nodiscard]] const QString &paneId() const { return m_id; }
    // The tab that many places further on, wrapping around at the ends.
    [[nodiscard]] ui::Panel *beside(const ui::Panel *panel, int places) const;
    [[nodiscard]] bool holds(const ui::Panel *panel) const;

signals:
    void currentChanged();

private:
    void show(int index);
    void markFocus(const QWidget *focus);

    QString m_id;
    std::vector<ui::Panel *> m_panels;
    QLabel *m_title = nullptr; // if there is a single panel
    QTabBar *m_tabs = nullptr; // if there are several
    QStackedWidget *m_tools;
    QStackedWidget *m_contents;
};

} // namespace stepwell::ui
