// The window's actions.

#include "ui/main_window.h"

#include "ui/dimension_bar.h"
#include "ui/main_window_action_info.h"
#include "ui/panels/editor_panel.h"
#include "ui/panels/messages_panel.h"
#include "ui/panels/panel_rows.h"
#include "ui/timeline_bar.h"

#include <QAction>
#include <QApplication>
#include <QComboBox>

#include <array>

namespace stepwell::ui {

QAction *MainWindow::addAction(const ActionInfo &info)
{
    auto *action = new QAction(info.text, this);
    action->setObjectName(info.id);
    action->setShortcut(info.keys);
    const QString keys =
        info.keys.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(info.keys.toString(QKeySequence::NativeText));
    action->setToolTip((info.tip.isEmpty() ? QString(info.text).remove(u'&') : info.tip) + keys);
    if (!info.icon.isEmpty()) {
        action->setIcon(m_appearance.icon(info.icon));
        action->setIconVisibleInMenu(false);
        m_actionIcons.emplace_back(action, info.icon);
    }
    connect(action, &QAction::triggered, this, [run = info.run] { run(); });
    QMainWindow::addAction(action);
    Q_ASSERT(!m_actions.contains(info.id));
    m_actions.insert(info.id, action);
    return action;
}

Panel *MainWindow::focusedPanel() const
{
    for (QWidget *widget = QApplication::focusWidget(); widget; widget = widget->parentWidget()) {
        if (auto *panel = qobject_cast<Panel *>(widget))
            return panel;
    }
    return panelNamed(QStringLiteral("graph"));
}

void MainWindow::goTo(Panel *panel)
{
    showPanelOf(panel);
    if (const QWidget *active = QApplication::activeWindow(); active && active != panel->window())
        panel->activateWindow(); // one of them floats
    panel->takeFocus();
}

// What the next compilations leave out.
void MainWindow::makeSwitches()
{
    struct Row {
        const char *id;
        QString text;
        QString tip;
        bool sw::CompileSwitches::*isOn;
    };
    const std::array rows{
        Row{"compile.fuse", tr("&Fuse nodes into kernels"), {}, &sw::CompileSwitches::fuse},
        Row{"compile.optimize", tr("&Optimise loops"), {}, &sw::CompileSwitches::optimize},
        Row{"compile.tensorInstructions", tr("Use tensor &instructions"),
            tr("Where the device has instructions for tiles of matrices"), &sw::CompileSwitches::tensorInstructions},
        Row{"compile.winograd", tr("Use &Winograd's algorithm"),
            tr("Convolutions by 3 x 3 kernels from tiles, with fewer products"), &sw::CompileSwitches::winograd},
        Row{"compile.layouts", tr("Choose la&youts"), tr("Images pixel by pixel in memory where that is quicker"),
            &sw::CompileSwitches::layouts},
        Row{"compile.tunings", tr("Use kept t&unings"), tr("The loops that were found for kernels by measuring"),
            &sw::CompileSwitches::tunings},
    };
    for (const Row &row : rows) {
        QAction *option = addAction({QLatin1String(row.id), row.text, {}, [] {}, {}, row.tip});
        option->setCheckable(true);
        option->setChecked(true);
        connect(option, &QAction::toggled, this, [this, isOn = row.isOn](bool isChecked) {
            sw::CompileSwitches switches = m_session.switches();
            switches.*isOn = isChecked;
            m_session.setSwitches(switches);
        });
        connect(&m_session, &Session::switchesChanged, option,
                [option, isOn = row.isOn](const sw::CompileSwitches &switches) { option->setChecked(switches.*isOn); });
    }
}

void MainWindow::makeActions()
{
    const auto key = [](QKeySequence::StandardKey standard) { return QKeySequence(standard); };
    const QList<ActionInfo> actions{
        {"file.new", tr("&New"), key(QKeySequence::New), [this] { newProgram(); }, "new", {}},
        {"file.open", tr("&Open..."), key(QKeySequence::Open), [this] { chooseFile(); }, "open", tr("Open a program or a model")},
        {"file.save", tr("&Save"), key(QKeySequence::Save), [this] { save(); }, "save", {}},
        {"file.saveAs", tr("Save &as..."), QKeySequence(tr("Ctrl+Shift+S")), [this] { saveAs(); }, {}, {}},
        {"file.saveReport",
         tr("Save re&port..."),
         {},
         [this] { chooseReport(); },
         {},
         tr("Write all stages as one page that any browser shows")},
        {"file.saveReproducer",
         tr("Save &kernel reproducer..."),
         {},
         [this] { chooseReproducer(); },
         {},
         tr("Write a folder that builds and runs the selected kernel alone, with plain tools")},
        {"file.reload",
         tr("Re&load from disk"),
         QKeySequence(Qt::Key_F5),
         [this] { reloadFile(); },
         {},
         tr("Show the program as its file has it; undo leads back")},
        {"file.quit", tr("&Quit"), QKeySequence(tr("Ctrl+Q")), [this] { close(); }, {}, {}},
        {"edit.undo", tr("&Undo"), key(QKeySequence::Undo), [this] { m_editor->editor().undo(); }, {}, {}},
        {"edit.redo", tr("&Redo"), key(QKeySequence::Redo), [this] { m_editor->editor().redo(); }, {}, {}},
        {"edit.find", tr("&Find..."), key(QKeySequence::Find), [this] { focusedPanel()->find(); }, "search", {}},
        {"edit.findNext", tr("Find &next"), QKeySequence(Qt::Key_F3), [this] { focusedPanel()->findNext(); }, {}, {}},
        {"edit.findPrevious",
         tr("Find &previous"),
         QKeySequence(Qt::SHIFT | Qt::Key_F3),
         [this] { focusedPanel()->findPrevious(); },
         {},
         {}},
        {"compile.now",
         tr("&Compile now"),
         QKeySequence(Qt::CTRL | Qt::Key_Return),
         [this] { m_session.compileNow(); },
         "compile",
         {}},
        {"compile.run", tr("&Run"), QKeySequence(Qt::CTRL | Qt::Key_R),
         [this] {
             if (m_messages->isVisible()) // what was opened on purpose stays
                 showPanelOf(panelNamed(QStringLiteral("timings")));
             m_session.run();
         },
         "run", tr("Run and time every kernel")},
        {"compile.stop", tr("S&top"), QKeySequence(Qt::CTRL | Qt::Key_Period), [this] { m_session.stop(); }, "stop",
         tr("Stop compiling or running")},
        {"compile.tune",
         tr("Tun&e a kernel"),
         {},
         [this] { emit m_requests.tuningWanted(selectedKernel()); },
         {},
         tr("Search for faster loops of the selected kernel by measuring")},
        {"compile.sizes",
         tr("Set si&zes"),
         QKeySequence(Qt::CTRL | Qt::Key_D),
         [this] { m_dimensions->focusFirst(); },
         {},
         tr("Choose the dimensions of the next run")},
        {"compile.device",
         tr("Choose the &device"),
         QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_D),
         [this] {
             m_devices->setFocus(Qt::ShortcutFocusReason);
             m_devices->showPopup();
         },
         {},
         {}},
        {"view.fit", tr("&Fit"), QKeySequence(Qt::SHIFT | Qt::Key_Space),
         [this] {
             for (Panel *panel : m_panels)
                 panel->fit();
         },
         "fit", tr("Fit graph and kernels")},
        {"view.zoomIn", tr("Zoom &in"), key(QKeySequence::ZoomIn), [this] { focusedPanel()->zoom(1); }, "zoom-in", {}},
        {"view.zoomOut", tr("Zoom &out"), key(QKeySequence::ZoomOut), [this] { focusedPanel()->zoom(-1); }, "zoom-out", {}},
        {"view.zoomReset", tr("&100%"), QKeySequence(Qt::CTRL | Qt::Key_0), [this] { focusedPanel()->resetZoom(); }, {}, {}},
        {"view.foldAll",
         tr("Fold all scopes"),
         QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Left),
         [this] {
             for (Panel *panel : m_panels)
                 panel->foldAll();
         },
         {},
         {}},
        {"view.unfoldAll",
         tr("Unfold all scopes"),
         QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Right),
         [this] {
             for (Panel *panel : m_panels)
                 panel->unfoldAll();
         },
         {},
         {}},
        {"step.nextChanged",
         tr("&Next pass that changed something"),
         QKeySequence(Qt::Key_F),
         [this] { m_walk.stepChanged(1); },
         {},
         {}},
        {"step.previousChanged",
         tr("&Previous pass that changed something"),
         QKeySequence(Qt::Key_R),
         [this] { m_walk.stepChanged(-1); },
         {},
         {}},
        {"step.nextStage", tr("Next sta&ge"), QKeySequence(Qt::Key_J), [this] { m_walk.stepStage(1); }, {}, {}},
        {"step.previousStage", tr("Previous stag&e"), QKeySequence(Qt::Key_K), [this] { m_walk.stepStage(-1); }, {}, {}},
        {"step.nextPass", tr("Next p&ass"), QKeySequence(Qt::SHIFT | Qt::Key_Right), [this] { m_walk.stepPass(1); }, {}, {}},
        {"step.previousPass",
         tr("Previous pa&ss"),
         QKeySequence(Qt::SHIFT | Qt::Key_Left),
         [this] { m_walk.stepPass(-1); },
         {},
         {}},
        {"step.nextRewrite", tr("Next &rewrite"), {}, [this] { m_walk.stepRewrite(1); }, {}, tr("Right in the timeline")},
        {"step.previousRewrite", tr("Previous r&ewrite"), {}, [this] { m_walk.stepRewrite(-1); }, {}, tr("Left in the timeline")},
        {"step.start", tr("To the &start"), {}, [this] { m_walk.goToStart(); }, {}, tr("Home in the timeline")},
        {"step.end", tr("To the en&d"), {}, [this] { m_walk.goToEnd(); }, {}, tr("End in the timeline")},
        {"step.play", tr("P&lay or stop"), {}, [this] { m_timeline->togglePlaying(); }, {}, tr("Go on rewrite by rewrite")},
        {"go.nextPane", tr("Next &pane"), QKeySequence(Qt::Key_F6), [this] { goToPane(1); }, {}, {}},
        {"go.previousPane", tr("Pre&vious pane"), QKeySequence(Qt::SHIFT | Qt::Key_F6), [this] { goToPane(-1); }, {}, {}},
        {"go.nextTab", tr("Next &tab"), QKeySequence(Qt::CTRL | Qt::Key_PageDown), [this] { goToTab(1); }, {}, {}},
        {"go.previousTab", tr("Previous ta&b"), QKeySequence(Qt::CTRL | Qt::Key_PageUp), [this] { goToTab(-1); }, {}, {}},
        {"help.reference",
         tr("&Reference"),
         key(QKeySequence::HelpContents),
         [this] { showReference(); },
         {},
         tr("Every type, operation, node, instruction and pass")},
        {"help.about", tr("&About Stepwell"), {}, [this] { showAbout(); }, {}, {}},
    };
    for (const ActionInfo &info : actions)
        addAction(info);

    for (std::size_t i = 0; i < m_panels.size(); ++i) {
        Panel *panel = m_panels[i];
        QAction *go =
            addAction({QStringLiteral("go.") + panel->objectName(), panel->title(), {}, [this, panel] { goTo(panel); }, {}, {}});
        if (const int digit = panelRows()[i].digit; digit != 0)
            go->setShortcuts({QKeySequence(static_cast<int>(Qt::ALT) | (Qt::Key_0 + digit)), QKeySequence(Qt::Key_0 + digit)});
    }

    makePaneActions();
    makeCompareActions();
    makeSessionActions();
    makeTaking();
    QAction *live = addAction({"compile.live", tr("&Live"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Return), [] {}, "live",
                               tr("Compile while typing")});
    live->setCheckable(true);
    live->setChecked(true);
    connect(live, &QAction::toggled, &m_session, &Session::setLive);
    QAction *check = addAction({"compile.checkAccesses",
                                tr("Check &accesses"),
                                {},
                                [] {},
                                {},
                                tr("The next runs compare every load and store of a kernel with its buffer; they take longer")});
    check->setCheckable(true);
    connect(check, &QAction::toggled, &m_session, &Session::setCheckAccesses);
    makeSwitches();
}

} // namespace stepwell::ui
