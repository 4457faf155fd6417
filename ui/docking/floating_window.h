#pragma once
// A window of its own for a stack. Closing it docks the panels back.

#include <QWidget>

namespace stepwell::ui {

class DockStack;

class FloatingWindow : public QWidget {
    Q_OBJECT

public:
    explicit FloatingWindow(QWidget *parent);

    void setStack(DockStack *stack); // also the same one, when another of its panels is in front
    [[nodiscard]] DockStack *stack() const { return m_stack; }

signals:
    void closed();

protected:
    void closeEvent(QCloseEvent *event) override;

private:
    void showTitle();

    DockStack *m_stack = nullptr;
};

} // namespace stepwell::ui
