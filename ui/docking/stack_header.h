#pragma once
// The line above a stack: tabs, the tools of the panel that is shown, and the menu button. When it is narrow, the note among the
// tools is cut first, then the tabs scroll; buttons are never cut.

#include <QWidget>

namespace stepwell::ui {

class StackHeader : public QWidget {
    Q_OBJECT

public:
    explicit StackHeader(QWidget *parent = nullptr);

    void setParts(QWidget *tabs, QWidget *menuButton);
    void setTools(QWidget *tools);
    [[nodiscard]] QSize sizeHint() const override { return minimumSizeHint(); }
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    bool event(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void arrange();
    [[nodiscard]] int leastTabs() const;

    QWidget *m_tabs = nullptr;
    QWidget *m_menuButton = nullptr;
    QWidget *m_tools = nullptr;
};

} // namespace stepwell::ui
