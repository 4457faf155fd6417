// Keeps the session aside while the window is open, and brings it back after a crash.

#include "ui/main_window.h"

#include "engine/api/session_file/session_file.h"
#include "ui/docking/dock_area.h"
#include "ui/docking/layout_text.h"
#include "ui/notice_bar.h"
#include "ui/panels/editor_panel.h"
#include "ui/session/counted.h"
#include "ui/session/program_title.h"

#include <QFile>
#include <QFileInfo>
#include <QLocale>
#include <QStatusBar>

namespace stepwell::ui {

namespace {

// Nothing changed for so long: what was done last is kept then.
constexpr int kQuietMilliseconds = 1500;

// Whether all of its lines end so.
bool hasCarriageReturns(const QString &path)
{
    QFile file(path);
    const QByteArray bytes = file.open(QIODevice::ReadOnly) ? file.read(qint64{1} << 20) : QByteArray();
    return bytes.contains('\n') && bytes.count("\r\n") == bytes.count('\n');
}

} // namespace

void MainWindow::startAutosaving()
{
    if (!m_autosave.isOn())
        return;
    m_autosaveTimer.setSingleShot(true);
    m_autosaveTimer.setInterval(kQuietMilliseconds);
    connect(&m_autosaveTimer, &QTimer::timeout, this, &MainWindow::keepSession);
    const auto restart = [this] { m_autosaveTimer.start(); };
    connect(&m_session, &Session::snapshotChanged, this, restart);
    connect(&m_selection, &Selection::selectionChanged, this, restart);
    connect(&m_moment, &Moment::placeChanged, this, restart);
    connect(&m_whatIf, &WhatIf::changed, this, restart);
    connect(&m_inputs, &InputChoices::changed, this, restart);
    connect(&m_watched, &WatchList::changed, this, restart);
    connect(&m_baseline, &Baseline::changed, this, restart);
    connect(&m_notes, &Notes::changed, this, restart);
    connect(m_area, &DockArea::changed, this, restart);
    connect(&m_editor->editor(), &QPlainTextEdit::textChanged, this, restart);
    connect(&m_autosave, &Autosave::kept, this, [this](const QString &failure) {
        if (!failure.isEmpty())
            statusBar()->showMessage(tr("The session is not kept aside: %1").arg(failure));
    });
}

void MainWindow::keepSession()
{
    if (!m_session.snapshot() || !isVisible())
        return;
    if (m_session.activity() != Activity::Idle || m_isViewWanted) {
        m_autosaveTimer.start(); // later
        return;
    }
    sw::SessionContents contents = contentsOf(state(), m_opened.get(), m_path);
    contents.layout = textOf(m_area->arrangement()).toStdString();
    contents.view.perspective = m_perspective.toStdString();
    m_autosave.keep(std::move(contents), titleOf(m_session.source().fileName));
}

void MainWindow::offerRestore()
{
    const std::vector<AbandonedSession> abandoned = m_autosave.abandoned();
    if (abandoned.empty()) {
        m_restoreNotice->hide();
        return;
    }
    const AbandonedSession newest = abandoned.front();
    const auto others = static_cast<qint64>(abandoned.size()) - 1;
    QString text = tr("Stepwell ended without being closed. The session of %1, kept at %2, can be restored.")
                       .arg(newest.title, QLocale().toString(newest.written, QLocale::ShortFormat));
    if (others > 0)
        text += u' ' + counted(others, tr("%1 older one is there, too."), tr("%1 older ones are there, too."));
    m_restoreNotice->showNotice(text, {{tr("&Restore"), [this, newest] { restoreSession(newest); }},
                                       {tr("&Discard"),
                                        [this, id = newest.id] {
                                            m_autosave.remove(id);
                                            offerRestore();
                                        }},
                                       {tr("Later"), {}}});
}

// Unsaved text of the same program, restored from its draft, is newer than the session and stays; other text is asked about.
void MainWindow::restoreSession(const AbandonedSession &abandoned)
{
    if (titleOf(m_session.source().fileName) != abandoned.title && !mayDiscard())
        return offerRestore();
    const QString path = m_autosave.take(abandoned.id);
    sw::Result<sw::SessionContents> contents = sw::openSession(QFile::encodeName(path).toStdString());
    if (!contents) {
        reportFileError(path, QString::fromStdString(sw::toText(contents.error())).trimmed());
        return;
    }
    showRestored(*std::move(contents));
}

void MainWindow::showRestored(sw::SessionContents contents)
{
    const bool isSame = QFileInfo(m_session.source().fileName).fileName().toStdString() == contents.fileName;
    const bool isNewer = isSame && m_editor->editor().document()->isModified();
    const QString newer = isNewer ? m_editor->editor().programText() : QString();
    leaveProgram();
    const QString path = QString::fromStdString(contents.originalPath);
    const bool isInFile = !path.isEmpty() && QFileInfo::exists(path);
    if (isInFile) {
        m_path = path;
        m_disk.follow(path, DiskFile::fingerprintOfFile(path));
        m_hasCarriageReturns = hasCarriageReturns(path);
    }
    showSession(std::move(contents), QFileInfo(isInFile ? path : QString()).absolutePath());
    if (isNewer)
        m_editor->editor().replaceProgram(newer);
    m_editor->editor().document()->setModified(!m_session.source().isFile && !isOnDisk());
    keepDraft();
    updateTitle();
}

bool MainWindow::isOnDisk() const
{
    QFile file(m_path);
    if (m_path.isEmpty() || !file.open(QIODevice::ReadOnly))
        return false;
    const QByteArray bytes = file.readAll();
    return QString::fromUtf8(bytes).remove(u'\r') == m_editor->editor().programText();
}

} // namespace stepwell::ui
