// Notes pinned to items, and bookmarks of moments: one panel lists them, a click goes there, and items with notes are marked.

#include "engine/api/session_file/session_file.h"
#include "tests/gui/engine_app.h"
#include "ui/models/notes_model.h"

#include <QAbstractButton>
#include <QAction>
#include <QLineEdit>
#include <QMessageBox>
#include <QSignalSpy>
#include <QStatusBar>
#include <QTableView>

using namespace stepwell::ui;

namespace {

constexpr const char *kProgram = "input x: f32[64, 32]\ny = exp(x)\noutput y / sum(y, axis = -1, keepdims = true)\n";

struct NotesApp : EngineApp {
    NotesApp() : EngineApp(kProgram) {}
    [[nodiscard]] QTableView &table() { return child<QTableView>("notesTable"); }
    [[nodiscard]] QLineEdit &line() { return child<QLineEdit>("noteLine"); }
    void wait() { QTRY_VERIFY_WITH_TIMEOUT(isReady(), kPatience); }
    // As a person does it: the key for a note, the text, Enter.
    void pin(const QString &text)
    {
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QTest::keyClick(&window, Qt::Key_N, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_COMPARE_WITH_TIMEOUT(QApplication::focusWidget(), &line(), kPatience);
        QTest::keyClicks(&line(), text);
        QTest::keyClick(&line(), Qt::Key_Return);
    }
    [[nodiscard]] QString shown(int row, int column) { return table().model()->index(row, column).data().toString(); }
    void clickRow(int row)
    {
        const QRect place = table().visualRect(table().model()->index(row, 0));
        QTest::mouseClick(table().viewport(), Qt::LeftButton, {}, place.center());
    }
    [[nodiscard]] QString labelOf(sw::StageKind stage, const PartnerSet &set)
    {
        return set.items.empty() ? QString()
                                 : QString::fromStdString(snapshot().stage(stage).document->items[set.items.front()].label);
    }
};

// Answers the question that comes next, from within its event loop.
void answer(QMessageBox::StandardButton button)
{
    QTimer::singleShot(0, qApp, [button] {
        if (auto *box = qobject_cast<QMessageBox *>(QApplication::activeModalWidget()))
            box->button(button)->click();
        else
            answer(button);
    });
}

} // namespace

class NotesTest : public QObject {
    Q_OBJECT

private slots:
    void aNoteStandsAtItsItemAndLeadsThere();
    void aNoteOnALineStandsBehindIt();
    void aNoteOnAnExpressionIsMarkedInTheProgram();
    void aNoteFindsItsItemAfterAnEdit();
    void aNoteIsChangedAndRemoved();
    void aBookmarkLeadsToItsMoment();
    void theEndHasNoBookmark();
    void anotherProgramHasNoNotes();
    void closingAsksToKeepThem();
};

void NotesTest::aNoteStandsAtItsItemAndLeadsThere()
{
    NotesApp app;
    app.wait();
    NotesApp::click(app.graph(), "exp");
    app.pin("why not exp2?");
    QCOMPARE(app.table().model()->rowCount(), 1);
    QCOMPARE(app.shown(0, NotesModel::Place), "exp, Graph");
    QCOMPARE(app.shown(0, NotesModel::Text), "why not exp2?");
    QVERIFY(app.line().text().isEmpty());
    // A sign at the box.
    const std::vector<BoxFlag> &flags = app.graph().marks().flags;
    QCOMPARE(flags.size(), std::size_t{1});
    QCOMPARE(flags.front().box, EngineApp::box(app.graph(), "exp"));
    // Elsewhere, and back by a click; also when the pane of the graph was closed.
    app.window.selection().clear();
    app.window.action("view.pane.graph")->setChecked(false);
    QVERIFY(!app.child<Panel>("graph").isVisible());
    app.clickRow(0);
    QTRY_VERIFY_WITH_TIMEOUT(app.child<Panel>("graph").isVisible(), kPatience);
    QCOMPARE(app.labelOf(sw::StageKind::Graph, app.window.selection().selected(sw::StageKind::Graph)), "exp");
}

void NotesTest::aNoteOnALineStandsBehindIt()
{
    NotesApp app;
    app.wait();
    TextView &lowered = app.text("lowered");
    const int row = EngineApp::rowWith(lowered, "store");
    QVERIFY(row >= 0);
    QTest::mouseClick(lowered.viewport(), Qt::LeftButton, {}, lowered.rowRect(row).center());
    app.pin("written once");
    QCOMPARE(lowered.run().notes.size(), std::size_t{1});
    QCOMPARE(lowered.run().notes.begin()->first, row);
    QVERIFY(lowered.run().notes.begin()->second.text.contains("written once"));
}

void NotesTest::aNoteOnAnExpressionIsMarkedInTheProgram()
{
    NotesApp app;
    app.wait();
    // The whole program: nothing is selected.
    app.window.selection().clear();
    app.pin("about all of it");
    QCOMPARE(app.shown(0, NotesModel::Place), "The program");
    QCOMPARE(app.editor().errorMarks().size(), std::size_t{0});
    // An expression: the cursor selects it.
    QTextCursor cursor = app.editor().document()->find("exp(x)");
    cursor.setPosition(cursor.selectionStart() + 1);
    app.editor().setTextCursor(cursor);
    const sw::ItemIndex item = app.editor().itemAt(cursor);
    QVERIFY(item != sw::kNoIndex);
    app.window.selection().select(sw::StageKind::Program, {item});
    app.pin("the numerator");
    QCOMPARE(app.editor().errorMarks().size(), std::size_t{1});
    QCOMPARE(app.editor().messageAt(app.editor().cursorRect(cursor).center()), "the numerator");
}

void NotesTest::aNoteFindsItsItemAfterAnEdit()
{
    NotesApp app;
    app.wait();
    NotesApp::click(app.graph(), "exp");
    app.pin("here");
    const auto before = app.window.notes().placeOf(0);
    QVERIFY(before);
    app.editor().moveCursor(QTextCursor::Start);
    app.type("input before: f32[4]\noutput sqrt(before)\n");
    QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.window.session().isCompiledText(app.editor().toPlainText()), kPatience);
    const auto after = app.window.notes().placeOf(0);
    QVERIFY(after);
    QVERIFY(after->item != before->item);
    QCOMPARE(app.graph().marks().flags.front().box, EngineApp::box(app.graph(), "exp"));
    // Without it, the note stays, and says that its item is gone.
    app.editor().selectAll();
    app.type("input x: f32[4]\noutput sqrt(x)\n");
    QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.window.session().isCompiledText(app.editor().toPlainText()), kPatience);
    QVERIFY(app.window.notes().isGone(0));
    QVERIFY(app.graph().marks().flags.empty());
    QCOMPARE(app.shown(0, NotesModel::Text), "here");
    QVERIFY(!app.table().model()->index(0, 0).data(Qt::ToolTipRole).toString().isEmpty());
}

void NotesTest::aNoteIsChangedAndRemoved()
{
    NotesApp app;
    app.wait();
    app.pin("first");
    app.pin("second");
    app.table().setFocus();
    app.table().setCurrentIndex(app.table().model()->index(1, NotesModel::Text));
    QTest::keyClick(&app.table(), Qt::Key_F2);
    auto *field = app.table().findChild<QLineEdit *>();
    QVERIFY(field);
    field->selectAll();
    QTest::keyClicks(field, "changed");
    QTest::keyClick(field, Qt::Key_Return);
    QTRY_COMPARE_WITH_TIMEOUT(app.shown(1, NotesModel::Text), "changed", kPatience);
    app.table().setFocus();
    app.table().setCurrentIndex(app.table().model()->index(0, 0));
    QTest::keyClick(&app.table(), Qt::Key_Delete);
    QCOMPARE(app.table().model()->rowCount(), 1);
    QCOMPARE(app.shown(0, NotesModel::Text), "changed");
}

void NotesTest::aBookmarkLeadsToItsMoment()
{
    NotesApp app;
    app.wait();
    app.window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&app.window));
    app.graph().setFocus();
    QTest::keyClick(&app.graph(), Qt::Key_F); // the first pass that changed something
    QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.window.moment().place(), kPatience);
    const sw::MomentPlace place = *app.window.moment().place();
    QTest::keyClick(&app.window, Qt::Key_B, Qt::ControlModifier);
    QCOMPARE(app.window.notes().bookmarks().size(), std::size_t{1});
    QCOMPARE(app.shown(0, NotesModel::Place), QString::fromStdString(app.window.moment().pass()->title));
    app.window.moment().goToEnd();
    QVERIFY(app.window.moment().isAtEnd());
    app.window.action("go.notes")->trigger();
    app.clickRow(0);
    QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.window.moment().place(), kPatience);
    QVERIFY(app.window.moment().place() == place);
}

void NotesTest::theEndHasNoBookmark()
{
    NotesApp app;
    app.wait();
    app.window.action("step.bookmark")->trigger();
    QVERIFY(app.window.notes().bookmarks().empty());
    QVERIFY(app.window.statusBar()->currentMessage().contains("no bookmark"));
}

void NotesTest::anotherProgramHasNoNotes()
{
    NotesApp app;
    app.wait();
    app.pin("of this one");
    QVERIFY(app.window.isWindowModified());
    app.window.openText("other.sw", "input a: f32[2]\noutput a\n");
    QVERIFY(app.window.notes().notes().empty());
    QVERIFY(!app.window.isWindowModified());
}

void NotesTest::closingAsksToKeepThem()
{
    NotesApp app;
    app.wait();
    const QString path = app.folder.filePath("a.stepwell");
    QSignalSpy saved(&app.window, &MainWindow::sessionSaved);
    app.window.saveSessionTo(path);
    QTRY_COMPARE_WITH_TIMEOUT(saved.count(), 1, kPatience);
    app.pin("not to be lost");
    QVERIFY(app.window.isWindowModified());
    answer(QMessageBox::Save);
    QVERIFY(app.window.close());
    const sw::Result<sw::SessionContents> kept = sw::openSession(path.toStdString());
    QVERIFY(kept);
    QCOMPARE(kept->notes.size(), std::size_t{1});
    QCOMPARE(kept->notes.front().text, std::string("not to be lost"));
}

QTEST_MAIN(NotesTest)
#include "tst_notes.moc"
