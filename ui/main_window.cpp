#include "ui/main_window.h"

#include "ui/docking/dock_area.h"
#include "ui/library_window.h"
#include "ui/panels/editor_panel.h"
#include "ui/panels/messages_panel.h"
#include "ui/reference_window.h"

#include <QLabel>
#include <QStatusBar>

#include <algorithm>
#include <utility>

namespace stepwell::ui {

namespace {

constexpr int kActivityMilliseconds = 100; // the elapsed time is shown in tenths of a second

} // namespace

MainWindow::MainWindow(EngineService &service, Appearance &appearance, Settings &settings)
    : m_service(service),
      m_appearance(appearance),
      m_settings(settings),
      m_session(service),
      m_moment(m_session, m_selection),
      m_whatIf(m_session),
      m_inputs(m_session),
      m_health(m_session, m_inputs),
      m_watched(m_session, m_inputs),
      m_debugger(m_session),
      m_walk(m_moment, m_debugger, m_requests),
      m_baseline(m_session, m_selection),
      m_notes(m_session, m_moment),
      m_targets(settings),
      m_drafts(settings.draftFolder()),
      m_autosave(settings.sessionFolder())
{
    setObjectName(QStringLiteral("mainWindow"));
    setAcceptDrops(true);
    setWindowIcon(QIcon(QStringLiteral(":/icons/stepwell.svg")));
    makePanels();
    placePanels();
    makeActions();
    makeMenus();
    makeCompareBar();
    makeToolBar();
    makeStatusBar();
    m_reference = new ReferenceWindow(this);
    m_library = new LibraryWindow(m_appearance, m_selection, this);

    connect(&m_moment, &Moment::snapshotChanged, this, &MainWindow::showSnapshot);
    connect(&m_moment, &Moment::placeChanged, this, &MainWindow::followMoment);
    connect(&m_session, &Session::activityChanged, this, &MainWindow::updateStatus);
    m_activityTimer.setInterval(kActivityMilliseconds);
    connect(&m_activityTimer, &QTimer::timeout, this, &MainWindow::updateActivity);
    connect(&m_session, &Session::deviceChanged, this, &MainWindow::updateStatus);
    connect(&m_session, &Session::outOfDateChanged, this, &MainWindow::updateStatus);
    connect(&m_session, &Session::devicesChanged, this, &MainWindow::fillDevices);
    connect(&m_session, &Session::devicesChanged, this, &MainWindow::fillCompareDevices);
    connect(&m_session, &Session::examplesChanged, this, &MainWindow::fillExamples);
    connect(&m_session, &Session::referenceChanged, m_reference, &ReferenceWindow::setEntries);
    connect(&m_selection, &Selection::hoverChanged, this, &MainWindow::updateStatus);
    connect(&m_selection, &Selection::selectionChanged, this, &MainWindow::updateStatus);
    connect(&m_editor->editor(), &QPlainTextEdit::textChanged, this,
            [this] { m_session.editProgram(m_editor->editor().toPlainText()); });
    connect(m_editor->editor().document(), &QTextDocument::modificationChanged, this, &MainWindow::updateTitle);
    connect(&m_whatIf, &WhatIf::changed, this, &MainWindow::updateTitle);
    connect(&m_requests, &Requests::placeWanted, &m_editor->editor(), &ProgramEditor::goTo);
    connect(&m_requests, &Requests::libraryPlaceWanted, this, &MainWindow::showLibrary);
    connect(&m_requests, &Requests::fileWanted, this, [this](const QString &path) {
        if (mayDiscard())
            openFile(path);
    });
    connect(&m_requests, &Requests::panelWanted, this, [this](const QString &id) {
        if (Panel *panel = panelNamed(id))
            goTo(panel);
    });
    connect(&m_requests, &Requests::stageNeeded, this, [this](sw::StageKind stage) {
        const auto panel = std::ranges::find(m_panels, std::optional(stage), &Panel::stage);
        if (panel != m_panels.end())
            showPanelOf(*panel);
    });
    connect(&m_requests, &Requests::panelNeeded, this, [this](const QString &id) {
        if (Panel *panel = panelNamed(id))
            showPanelOf(panel);
    });
    connect(&m_requests, &Requests::reproducerWanted, this, &MainWindow::chooseReproducerOf);
    connect(&m_requests, &Requests::tuningWanted, this, [this] { goTo(panelNamed(QStringLiteral("tuning"))); });
    connect(&m_appearance, &Appearance::changed, this, &MainWindow::setIcons);

    startKeeping();
    startAutosaving();
    m_session.setDevice(m_settings.device());
    m_session.setRunLimit(std::chrono::seconds(m_settings.runLimitSeconds()));
    m_session.keepMoments(static_cast<std::size_t>(m_settings.momentMebibytes()) << 20);
    restoreLayout();
    m_editor->setFocus(); // otherwise the first widget gets the keys
    updateTitle();
    updateStatus();
    m_session.requestFacts();
}

MainWindow::~MainWindow() = default;

// The selection is updated first: panels ask it what to light up in the new documents.
void MainWindow::showSnapshot(const SnapshotPtr &snapshot)
{
    if (snapshot && !snapshot->moment && m_session.source().isFile) // a moment has the program of the end
        showModelText(*snapshot);
    m_selection.setSnapshot(snapshot);
    m_baseline.setNow(snapshot, m_session.snapshot());
    for (Panel *panel : m_panels)
        panel->setSnapshots(snapshot, m_session.snapshot());
    showDimensions(snapshot);
    updateStatus();
    // What was selected at a moment is an item of its documents.
    if (m_isSelectionWanted && snapshot && (!m_opened->contents.view.moment || snapshot->moment)) {
        m_isSelectionWanted = false;
        restoreSelection(m_selection, m_opened->contents.view);
    }
}

// Brings the stage that a pass works on to the front of its pane, if the panel is open.
void MainWindow::followMoment()
{
    const sw::PassEntry *pass = m_moment.pass();
    for (Panel *panel : m_panels)
        if (pass && panel->stage() == pass->output && m_area->stackOf(panel))
            m_area->open(panel);
}

// A model has no text of its own; the engine writes out what it read.
void MainWindow::showModelText(const Snapshot &snapshot)
{
    const sw::StageDocumentPtr &program = snapshot.stage(sw::StageKind::Program).document;
    if (!program || program->lines.empty())
        return;
    QStringList lines;
    for (const sw::DocumentLine &line : program->lines)
        lines << QString::fromStdString(line.text);
    const QString text = lines.join(u'\n');
    if (text == m_editor->editor().toPlainText())
        return;
    const QSignalBlocker blocker(m_editor->editor());
    m_editor->editor().setProgram(text);
}

void MainWindow::setDevice(const QString &device)
{
    m_session.setDevice(device);
}

bool MainWindow::isSettled() const
{
    return m_session.activity() == Activity::Idle && !m_session.isReadingMachineCode() && !m_moment.isPending() &&
           m_debugger.isSettled() && !m_isViewWanted && !m_baseline.isPending() &&
           std::ranges::all_of(m_panels, &Panel::isSettled);
}

} // namespace stepwell::ui
