// A kernel that leaves the window as a folder that other tools build and run.

#include "ui/main_window.h"

#include "engine/api/instruments.h"
#include "ui/session/reproduction.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QStatusBar>

namespace stepwell::ui {

namespace {

// For running what comes before the kernel, where the user sets no limit of a run: nothing else would end an edited kernel.
constexpr std::chrono::seconds kLongestRun{60};

// The command that writes the same folder from these files. overrides: may be empty.
QString commandFor(const QString &file, const QString &overrides, const sw::ReproducedFolder &wanted,
                   const sw::ExploreRequest &request, const sw::RunInputs &inputs)
{
    QStringList words{QStringLiteral("stepwellc"),
                      QStringLiteral("reproduce"),
                      file,
                      QStringLiteral("--kernel"),
                      QString::fromStdString(wanted.kernel),
                      QStringLiteral("-o"),
                      QString::fromStdString(wanted.folder),
                      QStringLiteral("--device"),
                      QString::fromStdString(request.device)};
    if (!overrides.isEmpty())
        words << QStringLiteral("--overrides") << overrides;
    words << wordsOf(request);
    for (const auto *dimensions : {&request.dimensions, &inputs.dimensions})
        for (const auto &[name, value] : *dimensions)
            words << QStringLiteral("--dim") << QStringLiteral("%1=%2").arg(QString::fromStdString(name)).arg(value);
    for (const auto &[name, range] : request.openDimensions)
        words << QStringLiteral("--dim") << QString::fromStdString(name + "=" + toText(range));
    for (QString &word : words)
        word = quotedForShell(word);
    return words.join(u' ');
}

} // namespace

// The first one where none is selected.
std::uint32_t MainWindow::selectedKernel() const
{
    const SnapshotPtr &end = m_session.snapshot();
    const sw::DocumentItem *item = m_moment.isAtEnd() ? m_selection.selectedItem() : nullptr;
    const bool hasKernel = item && end && item->kernel < end->report->kernels.size();
    return hasKernel ? item->kernel : 0;
}

void MainWindow::chooseReproducer()
{
    chooseReproducerOf(selectedKernel());
}

void MainWindow::chooseReproducerOf(std::uint32_t kernel)
{
    const SnapshotPtr &end = m_session.snapshot();
    if (!end || kernel >= end->report->kernels.size()) {
        statusBar()->showMessage(tr("There is no kernel yet: the program has to be compiled first."));
        return;
    }
    const QString name = QString::fromStdString(end->report->kernels[kernel].name);
    const QString folder = m_path.isEmpty() ? QString() : QFileInfo(m_path).absolutePath() + u'/';
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Save the kernel %1 in a new folder").arg(name), folder + name, tr("Folders (*)"));
    if (!path.isEmpty())
        saveReproducer(kernel, path);
}

void MainWindow::saveReproducer(std::uint32_t kernel, const QString &folder)
{
    const SnapshotPtr &end = m_session.snapshot();
    if (!end || kernel >= end->report->kernels.size())
        return;
    const QString name = QString::fromStdString(end->report->kernels[kernel].name);
    sw::ReproducedFolder wanted{.kernel = name.toStdString(), .folder = folder.toStdString()};
    const int limit = m_settings.runLimitSeconds();
    wanted.limit = limit > 0 ? std::chrono::seconds(limit) : kLongestRun;
    const sw::RunInputs inputs = m_session.runInputs();
    // What is in no file, or was typed as an input here, no command has.
    if (const QString file = fileShown(); !file.isEmpty() && inputs.inputs.empty() && inputs.seed == sw::RunInputs().seed) {
        const QString overrides = file == m_path && !m_whatIf.lines().empty() ? WhatIf::fileOf(m_path) : QString();
        wanted.command = commandFor(file, overrides, wanted, m_session.request(), inputs).toStdString();
    }
    statusBar()->showMessage(tr("Writing the kernel %1 to %2").arg(name, folder));
    m_session.ask(
        RequestTag::File, this,
        [wanted, program = m_session.request(), inputs](EngineService &engine, const std::stop_token &stop) {
            if (engine.instruments() == nullptr)
                return std::string("this engine cannot reproduce a kernel");
            return engine.instruments()->reproduce(program, inputs, wanted, stop);
        },
        [this, name, folder](const std::string &failure) {
            if (!failure.empty())
                return reportFileError(folder, QString::fromStdString(failure));
            statusBar()->showMessage(tr("The kernel %1 is in %2; build.sh builds it").arg(name, folder));
            emit reproducerSaved(folder);
        });
}

} // namespace stepwell::ui
