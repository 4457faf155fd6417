// What leaves the window for other people.

#include "ui/main_window.h"

#include "engine/api/report_page/report_page.h"
#include "engine/api/saved_file.h"
#include "ui/panels/panel.h"
#include "ui/session/program_title.h"
#include "ui/session/reproduction.h"

#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QStatusBar>

#include <numeric>

namespace stepwell::ui {

namespace {

// How writing a page ended, as the worker thread tells it.
struct WrittenPage {
    QString failure; // empty: it was written
    QStringList leftOut;
};

WrittenPage writePage(const sw::Report &report, const sw::PageRequest &request, const std::string &path)
{
    const sw::ReportPage page = sw::reportPage(report, request);
    WrittenPage written{QString::fromStdString(sw::saveFile(path, page.html, sw::Durability::Synced)), {}};
    for (const std::string &what : page.leftOut)
        written.leftOut.push_back(QString::fromStdString(what));
    return written;
}

} // namespace

void MainWindow::chooseReport()
{
    if (!m_session.snapshot())
        return;
    const QString name =
        QFileInfo(m_path.isEmpty() ? m_session.source().fileName : m_path).completeBaseName() + QStringLiteral(".html");
    const QString folder = m_path.isEmpty() ? QString() : QFileInfo(m_path).absolutePath() + u'/';
    QString path =
        QFileDialog::getSaveFileName(this, tr("Save a report"), folder + name, tr("Web pages (*.html);;All files (*)"));
    if (path.isEmpty())
        return;
    if (QFileInfo(path).suffix().isEmpty())
        path += QStringLiteral(".html");
    saveReport(path);
}

QString MainWindow::fileShown() const
{
    if (!m_path.isEmpty() && !isProgramModified())
        return m_path;
    return m_sessionPath.isEmpty() || isWindowModified() ? QString() : m_sessionPath;
}

void MainWindow::copyCommand()
{
    const SnapshotPtr &shown = m_moment.snapshot();
    if (!shown || !shown->good)
        return;
    Seen seen;
    seen.file = fileShown();
    if (seen.file.isEmpty()) {
        statusBar()->showMessage(tr("Save the program or the session first: the command reads it from its file."));
        return;
    }
    if (seen.file == m_path && !m_whatIf.lines().empty())
        seen.overrides = WhatIf::fileOf(m_path);
    seen.request = m_session.request();
    const Panel *panel = focusedPanel();
    seen.stage = (panel ? panel->stage() : std::nullopt).value_or(sw::StageKind::Graph);
    const sw::DocumentItem *item = m_selection.selectedItem();
    const bool hasKernels = seen.stage >= sw::StageKind::Schedule;
    if (hasKernels && item && item->kernel < shown->good->kernels.size())
        seen.kernel = QString::fromStdString(shown->good->kernels[item->kernel].name);
    const sw::PassEntry *pass = m_moment.pass();
    const bool isOfMoment = pass && pass->output == seen.stage;
    if (isOfMoment)
        seen.pass = QString::fromStdString(pass->id);
    QGuiApplication::clipboard()->setText(commandFor(seen));
    const bool isWithin = isOfMoment && m_moment.done() < pass->rewrites;
    statusBar()->showMessage(
        isWithin ? tr("Copied. The command shows the pass as a whole, with all of its %1 rewrites.").arg(pass->rewrites)
                 : tr("Copied: %1").arg(QGuiApplication::clipboard()->text()));
}

void MainWindow::saveReport(const QString &path)
{
    const SnapshotPtr snapshot = m_session.snapshot();
    if (!snapshot)
        return;
    const sw::ReportPtr report = snapshot->report;
    sw::PageRequest request;
    request.title = titleOf(m_path.isEmpty() ? m_session.source().fileName : m_path).toStdString();
    request.summary = tr("device %1").arg(QString::fromStdString(report->device)).toStdString();
    statusBar()->showMessage(tr("Writing %1").arg(path));
    m_session.ask(
        RequestTag::File, this,
        [report, request, path](EngineService &engine, const std::stop_token &stop) {
            std::vector<std::uint32_t> kernels(report->kernels.size());
            std::iota(kernels.begin(), kernels.end(), 0U);
            // Null when nothing was compiled: the page then shows the stages that there are.
            const sw::ReportPtr whole = report->machine ? engine.readMachineCode(kernels, stop) : nullptr;
            // The engine may have compiled another text in the meantime.
            const bool isSame = whole && whole->lowered == report->lowered;
            return writePage(isSame ? *whole : *report, request, path.toStdString());
        },
        [this, path](const WrittenPage &written) {
            if (!written.failure.isEmpty())
                return reportFileError(path, written.failure);
            statusBar()->showMessage(written.leftOut.isEmpty()
                                         ? tr("%1 is written").arg(path)
                                         : tr("%1 is written without %2").arg(path, written.leftOut.join(u';')));
            emit reportSaved(path);
        });
}

} // namespace stepwell::ui
