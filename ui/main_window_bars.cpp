// The window's menus, tool bar and status bar.

#include "ui/main_window.h"

#include "engine/api/compile_progress.h"
#include "ui/dimension_bar.h"
#include "ui/library_window.h"
#include "ui/main_window_action_info.h"
#include "ui/models/quantity.h"
#include "ui/panels/cut_text.h"
#include "ui/panels/panel.h"
#include "ui/reference_window.h"
#include "ui/session/counted.h"
#include "ui/session/program_title.h"
#include "ui/timeline_bar.h"

#include <QActionGroup>
#include <QComboBox>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <QStatusBar>
#include <QToolBar>
#include <QToolButton>

#include <set>
#include <string>

namespace stepwell::ui {

namespace {

constexpr int kLeastDeviceWidth = 120; // pixels
constexpr int kDeviceTextWidth = 320;  // pixels; the tool tip shows the full text
constexpr qint64 kShortWork = 300;     // milliseconds; what says something and takes it back sooner only flickers

// What the compilation that is going on does; empty: nobody can tell.
std::string stepText(const Session &session)
{
    const sw::WorkProgress *const progress = session.compileProgress();
    return progress ? sw::progressText(*progress) : std::string();
}

} // namespace

void MainWindow::makeMenus()
{
    const auto add = [this](QMenu *menu, std::initializer_list<const char *> ids) {
        for (const char *id : ids) {
            if (*id == '-')
                menu->addSeparator();
            else
                menu->addAction(action(QLatin1String(id)));
        }
    };
    QMenu *file = menuBar()->addMenu(tr("&File"));
    add(file, {"file.new", "file.open"});
    m_recentMenu = file->addMenu(tr("Open &recent"));
    m_recentMenu->setObjectName(QStringLiteral("recentMenu"));
    m_recentMenu->setToolTipsVisible(true);
    m_unsavedMenu = file->addMenu(tr("&Unsaved programs"));
    m_unsavedMenu->setObjectName(QStringLiteral("unsavedMenu"));
    m_unsavedMenu->setToolTipsVisible(true);
    m_examplesMenu = file->addMenu(tr("&Examples"));
    m_examplesMenu->setObjectName(QStringLiteral("examplesMenu"));
    m_examplesMenu->setToolTipsVisible(true);
    add(file, {"-", "file.save", "file.saveAs", "-", "file.openSession", "file.saveSession", "file.saveSessionAs", "-",
               "file.saveReport", "file.saveReproducer", "file.saveView", "file.reload", "-", "file.quit"});
    QMenu *edit = menuBar()->addMenu(tr("&Edit"));
    add(edit, {"edit.undo", "edit.redo", "-", "edit.find", "edit.findNext", "edit.findPrevious", "-", "edit.note", "-"});
    makeCopyMenus(edit);
    add(edit, {"edit.copyCommand"});
    QMenu *compile = menuBar()->addMenu(tr("&Compile"));
    add(compile, {"compile.now", "compile.live", "-", "compile.run", "compile.stop", "compile.tune", "compile.sizes",
                  "compile.device", "-", "compile.fuse", "compile.optimize", "compile.tensorInstructions", "compile.winograd",
                  "compile.layouts", "compile.tunings"});
    makeLimitMenu(compile);
    add(compile, {"compile.checkAccesses"});
    QMenu *go = menuBar()->addMenu(tr("&Go"));
    for (const Panel *panel : m_panels)
        go->addAction(action(QStringLiteral("go.") + panel->objectName()));
    add(go, {"-", "go.nextPane", "go.previousPane", "go.nextTab", "go.previousTab"});
    add(menuBar()->addMenu(tr("&Step")), {"step.nextChanged", "step.previousChanged", "-", "step.nextStage", "step.previousStage",
                                          "step.nextPass", "step.previousPass", "step.nextRewrite", "step.previousRewrite", "-",
                                          "step.start", "step.end", "-", "step.play", "-", "step.bookmark"});

    makeCompareMenu();
    QMenu *view = menuBar()->addMenu(tr("&View"));
    add(view, {"view.fit", "view.zoomIn", "view.zoomOut", "view.zoomReset", "-", "view.foldAll", "view.unfoldAll", "-"});
    makePaneMenus(view);
    QMenu *themeMenu = view->addMenu(tr("&Theme"));
    m_themes = new QActionGroup(this);
    for (const QString &name : Theme::names()) {
        const QString text = name == QLatin1String("dark") ? tr("&Dark") : tr("&Light");
        QAction *theme = addAction({QStringLiteral("view.theme.") + name,
                                    text,
                                    {},
                                    [this, name] {
                                        m_appearance.setTheme(name);
                                        m_settings.setTheme(name);
                                    },
                                    {},
                                    {}});
        theme->setCheckable(true);
        theme->setChecked(name == m_appearance.theme().name());
        m_themes->addAction(theme);
        themeMenu->addAction(theme);
    }
    makeMemoryMenu(view);
    add(menuBar()->addMenu(tr("&Help")), {"help.reference", "help.about"});
    fillRecentFiles();
}

// How long a run may take: a kernel written by hand may never end.
void MainWindow::makeLimitMenu(QMenu *compile)
{
    QMenu *menu = compile->addMenu(tr("&Limit of a run"));
    menu->setToolTipsVisible(true);
    auto *limits = new QActionGroup(this);
    std::set<int> seconds{0, 1, 10, 60, 600};
    seconds.insert(m_settings.runLimitSeconds());
    for (const int limit : seconds) {
        QAction *action = addAction({QStringLiteral("compile.limit.%1").arg(limit),
                                     limit == 0 ? tr("No limit") : tr("%1 s").arg(limit),
                                     {},
                                     [this, limit] {
                                         m_settings.setRunLimitSeconds(limit);
                                         m_session.setRunLimit(std::chrono::seconds(limit));
                                     },
                                     {},
                                     {}});
        action->setToolTip(tr("A run that takes longer is ended, with the process that runs its kernels."));
        action->setCheckable(true);
        action->setChecked(limit == m_settings.runLimitSeconds());
        limits->addAction(action);
        menu->addAction(action);
    }
}

// How much of the documents of moments to keep. A size of the user's own stands among the usual ones.
void MainWindow::makeMemoryMenu(QMenu *view)
{
    QMenu *menu = view->addMenu(tr("&Memory for moments"));
    menu->setToolTipsVisible(true);
    auto *sizes = new QActionGroup(this);
    std::set<int> mebibytes{16, 64, 256, 1024};
    mebibytes.insert(m_settings.momentMebibytes());
    for (const int size : mebibytes) {
        QAction *action = addAction({QStringLiteral("view.memory.%1").arg(size),
                                     tr("%1 MiB").arg(size),
                                     {},
                                     [this, size] {
                                         m_settings.setMomentMebibytes(size);
                                         m_session.keepMoments(static_cast<std::size_t>(size) << 20);
                                     },
                                     {},
                                     {}});
        action->setToolTip(tr("Keep at most so much of what earlier moments showed. Less takes less memory; more shows moments "
                              "sooner."));
        action->setCheckable(true);
        action->setChecked(size == m_settings.momentMebibytes());
        sizes->addAction(action);
        menu->addAction(action);
    }
}

void MainWindow::makeToolBar()
{
    QToolBar *bar = addToolBar(tr("Main"));
    bar->setObjectName(QStringLiteral("mainToolBar"));
    bar->setMovable(false);
    bar->setIconSize(QSize(16, 16));
    bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    bar->setContextMenuPolicy(Qt::PreventContextMenu);
    bar->addAction(action("file.open"));
    m_examplesButton = new QToolButton(bar);
    m_examplesButton->setObjectName(QStringLiteral("examplesButton"));
    m_examplesButton->setText(tr("Examples"));
    m_examplesButton->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_examplesButton->setPopupMode(QToolButton::InstantPopup);
    m_examplesButton->setMenu(m_examplesMenu);
    bar->addWidget(m_examplesButton);
    bar->addSeparator();
    bar->addAction(action("compile.run"));
    bar->addAction(action("compile.stop"));
    bar->addAction(action("compile.live"));
    m_devices = new CutComboBox(bar);
    m_devices->setObjectName(QStringLiteral("deviceBox"));
    m_devices->setAccessibleName(tr("Device"));
    m_devices->setToolTip(tr("The device to compile for and run on"));
    m_devices->setMinimumWidth(kLeastDeviceWidth);
    m_devices->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_devices->addItem(m_session.device(), m_session.device());
    connect(m_devices, &QComboBox::activated, this, [this](int index) {
        const QString device = m_devices->itemData(index).toString();
        m_settings.setDevice(device);
        m_session.setDevice(device);
        tellDevice();
    });
    m_dimensions = new DimensionBar(bar);
    m_dimensions->setObjectName(QStringLiteral("dimensionBar"));
    connect(m_dimensions, &DimensionBar::valueChanged, &m_session, &Session::setDimension);
    connect(m_dimensions, &DimensionBar::modelSizeEntered, &m_session, &Session::compileModelFor);
    connect(m_dimensions, &DimensionBar::runRequested, action("compile.run"), &QAction::trigger);
    m_dimensionsItem = bar->addWidget(m_dimensions);
    m_dimensionsItem->setVisible(false);
    bar->addSeparator();
    bar->addWidget(m_devices);
    bar->addSeparator();
    bar->addAction(action("view.fit"));
    // The Tab key reaches every button of the bar, as it does the fields.
    for (QToolButton *button : bar->findChildren<QToolButton *>())
        button->setFocusPolicy(Qt::TabFocus);
    setIcons();
}

void MainWindow::setIcons()
{
    for (const auto &[action, icon] : m_actionIcons)
        action->setIcon(m_appearance.icon(icon));
    m_examplesButton->setIcon(m_appearance.icon(QStringLiteral("examples")));
    // What the tool bar has no room for is behind this button; the style draws it dark on dark.
    if (auto *more = findChild<QToolButton *>(QStringLiteral("qt_toolbar_ext_button")))
        more->setIcon(m_appearance.icon(QStringLiteral("menu")));
}

void MainWindow::makeStatusBar()
{
    m_partnersLabel = new CutLabel(this);
    m_partnersLabel->setObjectName(QStringLiteral("partnersLabel"));
    m_stateLabel = new CutLabel(this);
    m_stateLabel->setObjectName(QStringLiteral("stateLabel"));
    m_timesLabel = new QLabel(this);
    m_timesLabel->setObjectName(QStringLiteral("timesLabel"));
    m_deviceLabel = new QLabel(this);
    m_deviceLabel->setObjectName(QStringLiteral("deviceLabel"));
    statusBar()->setSizeGripEnabled(false);
    statusBar()->addWidget(m_partnersLabel, 1);
    statusBar()->addPermanentWidget(m_stateLabel);
    statusBar()->addPermanentWidget(m_timesLabel);
    statusBar()->addPermanentWidget(m_deviceLabel);
}

void MainWindow::fillDevices(const std::vector<sw::DeviceEntry> &devices)
{
    const QSignalBlocker blocker(m_devices);
    m_devices->clear();
    auto *model = qobject_cast<QStandardItemModel *>(m_devices->model());
    for (const sw::DeviceEntry &device : devices) {
        const QString id = QString::fromStdString(device.id);
        m_devices->addItem(id, id);
        QStandardItem *item = model->item(m_devices->count() - 1);
        const QString description = QString::fromStdString(device.isAvailable ? device.description : device.reason);
        const QString line = QStringLiteral("%1  \u2013  %2").arg(id, description);
        item->setText(device.isAvailable ? fontMetrics().elidedText(line, Qt::ElideRight, kDeviceTextWidth)
                                         : tr("%1  (not available)").arg(id));
        item->setToolTip(description);
        item->setEnabled(device.isAvailable);
    }
    m_devices->setCurrentIndex(m_devices->findData(m_session.device()));
    tellDevice();
}

// Puts what the box has no room for into its tool tip.
void MainWindow::tellDevice()
{
    const QString description = m_devices->currentData(Qt::ToolTipRole).toString();
    const QString tip = tr("The device to compile for and run on");
    m_devices->setToolTip(description.isEmpty() ? tip
                                                : tip + QStringLiteral(":\n") + m_devices->currentData().toString() +
                                                      QStringLiteral(" \u2013 ") + description);
}

void MainWindow::fillExamples(const std::vector<sw::ExampleEntry> &examples)
{
    m_examples = examples;
    m_examplesMenu->clear();
    for (const sw::ExampleEntry &example : examples) {
        const QString name = QString::fromStdString(example.name);
        QAction *open = m_examplesMenu->addAction(name);
        open->setToolTip(QString::fromStdString(example.summary));
        connect(open, &QAction::triggered, this, [this, name] {
            if (mayDiscard())
                openExampleNamed(name);
        });
    }
    m_examplesMenu->setEnabled(!examples.empty());
    if (!m_wantedExample.isEmpty())
        openExampleNamed(QString(m_wantedExample));
}

void MainWindow::fillRecentFiles()
{
    m_recentMenu->clear();
    const QStringList files = m_settings.recentFiles();
    const QStringList titles = titlesOf(files);
    for (qsizetype i = 0; i < files.size(); ++i) {
        const QString &path = files[i];
        QAction *open = m_recentMenu->addAction(escapedForMenu(titles[i]));
        open->setToolTip(path);
        connect(open, &QAction::triggered, this, [this, path] {
            if (mayDiscard())
                openFile(path);
        });
    }
    m_recentMenu->setEnabled(!files.isEmpty());
}

// While a program has errors, the fields keep their state.
void MainWindow::showDimensions(const SnapshotPtr &snapshot)
{
    const bool isKnown = !snapshot || (snapshot->isFinal && snapshot->report->succeeded);
    if (isKnown)
        m_dimensions->setModelDimensions(snapshot ? snapshot->report->modelDimensions : std::vector<sw::DimensionChoice>());
    if (isKnown)
        m_dimensions->setDimensions(snapshot ? snapshot->report->dimensions : std::vector<sw::DimensionEntry>(),
                                    m_session.wantedDimensions());
    m_dimensionsItem->setVisible(!m_dimensions->isEmpty());
    action("compile.sizes")->setEnabled(!m_dimensions->isEmpty());
}

QString MainWindow::activityText() const
{
    const SnapshotPtr &snapshot = m_session.snapshot();
    const QString seconds = tr("%1 s").arg(static_cast<double>(m_session.activityMilliseconds()) / 1000, 0, 'f', 1);
    const RunProgress &progress = m_session.runProgress();
    switch (m_session.activity()) {
    case Activity::Compiling:
        if (m_session.activityMilliseconds() < kShortWork)
            return {};
        if (const std::string step = stepText(m_session); !step.empty())
            return tr("Compiling: %1, %2").arg(QString::fromStdString(step), seconds);
        if (snapshot && !snapshot->isFinal && snapshot->report->code && !snapshot->report->kernels.empty())
            return tr("Compiling %1, %2")
                .arg(counted(static_cast<qint64>(snapshot->report->kernels.size()), tr("%1 kernel"), tr("%1 kernels")), seconds);
        return tr("Compiling, %1").arg(seconds);
    case Activity::Running:
        if (m_session.isRunningBoth() && progress.all > 0)
            return tr("Running both in turn, %1 %, %2").arg(100 * progress.done / progress.all).arg(seconds);
        if (m_session.isRunningBoth())
            return tr("Running both in turn, %1").arg(seconds);
        if (progress.all > 0)
            return tr("Running, %1 of %2 kernels, %3").arg(progress.done.load()).arg(progress.all.load()).arg(seconds);
        return tr("Running, %1").arg(seconds);
    case Activity::Idle:
        if (m_session.isStopped())
            return tr("Stopped. Ctrl+Return compiles again.");
        if (m_session.isEdited())
            return tr("Edited since it was compiled");
        if (snapshot && snapshot->isOutOfDate())
            return snapshot->good ? tr("Errors: showing the last good result") : tr("Errors");
        return {};
    }
    Q_UNREACHABLE();
}

void MainWindow::updateActivity()
{
    const bool isBusy = m_session.activity() != Activity::Idle;
    if (isBusy != m_activityTimer.isActive())
        isBusy ? m_activityTimer.start() : m_activityTimer.stop();
    m_stateLabel->setText(activityText());
    action(QStringLiteral("compile.stop"))->setEnabled(isBusy);
}

void MainWindow::updateStatus()
{
    m_partnersLabel->setText(m_selection.summary());
    const SnapshotPtr &snapshot = m_session.snapshot();
    updateActivity();
    const Activity activity = m_session.activity();
    const bool isRunnable = snapshot && snapshot->isFinal && snapshot->report->succeeded && !m_session.isKept();
    m_timeline->setEnabled(!m_session.isKept()); // moments are made by the compilation
    for (const char *id : {"file.saveSession", "file.saveSessionAs"})
        action(QLatin1String(id))->setEnabled(snapshot != nullptr);
    action("compile.run")
        ->setEnabled(snapshot && activity != Activity::Running &&
                     (m_session.isEdited() || activity == Activity::Compiling || isRunnable));

    QStringList times;
    std::int64_t total = 0;
    if (snapshot) {
        for (const sw::StageTime &time : snapshot->report->compileTimes) {
            times << QStringLiteral("%1: %2").arg(QString::fromStdString(time.name), timeText(time.nanoseconds));
            total += time.nanoseconds;
        }
    }
    const bool isCompiled = snapshot && snapshot->report->succeeded && !times.isEmpty();
    m_timesLabel->setText(isCompiled ? tr("compiled in %1").arg(timeText(total)) : QString());
    m_timesLabel->setToolTip(times.join(u'\n'));
    m_deviceLabel->setText(m_session.device());
}

// The window stays open beside this one.
void MainWindow::showReference()
{
    m_reference->show();
    m_reference->raise();
    m_reference->activateWindow();
}

void MainWindow::showLibrary(const QString &file, std::uint32_t line)
{
    if (const std::string text = m_service.libraryText(file.toStdString()); !text.empty())
        m_library->showText(file, text, line);
}

void MainWindow::showAbout()
{
    QMessageBox::about(
        this, tr("About Stepwell"),
        tr("<b>Stepwell</b><p>A desktop explorer for a tensor compiler: step through lowering, see what became of every "
           "line, and what it costs.</p>"));
}

} // namespace stepwell::ui
