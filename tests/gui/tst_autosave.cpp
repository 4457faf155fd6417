// The session is kept aside while the window is open, and offered again when the window ended without being closed.

#include "engine/api/session_file/session_file.h"
#include "tests/gui/engine_app.h"
#include "ui/notice_bar.h"
#include "ui/session/autosave.h"

#include <QAction>
#include <QDir>
#include <QProcess>
#include <QPushButton>
#include <QSignalSpy>

using namespace stepwell::ui;

namespace {

constexpr const char *kProgram = "input x: f32[64, 32]\noutput softmax(x, axis = -1)\n";

QString folderIn(const QString &home)
{
    return home + "/settings.ini.sessions";
}

QStringList filesIn(const QString &home)
{
    return QDir(folderIn(home)).entryList({"*.stepwell"}, QDir::Files);
}

std::optional<sw::SessionContents> newestIn(const QString &home)
{
    const QStringList files = filesIn(home);
    if (files.isEmpty())
        return {};
    sw::Result<sw::SessionContents> read = sw::openSession((folderIn(home) + '/' + files.front()).toStdString());
    return read ? std::optional(*std::move(read)) : std::nullopt;
}

struct HomeApp : EngineApp {
    explicit HomeApp(const QString &home) : EngineApp(nullptr, STEPWELL_HOST_PROGRAM, home) {}
    [[nodiscard]] NoticeBar &offer() { return child<NoticeBar>("restoreNotice"); }
    void answer(const QString &text)
    {
        for (QPushButton *button : offer().answers())
            if (button->text().remove(u'&') == text) {
                QTest::mouseClick(button, Qt::LeftButton);
                return;
            }
        QFAIL("there is no such answer");
    }
};

// Works until it is killed: a note, a selection, an override, an edit.
int workForever(const QString &home, const QString &path)
{
    HomeApp app(home);
    app.window.openFile(path);
    QObject::connect(&app.window.session(), &Session::compileFinished, &app.window, [&app, isFirst = true]() mutable {
        if (!std::exchange(isFirst, false))
            return;
        app.window.notes().add({}, "before the crash");
        app.window.selection().select(sw::StageKind::Graph, {1});
        app.window.whatIf().add("apart softmax/max -> softmax/shifted");
    });
    return QApplication::exec();
}

sw::SessionContents someContents()
{
    sw::SessionContents contents;
    contents.fileName = "some.sw";
    contents.program = "input a: f32[2]\noutput a\n";
    contents.device = "llvm";
    return contents;
}

} // namespace

class AutosaveTest : public QObject {
    Q_OBJECT

private slots:
    void aKilledWindowIsRestored();
    void newerTextStays();
    void whatIsDiscardedIsGone();
    void aClosedWindowLeavesNothing();
    void everyWindowHasItsOwn();
    void theNewestContentsWin();
    void aFullDiskIsTold();
    void whatIsTooLargeIsLeftOut();
    void onlyTheNewestAreKept();
};

void AutosaveTest::aKilledWindowIsRestored()
{
    const QTemporaryDir home;
    const QString path = home.filePath("softmax.sw");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(kProgram) > 0);
    file.close();
    QProcess worker;
    worker.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    worker.start(QCoreApplication::applicationFilePath(), {"workForever", home.path(), path});
    QVERIFY(worker.waitForStarted());
    const auto isKept = [&] {
        const std::optional<sw::SessionContents> kept = newestIn(home.path());
        return kept && !kept->notes.empty() && !kept->overrides.empty() && !kept->report.overrides.empty();
    };
    QTRY_VERIFY_WITH_TIMEOUT(isKept(), kPatience);
    {
        HomeApp other(home.path()); // a window that lives keeps its own
        other.window.offerRestore();
        QVERIFY(other.offer().isHidden());
    }
    worker.kill();
    QVERIFY(worker.waitForFinished());

    HomeApp app(home.path());
    app.window.offerRestore();
    QVERIFY(app.offer().isVisible());
    QVERIFY2(app.offer().text().contains("softmax.sw"), qPrintable(app.offer().text()));
    QSignalSpy opened(&app.window, &MainWindow::sessionOpened);
    app.answer("Restore");
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
    QVERIFY(app.offer().isHidden());
    QCOMPARE(app.editor().toPlainText(), QString(kProgram));
    QCOMPARE(app.window.notes().notes().size(), std::size_t{1});
    QCOMPARE(app.window.notes().notes().front().text, std::string("before the crash"));
    QCOMPARE(app.window.whatIf().lines().size(), std::size_t{1});
    QVERIFY(app.window.selection().firstSelected());
    QCOMPARE(app.window.selection().firstSelected()->item, sw::ItemIndex{1});
    // It belongs to its file again, and to this window.
    QVERIFY(app.window.action("file.reload")->isEnabled());
    QVERIFY(!app.editor().document()->isModified());
    HomeApp third(home.path());
    third.window.offerRestore();
    QVERIFY(third.offer().isHidden());
}

// The draft of a text is kept sooner than the session.
void AutosaveTest::newerTextStays()
{
    const QTemporaryDir home;
    {
        Autosave earlier(folderIn(home.path()));
        QSignalSpy kept(&earlier, &Autosave::kept);
        sw::SessionContents contents = someContents();
        contents.notes = {{std::nullopt, sw::kNoIndex, "", "noted"}};
        earlier.keep(contents, "some.sw");
        QTRY_COMPARE_WITH_TIMEOUT(kept.count(), 1, kPatience);
        QCOMPARE(kept.front().front().toString(), QString());
    }
    HomeApp app(home.path());
    app.window.openText("some.sw", "input a: f32[2]\noutput a\n");
    QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
    app.editor().moveCursor(QTextCursor::End);
    app.type("# typed later");
    app.window.offerRestore();
    app.answer("Restore");
    QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && !app.window.notes().notes().empty(), kPatience);
    QCOMPARE(app.editor().toPlainText(), "input a: f32[2]\noutput a\n# typed later");
    QVERIFY(app.editor().document()->isModified());
    app.editor().document()->setModified(false);
}

void AutosaveTest::whatIsDiscardedIsGone()
{
    const QTemporaryDir home;
    for (const char *title : {"one.sw", "two.sw"}) {
        Autosave earlier(folderIn(home.path()));
        QSignalSpy kept(&earlier, &Autosave::kept);
        earlier.keep(someContents(), title);
        QTRY_COMPARE_WITH_TIMEOUT(kept.count(), 1, kPatience);
    }
    HomeApp app(home.path());
    app.window.offerRestore();
    QVERIFY2(app.offer().text().contains("1 older one"), qPrintable(app.offer().text()));
    app.answer("Discard");
    QCOMPARE(filesIn(home.path()).size(), 1);
    QVERIFY(app.offer().isVisible());
    app.answer("Discard");
    QVERIFY(QDir(folderIn(home.path())).isEmpty());
    QVERIFY(app.offer().isHidden());
}

void AutosaveTest::aClosedWindowLeavesNothing()
{
    const QTemporaryDir home;
    HomeApp app(home.path());
    app.window.openText("some.sw", kProgram);
    QTRY_COMPARE_WITH_TIMEOUT(filesIn(home.path()).size(), 1, kPatience);
    QVERIFY(app.window.close());
    QVERIFY(QDir(folderIn(home.path())).isEmpty());
}

void AutosaveTest::everyWindowHasItsOwn()
{
    const QTemporaryDir home;
    HomeApp one(home.path());
    HomeApp two(home.path());
    one.window.openText("one.sw", kProgram);
    two.window.openText("two.sw", kProgram);
    QTRY_COMPARE_WITH_TIMEOUT(filesIn(home.path()).size(), 2, kPatience);
}

void AutosaveTest::theNewestContentsWin()
{
    const QTemporaryDir home;
    Autosave autosave(folderIn(home.path()));
    sw::SessionContents contents = someContents();
    for (int i = 0; i < 20; ++i) {
        contents.notes = {{std::nullopt, sw::kNoIndex, "", std::to_string(i)}};
        autosave.keep(contents, "some.sw");
    }
    QTRY_VERIFY_WITH_TIMEOUT(!autosave.isWriting(), kPatience);
    QCOMPARE(newestIn(home.path())->notes.front().text, std::string("19"));
    autosave.discard();
    QVERIFY(QDir(folderIn(home.path())).isEmpty());
}

void AutosaveTest::aFullDiskIsTold()
{
    const QTemporaryDir home;
    const QString folder = home.filePath("no folder");
    QFile file(folder); // a file where the folder should be
    QVERIFY(file.open(QIODevice::WriteOnly));
    Autosave autosave(folder);
    QSignalSpy kept(&autosave, &Autosave::kept);
    autosave.keep(someContents(), "some.sw");
    QCOMPARE(kept.count(), 1);
    QVERIFY(kept.front().front().toString().contains("no folder"));
}

void AutosaveTest::whatIsTooLargeIsLeftOut()
{
    const auto tensor = [](const char *name) {
        return std::make_shared<const sw::TensorView>(name, sw::HostTensor(sw::DType::F32, sw::Shape({256})));
    };
    sw::SessionContents contents = someContents();
    for (const char *name : {"x", "y"}) {
        sw::InputChoice choice;
        choice.name = name;
        choice.fill = sw::InputFill::Tensor;
        choice.tensor = tensor(name);
        contents.inputs.inputs.push_back(choice);
    }
    contents.report.outputs = {tensor("out")};
    const sw::SessionContents all = boundedContents(contents, 3072);
    QVERIFY(all.inputs.inputs[1].tensor && all.report.outputs.size() == 1);
    const sw::SessionContents inputs = boundedContents(contents, 3071);
    QVERIFY(inputs.inputs.inputs[1].tensor && inputs.report.outputs.empty());
    const sw::SessionContents one = boundedContents(contents, 1024);
    QVERIFY(one.inputs.inputs[0].tensor && !one.inputs.inputs[1].tensor);
    QVERIFY(one.inputs.inputs[1].fill == sw::InputFill::Program);
}

void AutosaveTest::onlyTheNewestAreKept()
{
    const QTemporaryDir home;
    for (std::size_t i = 0; i < kAbandonedSessions + 3; ++i) {
        Autosave earlier(folderIn(home.path()));
        QSignalSpy kept(&earlier, &Autosave::kept);
        earlier.keep(someContents(), QString::number(i));
        QTRY_COMPARE_WITH_TIMEOUT(kept.count(), 1, kPatience);
    }
    const Autosave autosave(folderIn(home.path()));
    const std::vector<AbandonedSession> abandoned = autosave.abandoned();
    QCOMPARE(abandoned.size(), kAbandonedSessions);
    QCOMPARE(abandoned.front().title, QString::number(kAbandonedSessions + 2));
    QCOMPARE(static_cast<std::size_t>(filesIn(home.path()).size()), kAbandonedSessions);
}

int main(int argumentCount, char **arguments)
{
    QApplication application(argumentCount, arguments);
    const QStringList words = QCoreApplication::arguments();
    if (words.size() == 4 && words[1] == "workForever")
        return workForever(words[2], words[3]);
    AutosaveTest test;
    return QTest::qExec(&test, argumentCount, arguments);
}

#include "tst_autosave.moc"
