// Session files in the window: what it shows is saved and comes back, also where nothing can be compiled.

#include "engine/api/session_file/session_file.h"
#include "tests/gui/engine_app.h"
#include "tests/support/equal_documents.h"
#include "ui/docking/dock_area.h"
#include "ui/docking/layout_text.h"
#include "ui/notice_bar.h"
#include "ui/panels/messages_panel.h"
#include "ui/panels/panel_rows.h"
#include "ui/timeline_bar.h"

#include <QAction>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>

using namespace stepwell::ui;

namespace {

constexpr const char *kProgram = "n: dim[1, 64] = 8\ninput x: f32[n, 64]\noutput softmax(x, axis = -1)\n";

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

sw::SessionContents readFrom(const QString &path)
{
    const sw::Result<sw::SessionContents> read = sw::openSession(path.toStdString());
    if (!read)
        qFatal("%s", sw::toText(read.error()).c_str());
    return *read;
}

void waitFor(EngineApp &app)
{
    QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
}

void save(EngineApp &app, const QString &path)
{
    QSignalSpy saved(&app.window, &MainWindow::sessionSaved);
    app.window.saveSessionTo(path);
    QTRY_COMPARE_WITH_TIMEOUT(saved.count(), 1, kPatience);
}

void open(EngineApp &app, const QString &path)
{
    QSignalSpy opened(&app.window, &MainWindow::sessionOpened);
    QVERIFY(app.window.openFile(path));
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, kPatience);
    waitFor(app);
}

QString differenceOf(const sw::Report &a, const sw::Report &b)
{
    for (const sw::StageKind stage : kStages) {
        const sw::StageDocumentPtr &one = documentOf(a, stage);
        const sw::StageDocumentPtr &other = documentOf(b, stage);
        if (!one || !other)
            return QStringLiteral("stage %1 is missing").arg(static_cast<int>(stage));
        if (const std::string difference = sw::firstDifference(*one, *other); !difference.empty())
            return QStringLiteral("stage %1: %2").arg(static_cast<int>(stage)).arg(QString::fromStdString(difference));
    }
    return {};
}

// The labels and lines of a stage.
QStringList textOf(const sw::Report &report, sw::StageKind stage)
{
    QStringList text;
    for (const sw::DocumentItem &item : documentOf(report, stage)->items)
        text << QString::fromStdString(item.label);
    for (const sw::DocumentLine &line : documentOf(report, stage)->lines)
        text << QString::fromStdString(line.text);
    return text;
}

// A window in which something was done, and its session.
struct Made : EngineApp {
    explicit Made(const QString &path) : EngineApp(kProgram)
    {
        waitFor(*this);
        window.session().setDimension("n", 24);
        run();
        window.setPerspective("learn");
        window.whatIf().add("apart softmax/max -> softmax/shifted");
        waitFor(*this);
        sw::InputChoice choice;
        choice.name = "x";
        choice.fill = sw::InputFill::Uniform;
        choice.seed = 77;
        choose(choice);
        run();
        window.watched().add(WatchKind::Output, "output");
        EngineApp::click(graph(), "exp");
        window.notes().add(window.selection().firstSelected(), "here");
        CompileVariant variant;
        variant[&sw::CompileSwitches::fuse] = false;
        window.baseline().compareWith(variant);
        waitFor(*this);
        QCOMPARE(window.moment().goToNamed("group-kernels"), QString());
        waitFor(*this);
        window.notes().addBookmark();
        save(*this, path);
    }
    void choose(const sw::InputChoice &choice) { QCOMPARE(window.inputs().choose(choice), QString()); }
    void run()
    {
        QSignalSpy ran(&window.session(), &Session::runFinished);
        window.action("compile.run")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(ran.count() > 0, kPatience);
        waitFor(*this);
    }
};

// Where no backend can be started.
struct Bare : EngineApp {
    Bare() : EngineApp(nullptr, "/nowhere/stepwell-host") {}
};

} // namespace

class SessionFilesTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void everythingComesBack();
    void whatWasKeptCanBeComparedWith();
    void isABaselineOfAnotherProgram();
    void opensWhereNothingCanBeCompiled();
    void goesOnOnADeviceThatIsThere();
    void keepsItsTimesWhenOnlyANoteIsAdded();
    void ofAModelComesWithTheModel();
    void isOpenedByDroppingIt();
    void thatIsDamagedLeavesWhatIsShown();
    void thatCannotBeSavedSaysWhy();
    void isAmongTheRecentFiles();

private:
    QTemporaryDir m_folder;
    QString m_path;
    std::unique_ptr<Made> m_made;
};

void SessionFilesTest::initTestCase()
{
    m_path = m_folder.filePath("softmax.stepwell");
    m_made = std::make_unique<Made>(m_path);
}

void SessionFilesTest::everythingComesBack()
{
    EngineApp app;
    open(app, m_path);
    QVERIFY(!app.window.session().isKept());
    MainWindow &was = m_made->window;
    MainWindow &now = app.window;
    QCOMPARE(app.editor().toPlainText(), QString(kProgram));
    QCOMPARE(now.session().device(), was.session().device());
    // Fields name the file of the program, which is another one. Machine code is read when somebody looks at it.
    for (const sw::StageKind stage : kStages)
        if (stage != sw::StageKind::Machine)
            QCOMPARE(textOf(*now.session().snapshot()->report, stage), textOf(*was.session().snapshot()->report, stage));
    QVERIFY(now.whatIf().lines() == was.whatIf().lines());
    QVERIFY(now.session().runInputs() == was.session().runInputs());
    QCOMPARE(now.watched().values().size(), std::size_t{1});
    QCOMPARE(now.watched().values().front().name, std::string("output"));
    QVERIFY(now.notes().notes() == was.notes().notes());
    QVERIFY(now.notes().bookmarks() == was.notes().bookmarks());
    QVERIFY(!now.notes().isModified());
    QVERIFY(now.moment().place() == was.moment().place());
    QVERIFY(now.moment().place());
    // The line that tells about the session takes some room.
    static const QRegularExpression kSizes("\\d+");
    QCOMPARE(textOf(now.area().arrangement()).remove(kSizes), textOf(was.area().arrangement()).remove(kSizes));
    const sw::DocumentItem *selected = now.selection().selectedItem();
    QVERIFY(selected);
    QCOMPARE(selected->label, std::string("exp"));
    QVERIFY(now.baseline().current());
    QCOMPARE(now.baseline().current()->name, was.baseline().current()->name);
    QVERIFY(now.baseline().before());
    // The times are those of the run that was kept.
    const SnapshotPtr &snapshot = now.session().snapshot();
    QVERIFY(snapshot->measured);
    QCOMPARE(snapshot->measured->totalMedianNanoseconds, was.session().snapshot()->measured->totalMedianNanoseconds);
    QVERIFY(snapshot->measuredCompilation != snapshot->compilation);
    QVERIFY(now.windowTitle().contains("softmax.stepwell"));
    QVERIFY(!now.isWindowModified());
}

void SessionFilesTest::whatWasKeptCanBeComparedWith()
{
    EngineApp app;
    open(app, m_path);
    auto &notice = app.child<NoticeBar>("sessionNotice");
    QVERIFY(notice.isVisible());
    QVERIFY2(notice.text().contains("compiled here again"), qPrintable(notice.text()));
    QTest::mouseClick(notice.answers().front(), Qt::LeftButton);
    waitFor(app);
    QVERIFY(app.window.baseline().current());
    QVERIFY(app.window.baseline().current()->name.startsWith("as kept"));
    QCOMPARE(differenceOf(*app.window.baseline().current()->report, readFrom(m_path).report), QString());
}

void SessionFilesTest::isABaselineOfAnotherProgram()
{
    const sw::SessionContents kept = readFrom(m_path);
    EngineApp app("n: dim[1, 64] = 8\ninput x: f32[n, 64]\noutput softmax(x * 2.0, axis = -1)\n");
    waitFor(app);
    const std::uint64_t compilation = app.window.session().snapshot()->compilation;
    app.window.compareWithFile(m_path);
    QTRY_VERIFY_WITH_TIMEOUT(app.window.baseline().before() && app.isReady(), kPatience);
    const BaselineEntry &entry = *app.window.baseline().current();
    QCOMPARE(entry.name, QFileInfo(m_path).fileName());
    QVERIFY(!entry.isFollowing());
    QCOMPARE(differenceOf(*entry.report, kept.report), QString());
    QCOMPARE(entry.report->totalMedianNanoseconds, kept.report.totalMedianNanoseconds); // it was not run again
    QCOMPARE(entry.request.text, std::string(kProgram));
    QCOMPARE(app.window.baseline().differences().state(sw::StageKind::Graph), DifferenceState::Different);
    QCOMPARE(app.window.session().snapshot()->compilation, compilation);
    QVERIFY(app.window.sessionPath().isEmpty());
    // A file that is none is told, and what is compared with stays.
    QFile broken(m_folder.filePath("broken.stepwell"));
    QVERIFY(broken.open(QIODevice::WriteOnly));
    broken.write(contentOf(m_path).left(100));
    broken.close();
    QSignalSpy failed(&app.window, &MainWindow::fileFailed);
    app.window.compareWithFile(broken.fileName());
    QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, kPatience);
    QCOMPARE(app.window.baseline().current()->name, QFileInfo(m_path).fileName());
}

void SessionFilesTest::opensWhereNothingCanBeCompiled()
{
    Bare app;
    open(app, m_path);
    QVERIFY(app.window.session().isKept());
    const sw::SessionContents kept = readFrom(m_path);
    QCOMPARE(differenceOf(kept.report, *app.snapshot().report), QString());
    QCOMPARE(app.snapshot().measured->totalMedianNanoseconds, kept.report.totalMedianNanoseconds);
    QVERIFY(kept.report.totalMedianNanoseconds);
    // It says what is not possible and why.
    auto &notice = app.child<NoticeBar>("sessionNotice");
    QVERIFY(notice.isVisible());
    QVERIFY2(notice.text().contains("cannot be compiled here") && notice.text().contains("stepwell-host"),
             qPrintable(notice.text()));
    QVERIFY(!app.window.action("compile.run")->isEnabled());
    QVERIFY(!app.child<TimelineBar>("timelineBar").isEnabled());
    // Nothing counts as out of date, and what belongs together lights up.
    for (const PanelRow &row : panelRows())
        QVERIFY2(!app.child<Panel>(row.id).isMarkedOutOfDate(), row.id);
    app.window.selection().clear();
    app.window.setPerspective("compile");
    EngineApp::click(app.graph(), "exp");
    for (const sw::StageKind stage : kStages)
        QVERIFY2(!app.window.selection().selected(stage).isEmpty(), std::to_string(static_cast<int>(stage)).c_str());
    // Every pane can be looked at.
    for (const PanelRow &row : panelRows()) {
        app.window.action(QStringLiteral("go.") + row.id)->trigger();
        QTRY_VERIFY2_WITH_TIMEOUT(app.isReady(), row.id, kPatience);
    }
    QVERIFY(EngineApp::rowWith(app.text("machine"), "ret") >= 0);
    QVERIFY(app.window.session().isKept());
}

void SessionFilesTest::goesOnOnADeviceThatIsThere()
{
    Bare app;
    open(app, m_path);
    QTRY_VERIFY_WITH_TIMEOUT(app.hasDevice("interpreter"), kPatience);
    static_cast<EngineApp &>(app).choose("interpreter");
    waitFor(app);
    QVERIFY(!app.window.session().isKept());
    QVERIFY(app.snapshot().report->succeeded);
    QVERIFY(app.window.action("compile.run")->isEnabled());
    QVERIFY(app.child<TimelineBar>("timelineBar").isEnabled());
    app.window.action("compile.run")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.snapshot().measuredCompilation == app.snapshot().compilation, kPatience);
    QCOMPARE(app.snapshot().measured->device, std::string("interpreter"));
}

void SessionFilesTest::keepsItsTimesWhenOnlyANoteIsAdded()
{
    const QString path = m_folder.filePath("copy.stepwell");
    QVERIFY(QFile::copy(m_path, path));
    const sw::SessionContents before = readFrom(path);
    for (const bool isBare : {true, false}) {
        EngineApp app(nullptr, isBare ? "/nowhere/stepwell-host" : STEPWELL_HOST_PROGRAM);
        open(app, path);
        app.window.selection().clear();
        app.window.notes().add({}, "one more");
        QVERIFY(app.window.isWindowModified());
        QSignalSpy saved(&app.window, &MainWindow::sessionSaved);
        app.window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&app.window));
        QTest::keyClick(&app.window, Qt::Key_S, Qt::ControlModifier); // the program is in the session
        QTRY_COMPARE_WITH_TIMEOUT(saved.count(), 1, kPatience);
        QVERIFY(!app.window.isWindowModified());
        const sw::SessionContents after = readFrom(path);
        QCOMPARE(after.notes.size(), before.notes.size() + (isBare ? 1 : 2));
        QCOMPARE(after.report.totalMedianNanoseconds, before.report.totalMedianNanoseconds);
        QCOMPARE(after.report.outputs.size(), before.report.outputs.size());
        QCOMPARE(QString::fromStdString(after.machine), QString::fromStdString(before.machine));
        QCOMPARE(after.rewrites.size(), before.rewrites.size());
        QCOMPARE(after.report.messages.size(), before.report.messages.size()); // why it was not compiled is not kept
    }
}

void SessionFilesTest::ofAModelComesWithTheModel()
{
    const QString model = m_folder.filePath("digits.onnx");
    QVERIFY(QFile::copy(QStringLiteral(STEPWELL_SOURCE_FOLDER) + "/tests/data/models/mnist8/model.onnx", model));
    const QString path = m_folder.filePath("model.stepwell");
    {
        EngineApp app;
        QVERIFY(app.window.openFile(model));
        waitFor(app);
        QVERIFY(app.snapshot().report->succeeded);
        save(app, path);
    }
    QVERIFY(QFile::remove(model));
    EngineApp app;
    open(app, path);
    QVERIFY(!app.window.session().isKept());
    QVERIFY(app.snapshot().report->succeeded);
    QVERIFY(app.editor().isReadOnly());
    QVERIFY(app.child<NoticeBar>("overridesNotice").isHidden()); // there are none
    // And once more, from what was opened.
    const QString again = m_folder.filePath("again.stepwell");
    save(app, again);
    QCOMPARE(readFrom(again).program, readFrom(path).program);
}

void SessionFilesTest::isOpenedByDroppingIt()
{
    EngineApp app;
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(m_path)});
    QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &data, Qt::LeftButton, {});
    QCoreApplication::sendEvent(&app.window, &enter);
    QVERIFY(enter.isAccepted());
    QSignalSpy opened(&app.window, &MainWindow::sessionOpened);
    QDropEvent drop(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, {});
    QCoreApplication::sendEvent(&app.window, &drop);
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, kPatience);
    QCOMPARE(app.editor().toPlainText(), QString(kProgram));
}

void SessionFilesTest::thatIsDamagedLeavesWhatIsShown()
{
    const QString path = m_folder.filePath("damaged.stepwell");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    const QByteArray whole = contentOf(m_path);
    file.write(whole.left(whole.size() / 2));
    file.close();
    EngineApp app("input a: f32[2]\noutput a + a\n");
    waitFor(app);
    QSignalSpy failed(&app.window, &MainWindow::fileFailed);
    app.window.openFile(path);
    QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, kPatience);
    QVERIFY(failed.front().front().toString().contains("damaged.stepwell"));
    QCOMPARE(app.editor().toPlainText(), "input a: f32[2]\noutput a + a\n");
    QVERIFY(app.window.sessionPath().isEmpty());
}

void SessionFilesTest::thatCannotBeSavedSaysWhy()
{
    EngineApp app(kProgram);
    waitFor(app);
    app.window.notes().add({}, "unsaved");
    QSignalSpy failed(&app.window, &MainWindow::fileFailed);
    app.window.saveSessionTo(app.folder.filePath("nowhere/a.stepwell"));
    QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, kPatience);
    QVERIFY(failed.front().front().toString().contains("nowhere/a.stepwell"));
    QVERIFY(app.window.notes().isModified());
    QVERIFY(app.window.sessionPath().isEmpty());
}

void SessionFilesTest::isAmongTheRecentFiles()
{
    EngineApp app;
    open(app, m_path);
    QVERIFY(app.child<QMenu>("recentMenu").actions().front()->toolTip() == m_path);
    QSignalSpy opened(&app.window, &MainWindow::sessionOpened);
    app.child<QMenu>("recentMenu").actions().front()->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, kPatience);
}

QTEST_MAIN(SessionFilesTest)
#include "tst_session_files.moc"
