#include "ui/docking/floating_window.h"

#include "ui/docking/dock_stack.h"
#include "ui/panels/panel.h"

#include <QCloseEvent>
#include <QVBoxLayout>

namespace stepwell::ui {

// A tool window of its parent: it stays above it, and the keys of the main window work in it.
FloatingWindow::FloatingWindow(QWidget *parent)
    : QWidget(parent,
              Qt::Tool | Qt::WindowTitleHint | Qt::WindowSystemMenuHint | Qt::WindowMinMaxButtonsHint | Qt::WindowCloseButtonHint)
{
    setObjectName(QStringLiteral("floatingWindow"));
    setAttribute(Qt::WA_StyledBackground);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(3, 3, 3, 3);
}

void FloatingWindow::setStack(DockStack *stack)
{
    if (m_stack && m_stack != stack && m_stack->parentWidget() == this)
        m_stack->hide(); // or the window grows until both have room
    m_stack = stack;
    if (layout()->indexOf(stack) < 0)
        layout()->addWidget(stack);
    stack->show();
    connect(stack, &DockStack::currentChanged, this, &FloatingWindow::showTitle, Qt::UniqueConnection);
    for (const Panel *panel : stack->panels())
        connect(panel, &Panel::titleChanged, this, &FloatingWindow::showTitle, Qt::UniqueConnection);
    showTitle();
}

void FloatingWindow::showTitle()
{
    setWindowTitle(m_stack->current()->title());
}

void FloatingWindow::closeEvent(QCloseEvent *event)
{
    event->ignore(); // the area ends the window once its panels have left it
    emit closed();
}

} // namespace stepwell::ui
