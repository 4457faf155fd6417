#pragma once
// A frame around one panel, or around several of which one is shown: its tabs at the left, the tools of the shown panel and a
// menu at the right.

#include <QFrame>

#include <vector>

class QStackedWidget;
class QToolButton;

namespace stepwell::ui {

class Appearance;
class DockTabs;
class Panel;
class StackHeader;

class DockStack : public QFrame {
    Q_OBJECT

public:
    // It borrows the panels and their tools: they move to another stack, or to the shelf of the area, before it ends.
    DockStack(const Appearance &appearance, const std::vector<ui::Panel *> &panels, QWidget *parent = nullptr);

    void setCurrent(ui::Panel *panel);
    [[nodiscard]] ui::Panel *current() const;
    [[nodiscard]] const std::vector<ui::Panel *> &panels() const { return m_panels; }
    // The tab that many places further on, wrapping around at the ends.
    [[nodiscard]] ui::Panel *beside(const ui::Panel *panel, int places) const;
    [[nodiscard]] bool holds(const ui::Panel *panel) const;
    [[nodiscard]] DockTabs &tabs() const { return *m_tabs; }
    [[nodiscard]] QToolButton &menuButton() const { return *m_menuButton; }
    [[nodiscard]] int headerHeight() const;
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    void currentChanged(ui::Panel *panel);
    void closeWanted(ui::Panel *panel);
    void doubleClicked(ui::Panel *panel);
    void menuWanted(ui::Panel *panel, const QPoint &screenPosition);
    void dragMoved(ui::Panel *panel, const QPoint &screenPosition);
    void dropped(ui::Panel *panel, const QPoint &screenPosition);

private:
    void makeTabs();
    void showTab(int index);
    void markFocus(const QWidget *focus);
    [[nodiscard]] ui::Panel *at(int index) const { return m_panels[static_cast<std::size_t>(index)]; }

    const Appearance &m_appearance;
    std::vector<ui::Panel *> m_panels;
    StackHeader *m_header;
    DockTabs *m_tabs;
    QToolButton *m_menuButton;
    QStackedWidget *m_contents;
};

} // namespace stepwell::ui
