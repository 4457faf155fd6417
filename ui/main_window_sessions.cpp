// Saves and opens session files.

#include "ui/main_window.h"

#include "engine/api/session_file/session_file.h"
#include "ui/docking/dock_area.h"
#include "ui/docking/layout_text.h"
#include "ui/main_window_action_info.h"
#include "ui/notice_bar.h"
#include "ui/panels/editor_panel.h"
#include "ui/session/program_title.h"

#include <QAction>
#include <QComboBox>
#include <QDateTime>
#include <QEventLoop>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QLocale>
#include <QStatusBar>

#include <functional>
#include <numeric>

namespace stepwell::ui {

namespace {

QString timeOf(const std::string &savedAt)
{
    const QDateTime time = QDateTime::fromString(QString::fromStdString(savedAt), Qt::ISODate);
    return time.isValid() ? QLocale().toString(time.toLocalTime(), QLocale::ShortFormat) : MainWindow::tr("an unknown time");
}

// What only the engine has: machine code that nobody looked at, and the rewrites.
void addFromEngine(sw::SessionContents &contents, EngineService &engine, const std::stop_token &stop)
{
    std::vector<std::uint32_t> kernels(contents.report.kernels.size());
    std::iota(kernels.begin(), kernels.end(), 0U);
    if (!contents.report.machine)
        return;
    const sw::ReportPtr whole = engine.readMachineCode(kernels, stop);
    if (!whole || whole->lowered != contents.report.lowered)
        return; // it has compiled another text in the meantime
    contents.report.machine = whole->machine;
    for (std::uint32_t pass = 0; pass < contents.report.passes.size(); ++pass)
        if (contents.report.passes[pass].rewrites > 0)
            contents.rewrites.push_back({pass, engine.rewrites(pass, 0, sw::kMostKeptRewrites, stop)});
}

std::string written(sw::SessionContents &contents, const std::string &path)
{
    if (std::string failure = completeProgram(contents, sw::kMostProgramBytes); !failure.empty())
        return failure;
    const sw::Result<sw::Done> saved = sw::saveSession(contents, path, sw::Durability::Synced);
    return saved ? std::string() : sw::toText(saved.error());
}

struct ReadSession {
    std::optional<sw::SessionContents> contents;
    QString failure;
};

ReadSession readSession(const QString &path)
{
    sw::Result<sw::SessionContents> read = sw::openSession(QFile::encodeName(path).toStdString());
    if (!read)
        return {std::nullopt, QString::fromStdString(sw::toText(read.error())).trimmed()};
    return {*std::move(read), {}};
}

// Large ones take a second, so another thread reads them; `done` is called on the receiver's, unless another one is read by then.
void readInBackground(RequestQueue &reader, QObject *receiver, const QString &path, std::function<void(ReadSession &)> done)
{
    reader.post(RequestTag::File, [receiver, path, done = std::move(done)](const std::stop_token &stop) {
        const auto read = std::make_shared<ReadSession>(readSession(path));
        QMetaObject::invokeMethod(receiver, [read, done, stop] {
            if (!stop.stop_requested())
                done(*read);
        });
    });
}

QString firstProblem(const sw::Report &report)
{
    for (const sw::Message &message : report.messages)
        if (message.severity == sw::MessageSeverity::Error)
            return QString::fromStdString(message.text);
    return MainWindow::tr("that was stopped");
}

} // namespace

SessionState MainWindow::state()
{
    return {m_session, m_selection, m_moment, m_whatIf, m_inputs, m_watched, m_baseline, m_notes};
}

void MainWindow::makeSessionActions()
{
    const QList<ActionInfo> actions{
        {"file.openSession",
         tr("Open sess&ion..."),
         {},
         [this] { chooseSession(); },
         {},
         tr("Open a program with all that was made of it, as it was saved")},
        {"file.saveSession",
         tr("Sa&ve session"),
         QKeySequence(tr("Ctrl+Alt+S")),
         [this] { m_sessionPath.isEmpty() ? saveSessionAs() : saveSessionTo(m_sessionPath); },
         {},
         tr("Keep the program, all stages, times, notes and what the window shows in one file")},
        {"file.saveSessionAs", tr("Save session as..."), {}, [this] { saveSessionAs(); }, {}, {}},
        {"edit.copyCommand",
         tr("Copy the &command that shows this"),
         QKeySequence(tr("Ctrl+Shift+C")),
         [this] { copyCommand(); },
         {},
         tr("The command line of stepwellc for the stage in the pane with the focus, its kernel and its moment")},
        {"edit.note", tr("P&in a note..."), QKeySequence(tr("Ctrl+Shift+N")),
         [this] { emit m_requests.panelWanted(QStringLiteral("notes")); }, "pin",
         tr("Write down what is to be remembered of what is selected")},
        {"step.bookmark",
         tr("&Bookmark this moment"),
         QKeySequence(tr("Ctrl+B")),
         [this] {
             if (!m_notes.addBookmark())
                 statusBar()->showMessage(tr("The end needs no bookmark. Go to a moment first."));
         },
         "bookmark",
         {}},
    };
    for (const ActionInfo &info : actions)
        addAction(info);
    connect(&m_session, &Session::compileFinished, this, &MainWindow::onSessionCompiled);
    connect(&m_session, &Session::deviceChanged, this, [this] {
        const QSignalBlocker blocker(m_devices);
        m_devices->setCurrentIndex(m_devices->findData(m_session.device()));
        tellDevice();
    });
    connect(&m_notes, &Notes::changed, this, &MainWindow::updateTitle);
}

void MainWindow::chooseSession()
{
    if (!mayDiscard())
        return;
    const QString known = m_sessionPath.isEmpty() ? m_path : m_sessionPath;
    const QString path = QFileDialog::getOpenFileName(this, tr("Open a session"),
                                                      known.isEmpty() ? QDir::homePath() : QFileInfo(known).absolutePath(),
                                                      tr("Sessions (*.stepwell);;All files (*)"));
    if (!path.isEmpty())
        openFile(path);
}

void MainWindow::openSession(const QString &path)
{
    statusBar()->showMessage(tr("Reading %1").arg(path));
    if (!m_sessionReader)
        m_sessionReader = std::make_unique<RequestQueue>();
    readInBackground(*m_sessionReader, this, path, [this, path](ReadSession &read) {
        statusBar()->clearMessage();
        if (!read.contents) {
            reportFileError(path, read.failure);
            return;
        }
        leaveProgram();
        m_sessionPath = path;
        showSession(*std::move(read.contents), QFileInfo(path).absolutePath());
        m_settings.addRecentFile(path);
        fillRecentFiles();
    });
}

// The program of the session, as it was compiled and run then.
void MainWindow::compareWithSession(const QString &path)
{
    statusBar()->showMessage(tr("Reading %1").arg(path));
    if (!m_sessionReader)
        m_sessionReader = std::make_unique<RequestQueue>();
    readInBackground(*m_sessionReader, this, path, [this, path](ReadSession &read) {
        statusBar()->clearMessage();
        if (!read.contents) {
            reportFileError(path, read.failure);
            return;
        }
        const QFileInfo file(path);
        const sw::ExploreRequest request = requestOf(*read.contents, file.absolutePath());
        const auto report = std::make_shared<const sw::Report>(std::move(read.contents->report));
        m_baseline.choose(m_baseline.restore(file.fileName(), request, report));
    });
}

// folder: where the program finds the files that it loads.
void MainWindow::showSession(sw::SessionContents contents, const QString &folder)
{
    const ProgramSource source = sourceOf(contents, folder);
    m_editor->editor().setReadOnly(source.isFile);
    {
        const QSignalBlocker blocker(m_editor->editor());
        m_editor->editor().setProgram(source.text);
    }
    m_whatIf.openText(contents.overrides);
    m_overridesNotice->hide();
    if (!m_whatIf.problems().empty())
        m_overridesNotice->showNotice(tr("The overrides of the session are not used. Line %1: %2")
                                          .arg(m_whatIf.problems().front().line)
                                          .arg(QString::fromStdString(m_whatIf.problems().front().text)),
                                      {{tr("Close"), {}}});
    m_session.openKept(source, contents);
    restoreLists(state(), contents);
    showKeptLayout(contents);
    m_isSelectionWanted = true;
    m_isViewWanted = true;
    m_opened = std::make_shared<const OpenedSession>(OpenedSession{std::move(contents), m_session.request()});
    updateTitle();
}

// A layout that cannot be read leaves the window as it is.
void MainWindow::showKeptLayout(const sw::SessionContents &contents)
{
    const ParsedLayout parsed = contents.layout.empty() ? ParsedLayout() : layoutOf(QString::fromStdString(contents.layout));
    if (!parsed.layout)
        return;
    m_perspective = QString::fromStdString(contents.view.perspective);
    m_area->arrange(*parsed.layout);
}

void MainWindow::onSessionCompiled()
{
    if (!m_opened || !std::exchange(m_isViewWanted, false) || !m_session.snapshot())
        return;
    const sw::SessionContents &contents = m_opened->contents;
    std::uint64_t kept = 0;
    if (!m_session.isKept()) {
        const QString name = tr("as kept %1").arg(timeOf(contents.savedAt));
        kept = m_baseline.restore(name, m_opened->request, std::make_shared<const sw::Report>(contents.report));
        restoreView(state(), contents.view);
    }
    m_isSelectionWanted = m_isSelectionWanted && m_moment.place(); // it is on its way there
    tellSession(kept);
    updateStatus();
    emit sessionOpened();
}

// kept: the baseline that shows what was kept, or 0.
void MainWindow::tellSession(std::uint64_t kept)
{
    const sw::SessionContents &contents = m_opened->contents;
    const QString origin =
        tr("kept %1 for device %2 on %3")
            .arg(timeOf(contents.savedAt), QString::fromStdString(contents.device),
                 contents.machine.empty() ? tr("an unknown machine") : QString::fromStdString(contents.machine));
    const QString title = titleOf(m_session.source().fileName);
    if (m_session.isKept()) {
        m_sessionNotice->showNotice(
            tr("%1 was %2. It cannot be compiled here: %3. All stages, code and times are as they were kept; runs, values, "
               "moments and steps need the device.")
                .arg(title, origin, firstProblem(*m_session.snapshot()->report)),
            {{tr("Show &messages"), [this] { emit m_requests.panelWanted(QStringLiteral("messages")); }}, {tr("Close"), {}}});
        return;
    }
    m_sessionNotice->showNotice(
        tr("%1 was %2, and is compiled here again.").arg(title, origin),
        {{tr("Co&mpare with what was kept"), [this, kept] { m_baseline.choose(kept); }}, {tr("Close"), {}}});
}

void MainWindow::saveSessionAs()
{
    const QString known = m_path.isEmpty() ? m_session.source().fileName : m_path;
    const QFileInfo program(known);
    const QString proposed = m_sessionPath.isEmpty() ? (program.isAbsolute() ? program.absolutePath() + u'/' : QString()) +
                                                           program.completeBaseName() + QStringLiteral(".stepwell")
                                                     : m_sessionPath;
    QString path = QFileDialog::getSaveFileName(this, tr("Save the session"), proposed, tr("Sessions (*.stepwell)"));
    if (path.isEmpty())
        return;
    if (!sw::isSessionFile(path.toStdString()))
        path += QStringLiteral(".stepwell");
    saveSessionTo(path);
}

void MainWindow::saveSessionTo(const QString &path)
{
    if (!m_session.snapshot())
        return;
    auto contents = std::make_shared<sw::SessionContents>(contentsOf(state(), m_opened.get(), m_path));
    contents->layout = textOf(m_area->arrangement()).toStdString();
    contents->view.perspective = m_perspective.toStdString();
    const bool isMade = !isAsOpened(m_session, m_opened.get());
    statusBar()->showMessage(tr("Writing %1").arg(path));
    m_isSavingSession = true;
    m_session.ask(
        RequestTag::File, this,
        [contents, isMade, path](EngineService &engine, const std::stop_token &stop) {
            if (isMade)
                addFromEngine(*contents, engine, stop);
            return written(*contents, QFile::encodeName(path).toStdString());
        },
        [this, path, text = m_session.source().text](const std::string &failure) {
            onSessionSaved(path, text, QString::fromStdString(failure).trimmed());
        });
}

void MainWindow::onSessionSaved(const QString &path, const QString &text, const QString &failure)
{
    m_isSavingSession = false;
    if (!failure.isEmpty()) {
        statusBar()->clearMessage();
        reportFileError(path, failure);
        return;
    }
    m_sessionPath = path;
    m_notes.setSaved();
    if (isSessionOnly() && m_session.source().text == text) {
        m_editor->editor().document()->setModified(false);
        m_whatIf.setSaved();
        keepDraft();
    }
    m_settings.addRecentFile(path);
    fillRecentFiles();
    updateTitle();
    statusBar()->showMessage(tr("%1 is written").arg(path));
    emit sessionSaved(path);
}

bool MainWindow::saveAll()
{
    if (isProgramModified() && !isSessionOnly() && !save())
        return false;
    if (isSessionOnly() || m_notes.isModified())
        m_sessionPath.isEmpty() ? saveSessionAs() : saveSessionTo(m_sessionPath);
    if (m_isSavingSession) {
        QEventLoop waiting;
        connect(this, &MainWindow::sessionSaved, &waiting, &QEventLoop::quit);
        connect(this, &MainWindow::fileFailed, &waiting, &QEventLoop::quit);
        waiting.exec(QEventLoop::ExcludeUserInputEvents);
    }
    return !m_notes.isModified() && !(isSessionOnly() && isProgramModified());
}

} // namespace stepwell::ui
