// What the window offers to compare with, and where differences are.

#include "ui/main_window.h"

#include "engine/api/session_file/session_file.h"
#include "ui/baselines_dialog.h"
#include "ui/compare_bar.h"
#include "ui/main_window_action_info.h"
#include "ui/panels/editor_panel.h"
#include "ui/panels/panel.h"
#include "ui/panels/side_choice.h"
#include "ui/session/program_title.h"

#include <QActionGroup>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMenuBar>
#include <QVBoxLayout>

#include <algorithm>

namespace stepwell::ui {

namespace {

QString panelOf(sw::StageKind stage)
{
    switch (stage) {
    case sw::StageKind::Program:
        return QStringLiteral("program");
    case sw::StageKind::Graph:
        return QStringLiteral("graph");
    case sw::StageKind::Schedule:
        return QStringLiteral("kernels");
    case sw::StageKind::Loops:
        return QStringLiteral("loops");
    case sw::StageKind::Lowered:
        return QStringLiteral("lowered");
    case sw::StageKind::Code:
        return QStringLiteral("code");
    case sw::StageKind::Machine:
        return QStringLiteral("machine");
    }
    Q_UNREACHABLE();
}

} // namespace

void MainWindow::makeCompareActions()
{
    const auto keys = [](int modifiers, Qt::Key key) { return QKeySequence(modifiers | key); };
    const int together = static_cast<int>(Qt::CTRL) | static_cast<int>(Qt::ALT);
    const int pinning = static_cast<int>(Qt::CTRL) | static_cast<int>(Qt::SHIFT);
    const QList<ActionInfo> actions{
        {"compare.previous",
         tr("With the &previous compilation"),
         keys(together, Qt::Key_P),
         [this] {
             if (const BaselineEntry *previous = m_baseline.previous())
                 m_baseline.choose(previous->id);
         },
         {},
         tr("What the last change of the program, its options or its device did")},
        {"compare.pin", tr("P&in what is shown"), keys(pinning, Qt::Key_B),
         [this] {
             if (m_baseline.current() && m_baseline.current()->kind == BaselineKind::Pinned)
                 m_baseline.choose(0);
             else
                 m_baseline.pin();
         },
         "pin", tr("Compare with what the window shows now; once more: with nothing")},
        {"compare.noFuse",
         tr("&Without fusion"),
         {},
         [this] { compareWithout(&sw::CompileSwitches::fuse); },
         {},
         tr("Compile beside the program, with every node in a kernel of its own")},
        {"compare.noOptimize",
         tr("Without &optimised loops"),
         {},
         [this] { compareWithout(&sw::CompileSwitches::optimize); },
         {},
         tr("Compile beside the program, with loops as they are first made")},
        {"compare.noTensorInstructions",
         QString(),
         {},
         [this] { compareWithout(&sw::CompileSwitches::tensorInstructions); },
         {},
         tr("Compile beside the program, as if the device had none")},
        {"compare.noWinograd",
         QString(),
         {},
         [this] { compareWithout(&sw::CompileSwitches::winograd); },
         {},
         tr("Compile beside the program, with all products of its convolutions")},
        {"compare.noLayouts",
         QString(),
         {},
         [this] { compareWithout(&sw::CompileSwitches::layouts); },
         {},
         tr("Compile beside the program, with images in memory channel by channel")},
        {"compare.noTunings",
         QString(),
         {},
         [this] { compareWithout(&sw::CompileSwitches::tunings); },
         {},
         tr("Compile beside the program, with the loops that the model chooses for tuned kernels")},
        {"compare.file", tr("With a &file..."), {}, [this] { chooseBaselineFile(); }, {}, {}},
        {"compare.manage",
         tr("&List..."),
         {},
         [this] { (new BaselinesDialog(m_appearance, m_baseline, this))->open(); },
         {},
         tr("Rename and remove baselines")},
        {"compare.runBoth", tr("R&un both in turn"), keys(together, Qt::Key_R), [this] { m_baseline.runBoth(); }, "run",
         tr("Run the baseline and the program in turn: times to compare, and the outputs of both")},
        {"compare.none", tr("&No baseline"), keys(together, Qt::Key_0), [this] { m_baseline.choose(0); }, "close", {}},
        {"compare.next", tr("Ne&xt difference"), QKeySequence(Qt::Key_F7), [this] { stepDifference(1); }, "down", {}},
        {"compare.back",
         tr("Previous di&fference"),
         QKeySequence(Qt::SHIFT | Qt::Key_F7),
         [this] { stepDifference(-1); },
         "up",
         {}},
        {"compare.first",
         tr("Fi&rst difference"),
         keys(together, Qt::Key_F),
         [this] { m_baseline.askFirst(); },
         {},
         tr("The pass, rewrite, kernel and line where the two part first")},
    };
    for (const ActionInfo &info : actions)
        addAction(info);
    auto *group = new QActionGroup(this);
    const std::tuple<Shown, const char *, Qt::Key> shown[] = {{Shown::Now, "compare.now", Qt::Key_N},
                                                              {Shown::Before, "compare.before", Qt::Key_B},
                                                              {Shown::Difference, "compare.difference", Qt::Key_D}};
    for (const auto &[side, id, key] : shown) {
        QAction *action = addAction(
            {QLatin1String(id), nameOf(side), keys(together, key), [this, side = side] { m_baseline.setShown(side); }, {}, {}});
        action->setCheckable(true);
        action->setData(static_cast<int>(side));
        group->addAction(action);
    }
    connect(&m_baseline, &Baseline::changed, this, &MainWindow::updateCompareActions);
    connect(&m_baseline, &Baseline::shownChanged, this, &MainWindow::updateCompareActions);
    connect(&m_baseline, &Baseline::changed, this, &MainWindow::updateStatus);
    connect(&m_session, &Session::activityChanged, this, &MainWindow::updateCompareActions);
}

void MainWindow::makeCompareMenu()
{
    QMenu *menu = menuBar()->addMenu(tr("Co&mpare"));
    menu->setToolTipsVisible(true);
    const auto add = [&](std::initializer_list<const char *> ids) {
        for (const char *id : ids)
            menu->addAction(action(QLatin1String(id)));
    };
    add({"compare.previous"});
    m_earlierMenu = menu->addMenu(tr("With an &earlier one"));
    m_earlierMenu->setObjectName(QStringLiteral("earlierMenu"));
    m_earlierMenu->setToolTipsVisible(true);
    m_compareDevices = menu->addMenu(tr("With another &device"));
    m_compareDevices->setObjectName(QStringLiteral("compareDevicesMenu"));
    m_compareDevices->setToolTipsVisible(true);
    add({"compare.noFuse", "compare.noOptimize", "compare.noTensorInstructions", "compare.noWinograd", "compare.noLayouts",
         "compare.noTunings", "compare.file"});
    menu->addSeparator();
    add({"compare.pin"});
    m_baselineMenu = menu->addMenu(tr("&Baselines"));
    m_baselineMenu->addAction(action("compare.manage")); // the rest when it is opened
    m_baselineMenu->setObjectName(QStringLiteral("baselineMenu"));
    m_baselineMenu->setToolTipsVisible(true);
    add({"compare.none"});
    menu->addSeparator();
    add({"compare.runBoth"});
    menu->addSeparator();
    add({"compare.now", "compare.before", "compare.difference"});
    menu->addSeparator();
    add({"compare.next", "compare.back", "compare.first"});
    connect(m_earlierMenu, &QMenu::aboutToShow, this, [this] { fillBaselines(m_earlierMenu, BaselineKind::Earlier); });
    connect(m_baselineMenu, &QMenu::aboutToShow, this, [this] { fillBaselines(m_baselineMenu, std::nullopt); });
    updateCompareActions();
}

void MainWindow::makeCompareBar()
{
    const CompareActions actions{{action("compare.now"), action("compare.before"), action("compare.difference")},
                                 action("compare.back"),
                                 action("compare.next"),
                                 action("compare.runBoth"),
                                 action("compare.first"),
                                 action("compare.none")};
    auto *bar = new CompareBar(m_appearance, m_baseline, actions, m_baselineMenu, centralWidget());
    auto *column = static_cast<QVBoxLayout *>(centralWidget()->layout());
    column->insertWidget(1, bar); // below the timeline
    connect(bar, &CompareBar::stageWanted, this, [this](sw::StageKind stage) {
        m_baseline.setShown(Shown::Difference);
        if (stage == sw::StageKind::Program)
            m_editor->choice().setOwn(Shown::Difference);
        if (Panel *panel = panelNamed(panelOf(stage)))
            goTo(panel);
    });
    connect(bar, &CompareBar::firstWanted, this, &MainWindow::goToFirst);
    connect(&m_moment, &Moment::snapshotChanged, this, &MainWindow::selectFirst);
}

// The newest first; with a kind, only of that.
void MainWindow::fillBaselines(QMenu *menu, std::optional<BaselineKind> kind)
{
    menu->clear();
    for (auto entry = m_baseline.entries().rbegin(); entry != m_baseline.entries().rend(); ++entry) {
        if (kind ? entry->kind != *kind : entry->kind == BaselineKind::Earlier && &*entry != m_baseline.current())
            continue;
        QString text = entry->changes.isEmpty() ? entry->name : tr("%1: %2").arg(entry->name, entry->changes);
        if (const QString time = runTimeOf(*entry); !time.isEmpty())
            text += QStringLiteral("  \u00b7  ") + time;
        QAction *choice = menu->addAction(escapedForMenu(text), this, [this, id = entry->id] { m_baseline.choose(id); });
        choice->setIcon(QIcon(thumbnailOf(*entry, m_appearance.theme())));
        choice->setIconVisibleInMenu(entry->kind == BaselineKind::Earlier);
        choice->setToolTip(tr("Boxes, from the program to the machine code: the stages that it changed"));
        choice->setCheckable(&*entry == m_baseline.current());
        choice->setChecked(&*entry == m_baseline.current());
    }
    if (menu->isEmpty())
        menu->addAction(kind ? tr("Nothing was compiled yet") : tr("There are none: choose one above, or pin"))
            ->setEnabled(false);
    if (kind)
        return;
    menu->addSeparator();
    menu->addAction(action("compare.previous"));
    menu->addAction(action("compare.manage"));
}

void MainWindow::fillCompareDevices(const std::vector<sw::DeviceEntry> &devices)
{
    m_compareDevices->clear();
    for (const sw::DeviceEntry &device : devices) {
        const QString id = QString::fromStdString(device.id);
        QAction *choice =
            m_compareDevices->addAction(device.isAvailable ? id : tr("%1  (not available)").arg(id), this, [this, id] {
                CompileVariant variant;
                variant.device = id;
                m_baseline.compareWith(variant);
            });
        choice->setEnabled(device.isAvailable);
        choice->setToolTip(QString::fromStdString(device.isAvailable ? device.description : device.reason));
    }
}

void MainWindow::updateCompareActions()
{
    const bool isComparing = m_baseline.current() != nullptr;
    for (const char *id :
         {"compare.none", "compare.next", "compare.back", "compare.first", "compare.now", "compare.before", "compare.difference"})
        action(QLatin1String(id))->setEnabled(isComparing);
    action("compare.runBoth")->setEnabled(m_baseline.canRunBoth());
    action("compare.previous")->setEnabled(m_baseline.previous() != nullptr);
    for (const char *id : {"compare.now", "compare.before", "compare.difference"})
        action(QLatin1String(id))->setChecked(action(QLatin1String(id))->data().toInt() == static_cast<int>(m_baseline.shown()));
    action("compare.noFuse")->setText(m_session.request().fuse ? tr("&Without fusion") : tr("&With fusion"));
    action("compare.noOptimize")
        ->setText(m_session.request().optimize ? tr("Without &optimised loops") : tr("With &optimised loops"));
    action("compare.noTensorInstructions")
        ->setText(m_session.request().tensorInstructions ? tr("Without &tensor instructions") : tr("With &tensor instructions"));
    action("compare.noWinograd")
        ->setText(m_session.request().winograd ? tr("Without Winograd's &algorithm") : tr("With Winograd's &algorithm"));
    action("compare.noLayouts")
        ->setText(m_session.request().layouts ? tr("Without chosen la&youts") : tr("With chosen la&youts"));
    action("compare.noTunings")
        ->setText(m_session.request().tunings ? tr("With the &model's choice, without tunings") : tr("With &kept tunings"));
}

// With it, where the program is compiled without.
void MainWindow::compareWithout(bool sw::CompileSwitches::*which)
{
    CompileVariant variant;
    variant[which] = !(m_session.request().*which);
    m_baseline.compareWith(variant);
}

void MainWindow::chooseBaselineFile()
{
    const QString path =
        QFileDialog::getOpenFileName(this, tr("Compare with a program, a model or a session"), QFileInfo(m_path).path(),
                                     tr("Programs, models and sessions (*.sw *.onnx *.graph *.lowered *.stepwell);;"
                                        "All files (*)"));
    if (!path.isEmpty())
        compareWithFile(path);
}

void MainWindow::compareWithFile(const QString &path)
{
    if (sw::isSessionFile(path.toStdString())) {
        compareWithSession(path);
        return;
    }
    CompileVariant variant;
    variant.file = path;
    m_baseline.compareWith(variant);
}

// In the pane with the focus, or else in the first pane that shows differences.
void MainWindow::stepDifference(int direction)
{
    Panel *focused = panelInFocus();
    if (focused && focused->stepDifference(direction))
        return;
    for (Panel *panel : m_panels)
        if (panel != focused && panel->isVisible() && panel->stepDifference(direction))
            return;
}

// Shows the moment when the two have just parted, and what this one has there.
void MainWindow::goToFirst()
{
    const std::optional<sw::PartingPoint> &point = m_baseline.first().point;
    if (!point)
        return;
    m_baseline.setShown(Shown::Now);
    m_wantedFirst = *point;
    emit m_requests.panelNeeded(panelOf(point->stage));
    const std::uint32_t rewrites = point->after.rewrite.value_or(sw::kNoIndex);
    const std::optional<sw::MomentPlace> place =
        point->after.pass ? std::optional(sw::MomentPlace{*point->after.pass, rewrites}) : std::nullopt;
    if (place == m_moment.place())
        selectFirst(m_moment.snapshot());
    else if (place)
        m_moment.goTo(*place);
    else
        m_moment.goToEnd();
}

// The line that shows the first difference, or else what the rewrite made, once its moment is shown.
void MainWindow::selectFirst(const SnapshotPtr &snapshot)
{
    if (!m_wantedFirst || !snapshot || m_moment.isPending())
        return;
    const sw::PartingPoint wanted = *std::exchange(m_wantedFirst, std::nullopt);
    const StageView &view = snapshot->stage(wanted.stage);
    if (!view.document)
        return;
    const auto line = std::ranges::find(view.document->lines, wanted.after.line, &sw::DocumentLine::text);
    if (!wanted.after.line.empty() && line != view.document->lines.end() && line->item != sw::kNoIndex)
        m_selection.select(wanted.stage, {line->item});
    else if (!view.marks.isEmpty())
        m_selection.select(wanted.stage, view.marks.made.empty() ? view.marks.matched : view.marks.made);
}

} // namespace stepwell::ui
