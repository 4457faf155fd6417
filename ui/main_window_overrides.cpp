// The overrides of the program, which lie in a file beside it.

#include "ui/main_window.h"

#include "ui/notice_bar.h"
#include "ui/session/counted.h"

#include <QFileInfo>

namespace stepwell::ui {

// Before the program is compiled for the first time.
void MainWindow::openOverrides()
{
    m_whatIf.open(m_path);
    m_overridesNotice->hide();
    const QString name = QFileInfo(WhatIf::fileOf(m_path)).fileName();
    if (!m_whatIf.problems().empty()) {
        const sw::Message &first = m_whatIf.problems().front();
        m_overridesNotice->showNotice(
            tr("%1 is not used. Line %2: %3").arg(name).arg(first.line).arg(QString::fromStdString(first.text)),
            {{tr("Close"), {}}});
    } else if (!m_whatIf.lines().empty()) {
        m_overridesNotice->showNotice(
            counted(static_cast<qint64>(m_whatIf.lines().size()), tr("%1 override of %2 is in use."),
                    tr("%1 overrides of %2 are in use."))
                .arg(name),
            {{tr("&Show"), [this] { emit m_requests.panelWanted(QStringLiteral("whatIf")); }}, {tr("Close"), {}}});
    }
}

// Only a program that is in a file, or in a session, has a place for them.
bool MainWindow::hasUnsavedOverrides() const
{
    return (!m_path.isEmpty() || !m_sessionPath.isEmpty()) && m_whatIf.isModified();
}

bool MainWindow::saveOverrides()
{
    if (const QString reason = m_whatIf.save(m_path); !reason.isEmpty()) {
        reportFileError(WhatIf::fileOf(m_path), reason);
        return false;
    }
    updateTitle();
    return true;
}

} // namespace stepwell::ui
