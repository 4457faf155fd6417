#pragma once
// A frame around one panel, or around several of which one is shown: title or tabs at the left, the shown panel's tools at the
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
    // The tab so many places further; after the last comes the first.
    [[nodiscard]] ui::Panel *beside(const ui::Panel *panel, int places) const;
    [[nodiscard]] bool holds(const ui::Panel *panel) const;

signals:
    void currentChanged();

private:
    void show(int index);
    void markFocus(const QWidget *focus);

    QString m_id;
    std::vector<ui::Panel *> m_panels;
    QLabel *m_title = nullptr; // of a single panel
    QTabBar *m_tabs = nullptr; // of several
    QStackedWidget *m_tools;
    QStackedWidget *m_contents;
};

} // namespace stepwell::ui
