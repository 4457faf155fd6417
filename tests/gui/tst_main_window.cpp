// The window as its user sees it, on a fake engine.

#include "tests/gui/fake_app.h"
#include "tests/gui/patience.h"
#include "ui/capture.h"
#include "ui/panels/messages_panel.h"
#include "ui/panels/text_panel.h"
#include "ui/text_view/program_editor.h"

#include <QAction>
#include <QComboBox>
#include <QDialog>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QScrollBar>
#include <QSignalSpy>
#include <QStandardItemModel>
#include <QTableView>
#include <QTextBlock>
#include <QTextBrowser>
#include <QToolButton>
#include <QTreeWidget>

#include <algorithm>
#include <functional>
#include <set>
#include <thread>

using namespace stepwell::ui;
using sw::StageKind;

namespace {

constexpr const char *kProgram = kFakeProgram;

using App = FakeApp<>;

} // namespace

class TestMainWindow : public QObject {
    Q_OBJECT

private slots:
    void referenceIsSearched()
    {
        App app;
        app.child<QAction>("help.reference").trigger();
        auto &list = app.child<QTreeWidget>("referenceList");
        auto &text = app.child<QTextBrowser>("referenceText");
        QTRY_COMPARE_WITH_TIMEOUT(list.topLevelItemCount(), 2, kPatience);
        QVERIFY(app.child<QDialog>("referenceWindow").isVisible());
        QCOMPARE(list.topLevelItem(0)->text(0), QStringLiteral("Operations"));
        QTest::keyClicks(&app.child<QLineEdit>("referenceSearch"), "EXP");
        // "exp" itself comes before entries that only contain it; a section without matches disappears with its entries.
        QCOMPARE(list.currentItem()->text(0), QStringLiteral("exp"));
        QVERIFY(text.toPlainText().contains("e to the power of the operand."));
        QVERIFY(text.toPlainText().contains("floats"));
        QVERIFY(list.topLevelItem(0)->child(0)->isHidden());
        QVERIFY(!list.topLevelItem(1)->isHidden());
        QTest::keyClicks(&app.child<QLineEdit>("referenceSearch"), "x");
        QVERIFY(list.topLevelItem(0)->isHidden() && list.topLevelItem(1)->isHidden());
        QVERIFY(text.toPlainText().contains("Nothing"));
    }

    void typingChangesThePanes()
    {
        App app;
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        const int rows = app.child<TextPanel>("lowered").view().rows().count();
        auto &editor = app.child<ProgramEditor>("programEditor");
        editor.moveCursor(QTextCursor::End);
        QTest::keyClicks(&editor, "d = neg(c)");
        QTRY_COMPARE_WITH_TIMEOUT(app.graph().scene()->boxes.size(), 5U, kPatience);
        QTRY_COMPARE_WITH_TIMEOUT(app.child<TextPanel>("lowered").view().rows().count(), rows + 3, kPatience);
        QVERIFY(app.window.isWindowModified());
    }

    void pointingAtANodeLightsUpEverything()
    {
        App app;
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        QTest::mouseMove(&app.graph(), app.centerOf("exp"));
        QTRY_VERIFY_WITH_TIMEOUT(app.window.selection().hasHover(), kPatience);
        for (const StageKind stage : kStages)
            QVERIFY(!app.window.selection().hovered(stage).isEmpty());
        QCOMPARE(app.child<ProgramEditor>("programEditor").partnerMarkCount(), 1);
        QVERIFY(app.child<QLabel>("partnersLabel").text().startsWith("exp: 1 node "));
    }

    void pointingAtTheProgramLightsUpTheGraph()
    {
        App app;
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        auto &editor = app.child<ProgramEditor>("programEditor");
        QTextCursor cursor(editor.document()->findBlockByNumber(2));
        cursor.movePosition(QTextCursor::Right, QTextCursor::MoveAnchor, 5);
        QTest::mouseClick(editor.viewport(), Qt::LeftButton, {}, editor.cursorRect(cursor).center());
        QCOMPARE(app.graph().marks().selected, (std::vector<BoxIndex>{app.box("sum")}));
    }

    void clickingSelectsAndScrolls()
    {
        App app;
        app.window.openText("deep.sw", QString::fromStdString(fakeProgram(12)));
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.graph().scene() && app.graph().scene()->boxes.size() > 50, kPatience);
        TextView &machine = app.child<TextPanel>("machine").view();
        QCOMPARE(machine.firstVisibleRow(), 0);
        app.graph().fit();
        QTest::mouseClick(&app.graph(), Qt::LeftButton, {}, app.centerOf("div"));
        const PartnerSet &selected = app.window.selection().selected(StageKind::Machine);
        QVERIFY(!selected.lines.empty());
        const auto isVisible = [&](std::uint32_t line) {
            const int row = static_cast<int>(line);
            return row >= machine.firstVisibleRow() && row < machine.firstVisibleRow() + machine.visibleRows();
        };
        QVERIFY(std::ranges::any_of(selected.lines, isVisible));
        QVERIFY(app.child<QWidget>("inspectorText").isVisible());
    }

    void detailsBeginWithWhatTheProgramSaysOfItself()
    {
        App app;
        app.window.openText("about.sw", QStringLiteral("# A network of one layer.\n") + kFakeProgram);
        auto &details = app.child<QTextBrowser>("inspectorText");
        QTRY_VERIFY_WITH_TIMEOUT(details.toPlainText().startsWith("A network of one layer."), kPatience);
        QTest::mouseClick(&app.graph(), Qt::LeftButton, {}, app.centerOf("div"));
        QVERIFY(!details.toPlainText().contains("A network of one layer."));
    }

    void anErrorIsShownInPlaceAndTheLastResultStays()
    {
        App app;
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        const std::size_t boxes = app.graph().scene()->boxes.size();
        auto &editor = app.child<ProgramEditor>("programEditor");
        editor.moveCursor(QTextCursor::End);
        QTest::keyClicks(&editor, "d = neg(?)");
        QTRY_COMPARE_WITH_TIMEOUT(editor.errorMarks().size(), 1U, kPatience);
        QCOMPARE(editor.errorMarks()[0].cursor.selectedText(), "?");
        QCOMPARE(app.graph().scene()->boxes.size(), boxes);
        QVERIFY(app.child<GraphPanel>("graph").isMarkedOutOfDate());
        QVERIFY(app.child<TextPanel>("machine").isMarkedOutOfDate());
        QCOMPARE(app.child<MessagesPanel>("messages").model().rowCount(), 1);
        QVERIFY(editor.messageAt(editor.cursorRect(editor.errorMarks()[0].cursor).center()).contains("operand"));
        QVERIFY(!app.window.action("compile.run")->isEnabled());
        // The error disappears again.
        QTest::keyClick(&editor, Qt::Key_Backspace);
        QTest::keyClick(&editor, Qt::Key_Backspace);
        QTest::keyClicks(&editor, "c)");
        QTRY_VERIFY_WITH_TIMEOUT(editor.errorMarks().empty(), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(!app.child<GraphPanel>("graph").isMarkedOutOfDate(), kPatience);
    }

    void whatShowsNothingOffersNothing()
    {
        App app;
        app.window.openText("broken.sw", "a = exp(?)\n");
        QTRY_VERIFY_WITH_TIMEOUT(app.window.session().snapshot() && app.window.session().activity() == Activity::Idle, kPatience);
        QVERIFY(!app.graph().scene());
        for (const char *panel : {"graph", "kernels"})
            for (const QToolButton *tool : app.child<GraphPanel>(panel).tools()->findChildren<QToolButton *>())
                QVERIFY2(!tool->isEnabled(), qPrintable(tool->toolTip()));
        // Bars that have nothing to scroll have no handle either.
        QScrollBar &bar = *app.child<TextPanel>("machine").view().verticalScrollBar();
        const QImage picture = bar.grab().toImage();
        for (int y = 0; y < picture.height(); ++y)
            QCOMPARE(picture.pixelColor(picture.width() / 2, y), app.appearance.color(Role::Base));
    }

    void messagesLeadToTheirPlace()
    {
        App app;
        app.window.openText("broken.sw", "x = input()\n\ny = exp(x, ?)\n");
        auto &table = app.child<QTableView>("messagesTable");
        QTRY_COMPARE_WITH_TIMEOUT(table.model()->rowCount(), 1, kPatience);
        emit table.clicked(table.model()->index(0, 1));
        QCOMPARE(app.child<ProgramEditor>("programEditor").textCursor().blockNumber(), 2);
        QCOMPARE(app.child<ProgramEditor>("programEditor").textCursor().positionInBlock(), 11);
    }

    void anotherDeviceCompilesForIt()
    {
        App app;
        auto &box = app.child<QComboBox>("deviceBox");
        QTRY_COMPARE_WITH_TIMEOUT(box.count(), 3, kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        const int broken = box.findData("opencl");
        const auto *model = qobject_cast<QStandardItemModel *>(box.model());
        QVERIFY(!model->item(broken)->isEnabled());
        QVERIFY(model->item(broken)->toolTip().contains("pocl"));
        box.setCurrentIndex(box.findData("interpreter"));
        emit box.activated(box.currentIndex());
        QTRY_COMPARE_WITH_TIMEOUT(app.window.session().snapshot()->report->device, std::string("interpreter"), kPatience);
        QCOMPARE(app.settings.device(), "interpreter");
    }

    void runningFillsTimingsAndValues()
    {
        App app;
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.window.action("compile.run")->trigger();
        auto &timings = app.child<QTableView>("timingsTable");
        QTRY_VERIFY_WITH_TIMEOUT(app.window.session().snapshot()->good->totalMedianNanoseconds.has_value(), kPatience);
        QCOMPARE(timings.model()->rowCount(), 2);
        QVERIFY(timings.isVisible());
        QCOMPARE(app.child<QTableView>("valuesTable").model()->rowCount(), 16);
        // A kernel selected in the table is selected everywhere.
        emit timings.clicked(timings.model()->index(0, 1));
        QVERIFY(!app.window.selection().selected(StageKind::Code).lines.empty());
    }

    void whatTakesLongSaysSoAndCanBeStopped()
    {
        class SlowRuns : public FakeEngine {
        public:
            sw::ReportPtr run(const sw::RunRequest &request, std::stop_token stop) override
            {
                request.onProgress(2, 7);
                while (!stop.stop_requested())
                    std::this_thread::yield();
                return nullptr;
            }
        } engine;
        const QTemporaryDir folder;
        Appearance own("dark");
        Settings settings(folder.filePath("settings.json"));
        MainWindow window(engine, own, settings);
        window.show();
        window.openText("test.sw", kProgram);
        QTRY_COMPARE_WITH_TIMEOUT(window.session().activity(), Activity::Idle, kPatience);
        QVERIFY(!window.action("compile.stop")->isEnabled());
        const auto &state = *window.findChild<QLabel *>("stateLabel");
        QCOMPARE(state.text(), QString());
        window.action("compile.run")->trigger();
        QVERIFY(window.action("compile.stop")->isEnabled());
        QTRY_VERIFY2_WITH_TIMEOUT(state.text().contains("2 of 7 kernels") && !state.text().endsWith(" 0.0 s"),
                                  qPrintable(state.text()), kPatience);
        window.action("compile.stop")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(window.session().activity(), Activity::Idle, kPatience);
        QVERIFY(window.action("compile.run")->isEnabled());
        QCOMPARE(state.text(), QString());
    }

    void choosingANodeShowsItsValue()
    {
        App app;
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.window.setPerspective("compile");
        auto &values = app.child<QTableView>("valuesTable");
        app.window.findChild<QWidget *>("values")->show();
        app.window.selection().select(StageKind::Graph, {1});
        QTRY_COMPARE_WITH_TIMEOUT(values.model()->rowCount(), 16, kPatience);
        QVERIFY(app.child<QLabel>("statistics").text().contains("%1"));
    }

    void actionsHaveUniqueKeys()
    {
        App app;
        std::set<QString> keys;
        std::set<QString> ids;
        for (const QAction *action : app.window.actions()) {
            QVERIFY2(ids.insert(action->objectName()).second, qPrintable(action->objectName()));
            if (!action->shortcut().isEmpty())
                QVERIFY2(keys.insert(action->shortcut().toString()).second, qPrintable(action->shortcut().toString()));
        }
        QVERIFY(ids.size() > 30);
    }

    void filesAreOpenedSavedAndRefused()
    {
        App app;
        const QString path = app.folder.filePath("program.sw");
        {
            QFile file(path);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write("x = input()\ny = exp(x)\n");
        }
        QVERIFY(app.window.openFile(path));
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.graph().scene() && app.graph().scene()->boxes.size() == 2, kPatience);
        QVERIFY(app.window.windowTitle().startsWith("program.sw"));
        auto &editor = app.child<ProgramEditor>("programEditor");
        editor.moveCursor(QTextCursor::End);
        QTest::keyClicks(&editor, "z = neg(y)");
        QVERIFY(app.window.isWindowModified());
        app.window.action("file.save")->trigger();
        QVERIFY(!app.window.isWindowModified());
        QFile saved(path);
        QVERIFY(saved.open(QIODevice::ReadOnly));
        QCOMPARE(saved.readAll(), QByteArray("x = input()\ny = exp(x)\nz = neg(y)"));
        QCOMPARE(app.settings.recentFiles(), QStringList{path});
        QVERIFY(!app.window.openFile(app.folder.filePath("settings.ini")));
        QVERIFY(!app.window.openFile(app.folder.filePath("missing.sw")));
        QCOMPARE(app.child<MessagesPanel>("messages").model().rowCount(), 2);
    }

    void aFileThatCannotBeWrittenStaysModified()
    {
        App app;
        const QString path = app.folder.filePath("there/program.sw");
        QVERIFY(QDir(app.folder.path()).mkdir("there"));
        {
            QFile file(path);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write("x = input()\n");
        }
        QVERIFY(app.window.openFile(path));
        QVERIFY(QDir(app.folder.filePath("there")).removeRecursively());
        auto &editor = app.child<ProgramEditor>("programEditor");
        QTest::keyClicks(&editor, "y = exp(x)");
        app.window.action("file.save")->trigger();
        QVERIFY(app.window.isWindowModified());
        editor.document()->setModified(false); // closing must not ask
    }

    void examplesAreInTheMenu()
    {
        App app;
        app.engine.exampleFolder = app.folder.path().toStdString();
        QFile file(app.folder.filePath("two_layers.sw"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(fakeProgram(2).c_str());
        file.close();
        app.window.session().requestFacts();
        auto &menu = app.child<QMenu>("examplesMenu");
        QTRY_COMPARE_WITH_TIMEOUT(menu.actions().size(), 1, kPatience);
        menu.actions().front()->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.graph().scene() && app.graph().scene()->boxes.size() > 10, kPatience);
    }

    void programsCanBeDropped()
    {
        App app;
        const QString path = app.folder.filePath("dropped.sw");
        {
            QFile file(path);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write("x = input()\n");
        }
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path)});
        QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&app.window, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&app.window, &drop);
        QVERIFY(app.window.windowTitle().startsWith("dropped.sw"));
    }

    void theEditorIndents()
    {
        App app;
        auto &editor = app.child<ProgramEditor>("programEditor");
        editor.setProgram({});
        QTest::keyClicks(&editor, "def f(x):");
        QTest::keyClick(&editor, Qt::Key_Return);
        QTest::keyClicks(&editor, "y");
        QTest::keyClick(&editor, Qt::Key_Return);
        QTest::keyClick(&editor, Qt::Key_Tab);
        QCOMPARE(editor.toPlainText(), "def f(x):\n    y\n        ");
        editor.selectAll();
        QTest::keyClick(&editor, Qt::Key_Backtab);
        QCOMPARE(editor.toPlainText(), "def f(x):\ny\n    ");
        editor.document()->setModified(false);
    }

    void panesCanBeHiddenAndTheLayoutReset()
    {
        App app;
        QWidget *machine = app.window.findChild<QWidget *>("machine");
        app.window.action("view.pane.machine")->setChecked(false);
        QVERIFY(!machine->isVisible());
        QVERIFY(app.window.setPerspective("step"));
        QVERIFY(!app.window.findChild<QWidget *>("kernels")->isVisible());
        app.window.action("view.resetLayout")->trigger();
        QVERIFY(machine->isVisible());
        QVERIFY(app.window.action("view.pane.machine")->isChecked());
        QVERIFY(!app.window.setPerspective("nonsense"));
    }

    void themesChangeWithoutARestart()
    {
        App app;
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.window.action("view.theme.light")->trigger();
        QCOMPARE(app.settings.theme(), "light");
        QCOMPARE(QApplication::palette().color(QPalette::Base), app.appearance.color(Role::Base));
        QVERIFY(app.appearance.color(Role::Base).lightness() > 200);
    }

    void aPictureIsTakenOfTheWholeThing()
    {
        App app;
        const QString path = app.folder.filePath("picture.png");
        Capture capture(app.window, {path, "sum", true, 60'000});
        QSignalSpy finished(&capture, &Capture::finished);
        app.window.openText("test.sw", kProgram);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        QCOMPARE(finished[0][0].toString(), QString());
        QCOMPARE(QImage(path).size(), app.window.size());
        QVERIFY(app.window.selection().hasSelection());
    }

    void aPictureThatCannotBeWrittenSaysWhy()
    {
        App app;
        const QString missing = app.folder.filePath("missing/picture.png");
        const QString noPicture = app.folder.filePath("picture.sw");
        for (const QString &path : {missing, noPicture}) {
            Capture capture(app.window, {path, {}, false, 60'000});
            QSignalSpy finished(&capture, &Capture::finished);
            app.window.openText("test.sw", kProgram);
            QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
            QVERIFY(finished[0][0].toString().contains(path));
            QVERIFY(!QFileInfo::exists(path));
        }
    }

    void aPictureOfWhatCannotBeOpenedSaysWhy()
    {
        App app;
        const auto reasonFor = [&](const std::function<void()> &open) {
            Capture capture(app.window, {app.folder.filePath("picture.png"), {}, true, 60'000});
            QSignalSpy finished(&capture, &Capture::finished);
            open();
            return finished.wait(5'000) ? finished[0][0].toString() : QStringLiteral("it still waits");
        };
        const QString missing = app.folder.filePath("missing.sw");
        QVERIFY(reasonFor([&] { app.window.openFile(missing); }).contains(missing + " cannot be read"));
        QVERIFY(reasonFor([&] { app.window.openExampleNamed("nothing"); }).contains("no example nothing"));
        QVERIFY(!QFileInfo::exists(app.folder.filePath("picture.png")));
    }

    void aPictureWithoutTheNodeThatIsWantedSaysSo()
    {
        App app;
        Capture capture(app.window, {app.folder.filePath("picture.png"), "nowhere", true, 60'000});
        QSignalSpy finished(&capture, &Capture::finished);
        app.window.openText("test.sw", kProgram);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        QVERIFY(finished[0][0].toString().contains("nowhere"));
    }

    void aPictureOfABrokenProgramSaysWhy()
    {
        App app;
        Capture capture(app.window, {app.folder.filePath("picture.png"), {}, true, 60'000});
        QSignalSpy finished(&capture, &Capture::finished);
        app.window.openText("test.sw", "a = exp(?)\n");
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        QVERIFY(finished[0][0].toString().startsWith("test.sw:1:9"));
    }
};

QTEST_MAIN(TestMainWindow)
#include "tst_main_window.moc"
