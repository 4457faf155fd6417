// The menus of the panel that steps through kernels.

#include "ui/panels/step_panel.h"

#include "ui/sharing/take_menu.h"

#include <QAction>
#include <QInputDialog>
#include <QMenu>
#include <QTabBar>
#include <QTableView>

#include <algorithm>

namespace stepwell::ui {

void StepPanel::showBreakpointMenu(int row)
{
    const auto line = static_cast<std::uint32_t>(row + 1);
    const auto &all = m_debugger.breakpoints();
    const auto found = std::ranges::find(all, line, &Breakpoint::line);
    QMenu menu(this);
    connect(menu.addAction(found == all.end() ? tr("Set a breakpoint") : tr("Remove the breakpoint")), &QAction::triggered, this,
            [=, this] { m_debugger.toggleBreakpoint(line); });
    connect(menu.addAction(tr("Stop only if\u2026")), &QAction::triggered, this, [=, this] { editCheck(line); });
    if (found != all.end())
        connect(menu.addAction(found->isEnabled ? tr("Switch it off") : tr("Switch it on")), &QAction::triggered, this,
                [this, changed = Breakpoint{line, found->check, !found->isEnabled}] { m_debugger.setBreakpoint(changed); });
    menu.exec(QCursor::pos());
}

void StepPanel::editCheck(std::uint32_t line)
{
    const auto &all = m_debugger.breakpoints();
    const auto found = std::ranges::find(all, line, &Breakpoint::line);
    bool isGiven = false;
    const QString check = QInputDialog::getText(this, tr("Breakpoint in line %1").arg(line),
                                                tr("Stop only if a value compares so, for example: %12 > 0.5"), QLineEdit::Normal,
                                                found == all.end() ? QString() : QString::fromStdString(found->check), &isGiven);
    if (isGiven)
        m_debugger.setBreakpoint({line, check.trimmed().toStdString()});
}

void StepPanel::showValueMenu(const QPoint &at)
{
    const QModelIndex index = m_registerTable->indexAt(at);
    if (!index.isValid())
        return;
    m_registerTable->setCurrentIndex(index);
    QMenu menu(this);
    for (const char *id : {"trace.write", "trace.writeBack"})
        menu.addAction(findChild<QAction *>(QLatin1String(id)));
    connect(menu.addAction(tr("History")), &QAction::triggered, this, [this] { showHistoryTab(); });
    addTakeActions(menu, *m_registerTable);
    menu.exec(m_registerTable->viewport()->mapToGlobal(at));
}

} // namespace stepwell::ui
