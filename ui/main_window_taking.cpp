// What panes show, taken away as pictures and as tables and texts of other programs.

#include "ui/main_window.h"

#include "ui/main_window_action_info.h"
#include "ui/panels/panel.h"
#include "ui/session/program_title.h"
#include "ui/sharing/picture_file.h"
#include "ui/sharing/taking.h"
#include "ui/timeline_bar.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QStatusBar>

namespace stepwell::ui {

namespace {

QString nothingPainted()
{
    return MainWindow::tr("This pane paints nothing that a picture could show. Its texts and tables can be copied.");
}

} // namespace

void MainWindow::makeTaking()
{
    m_taking = new Taking(this);
    m_taking->watch(*panelNamed(QStringLiteral("graph")));
    for (Panel *panel : m_panels)
        if (panel->objectName() != QLatin1String("graph"))
            m_taking->watch(*panel);
    m_taking->watch(*m_timeline);
    connect(m_taking, &Taking::told, this, [this](const QString &text) { statusBar()->showMessage(text); });
    connect(m_taking, &Taking::saveWanted, this, [this](const Taking::Place &place) { chooseView(place); });
    addAction({"file.saveView",
               tr("Save vie&w as..."),
               QKeySequence(tr("Ctrl+Shift+E")),
               [this] { chooseView(m_taking->focus()); },
               {},
               tr("Save the picture of the pane with the focus as SVG, PDF or PNG")});
    for (const sw::TextFormat format : sw::kTextFormats) {
        const QString name = titleOf(format);
        addAction({QStringLiteral("edit.copyAs.") + name.toLower(),
                   name,
                   {},
                   [this, format] { m_taking->copy(m_taking->focus(), CopyExtent::Selection, format); },
                   {},
                   tr("Copy what is selected in the pane with the focus, or all, as %1").arg(name)});
        addAction({QStringLiteral("edit.copyAllAs.") + name.toLower(),
                   name,
                   {},
                   [this, format] { m_taking->copy(m_taking->focus(), CopyExtent::All, format); },
                   {},
                   tr("Copy the whole table or text of the pane with the focus as %1").arg(name)});
    }
}

void MainWindow::makeCopyMenus(QMenu *edit)
{
    QMenu *some = edit->addMenu(tr("Cop&y as"));
    some->setObjectName(QStringLiteral("copyAsMenu"));
    QMenu *all = edit->addMenu(tr("Copy a&ll as"));
    all->setObjectName(QStringLiteral("copyAllAsMenu"));
    for (const sw::TextFormat format : sw::kTextFormats) {
        some->addAction(action(QStringLiteral("edit.copyAs.") + titleOf(format).toLower()));
        all->addAction(action(QStringLiteral("edit.copyAllAs.") + titleOf(format).toLower()));
    }
}

// "attention graph": the program and the pane.
QString MainWindow::titleOfView(const Taking::Place &place) const
{
    const auto *panel = qobject_cast<const Panel *>(place.root.data());
    const QString file = m_path.isEmpty() ? m_session.source().fileName : m_path;
    return QStringLiteral("%1 %2").arg(QFileInfo(titleOf(file)).completeBaseName(),
                                       panel ? panel->title().toLower() : tr("timeline"));
}

void MainWindow::chooseView(const Taking::Place &place)
{
    if (!Taking::viewAt(place)) {
        statusBar()->showMessage(nothingPainted());
        return;
    }
    const QString folder = m_path.isEmpty() ? QString() : QFileInfo(m_path).absolutePath() + u'/';
    QString filter;
    QString path = QFileDialog::getSaveFileName(this, tr("Save the view"), folder + titleOfView(place) + QStringLiteral(".svg"),
                                                pictureFilters(), &filter);
    if (path.isEmpty())
        return;
    if (QFileInfo(path).suffix().isEmpty())
        path += u'.' + filter.section(u' ', 0, 0).toLower();
    saveViewAt(place, path);
}

void MainWindow::saveView(const QString &path)
{
    saveViewAt(m_taking->focus(), path);
}

void MainWindow::saveViewAt(const Taking::Place &place, const QString &path)
{
    PaintedView *view = Taking::viewAt(place); // the pane may have changed while the dialog was open
    const QString problem = view ? savePicture(*view, path, titleOfView(place)) : nothingPainted();
    if (!problem.isEmpty())
        return reportFileError(path, problem);
    statusBar()->showMessage(tr("%1 is written").arg(path));
}

} // namespace stepwell::ui
