// What the user wrote is kept: saving, drafts, files that change behind the window's back, settings.

#include "tests/gui/fake_engine.h"
#include "tests/gui/patience.h"
#include "ui/main_window.h"
#include "ui/notice_bar.h"
#include "ui/session/disk_file.h"
#include "ui/session/program_title.h"
#include "ui/text_view/program_editor.h"

#include <QAction>
#include <QDir>
#include <QMenu>
#include <QMessageBox>
#include <QProcess>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

#include <sys/resource.h>

#include <csignal>

using namespace stepwell::ui;

namespace {

constexpr const char *kProgram = "x = input()\ny = exp(x)\n";

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void write(const QString &path, const QByteArray &bytes)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
        qFatal("%s cannot be written", qPrintable(path));
}

// Simulates a disk that is full after that many bytes of a file.
class FullDisk {
public:
    explicit FullDisk(rlim_t bytes)
    {
        ::getrlimit(RLIMIT_FSIZE, &m_before);
        m_handler = std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{bytes, m_before.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FullDisk()
    {
        ::setrlimit(RLIMIT_FSIZE, &m_before);
        std::signal(SIGXFSZ, m_handler);
    }
    FullDisk(const FullDisk &) = delete;
    FullDisk &operator=(const FullDisk &) = delete;

private:
    rlimit m_before{};
    void (*m_handler)(int) = nullptr;
};

struct App {
    explicit App(const QString &folder) : settings(folder + "/settings.json"), window(engine, appearance, settings)
    {
        window.show();
    }
    ~App() { editor().document()->setModified(false); } // closing must not ask

    [[nodiscard]] ProgramEditor &editor() { return *window.findChild<ProgramEditor *>("programEditor"); }
    [[nodiscard]] NoticeBar &notice(const char *name) { return *window.findChild<NoticeBar *>(name); }
    void type(const QString &text)
    {
        editor().moveCursor(QTextCursor::End);
        QTest::keyClicks(&editor(), text);
    }
    void press(const char *notice_, int answer) { notice(notice_).answers().at(static_cast<std::size_t>(answer))->click(); }

    FakeEngine engine;
    Appearance appearance{"dark"};
    Settings settings;
    MainWindow window;
};

// Answers the next dialog of that name with the button of that text, from within its event loop.
void answer(const char *question, const QString &button)
{
    QTimer::singleShot(0, qApp, [question, button] {
        auto *box = qobject_cast<QMessageBox *>(QApplication::activeModalWidget());
        if (!box) {
            answer(question, button);
            return;
        }
        QCOMPARE(box->objectName(), QString(question));
        for (QAbstractButton *candidate : box->buttons())
            if (candidate->text().remove('&') == button) {
                candidate->click();
                return;
            }
        box->reject();
        QFAIL("the question has no such button");
    });
}

} // namespace

class TestKeeping : public QObject {
    Q_OBJECT

private slots:
    void aFullDiskLeavesTheFileAsItWas()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath("program.sw");
        write(path, kProgram);
        const QByteArray large(1 << 20, '#');
        for (const rlim_t room : {0U, 100U, 65'536U}) {
            const FullDisk disk(room);
            QVERIFY(!writeFile(path, large, sw::Durability::Synced).isEmpty());
            QVERIFY(!writeFile(path, large, sw::Durability::Cached).isEmpty());
        }
        QCOMPARE(contentOf(path), QByteArray(kProgram));
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList{"program.sw"});
        QCOMPARE(writeFile(path, large, sw::Durability::Synced), QString());
        QCOMPARE(contentOf(path), large);
    }

    void aFullDiskLeavesTheSettingsAsTheyWere()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath("settings.json");
        {
            Settings settings(path);
            settings.setTheme("light");
        }
        const QByteArray before = contentOf(path);
        QVERIFY(before.contains("light"));
        {
            const FullDisk disk(static_cast<rlim_t>(before.size()) / 2);
            Settings settings(path);
            settings.setGeometry(QByteArray(5000, 'x'));
            settings.sync();
        }
        Settings settings(path);
        QCOMPARE(settings.theme(), "light");
    }

    void twoWindowsKeepEachOthersSettings()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath("settings.json");
        {
            Settings first(path);
            Settings second(path);
            first.setTheme("light");
            second.setDevice("c");
        }
        const Settings both(path);
        QCOMPARE(both.theme(), "light");
        QCOMPARE(both.device(), "c");
    }

    void savingAFileThatChangedOnDiskAsks()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath("program.sw");
        write(path, kProgram);
        App app(folder.path());
        QVERIFY(app.window.openFile(path));
        app.type("z = neg(y)");
        write(path, "theirs = input()\n");
        answer("changedOnDiskQuestion", "Cancel");
        app.window.action("file.save")->trigger();
        QCOMPARE(contentOf(path), QByteArray("theirs = input()\n"));
        QVERIFY(app.window.isWindowModified());
        answer("changedOnDiskQuestion", "Overwrite");
        app.window.action("file.save")->trigger();
        QCOMPARE(contentOf(path), QByteArray(kProgram) + "z = neg(y)");
        QVERIFY(!app.window.isWindowModified());
        // What was just saved is known, so there is no question.
        app.type(" ");
        app.window.action("file.save")->trigger();
        QVERIFY(!app.window.isWindowModified());
    }

    void theQuestionOffersToReload()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath("program.sw");
        write(path, kProgram);
        App app(folder.path());
        QVERIFY(app.window.openFile(path));
        app.type("z = neg(y)");
        write(path, "theirs = input()\n");
        answer("changedOnDiskQuestion", "Reload");
        app.window.action("file.save")->trigger();
        QCOMPARE(app.editor().toPlainText(), "theirs = input()\n");
        QVERIFY(!app.window.isWindowModified());
        app.editor().undo();
        QCOMPARE(app.editor().toPlainText(), QString(kProgram) + "z = neg(y)");
    }

    void aFileThatChangesOffersToReload()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath("program.sw");
        write(path, kProgram);
        App app(folder.path());
        QVERIFY(app.window.openFile(path));
        QVERIFY(!app.notice("diskNotice").isVisible());
        write(path, "theirs = input()\n");
        QTRY_VERIFY_WITH_TIMEOUT(app.notice("diskNotice").isVisible(), kPatience);
        QVERIFY(app.notice("diskNotice").text().contains("program.sw has changed on disk"));
        app.press("diskNotice", 0);
        QVERIFY(!app.notice("diskNotice").isVisible());
        QCOMPARE(app.editor().toPlainText(), "theirs = input()\n");
        QTRY_VERIFY_WITH_TIMEOUT(app.window.session().isCompiledText("theirs = input()\n"), kPatience);
        // Again, this time replaced by a rename as editors do it, and the user keeps the text.
        write(folder.filePath("new"), "again = input()\n");
        QVERIFY(QFile::remove(path) && QFile::rename(folder.filePath("new"), path));
        QTRY_VERIFY_WITH_TIMEOUT(app.notice("diskNotice").isVisible(), kPatience);
        app.press("diskNotice", 1);
        QCOMPARE(app.editor().toPlainText(), "theirs = input()\n");
    }

    void aFileThatIsGoneIsNoLongerSaved()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath("program.sw");
        write(path, kProgram);
        App app(folder.path());
        QVERIFY(app.window.openFile(path));
        QVERIFY(QFile::remove(path));
        QTRY_VERIFY_WITH_TIMEOUT(app.notice("diskNotice").isVisible(), kPatience);
        QVERIFY(app.window.isWindowModified());
        app.window.action("file.save")->trigger();
        QCOMPARE(contentOf(path), QByteArray(kProgram));
        QVERIFY(!app.notice("diskNotice").isVisible());
    }

    void lineEndingsAndHardBlanksStay()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath("program.sw");
        write(path, "x = input()\r\n# a\u00a0b\r\n");
        App app(folder.path());
        QVERIFY(app.window.openFile(path));
        app.type("y = exp(x)");
        app.window.action("file.save")->trigger();
        QCOMPARE(contentOf(path), QByteArray("x = input()\r\n# a\u00a0b\r\ny = exp(x)"));
    }

    void savingUnderAnotherNameRenamesTheProgram()
    {
        const QTemporaryDir folder;
        Session *session = nullptr;
        App app(folder.path());
        session = &app.window.session();
        app.window.openText("untitled.sw", kProgram);
        QTRY_COMPARE_WITH_TIMEOUT(session->activity(), Activity::Idle, kPatience);
        session->renameProgram("/elsewhere/program.sw");
        QCOMPARE(session->source().fileName, "/elsewhere/program.sw");
        QCOMPARE(session->activity(), Activity::Compiling); // the files beside it are different now
        QTRY_COMPARE_WITH_TIMEOUT(session->activity(), Activity::Idle, kPatience);
    }

    // The program types into a window until it is killed.
    void unsavedTextSurvivesAKill()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath("program.sw");
        write(path, kProgram);
        QProcess typist;
        typist.setProcessChannelMode(QProcess::MergedChannels);
        typist.start(QCoreApplication::applicationFilePath(), {"typeForever", folder.path(), path});
        QVERIFY(typist.waitForStarted());
        const QString drafts = folder.filePath("settings.json.drafts");
        const auto draftOf = [&] {
            const QStringList names = QDir(drafts).entryList({"*.draft"}, QDir::Files);
            return names.isEmpty() ? QByteArray() : contentOf(drafts + '/' + names.front());
        };
        QTRY_VERIFY_WITH_TIMEOUT(draftOf().endsWith("y = exp(x)\nunsaved = neg(y)"), 60'000);
        {
            App other(folder.path()); // a second window leaves the first one's draft alone
            QVERIFY(!other.window.restoreNewestDraft());
        }
        typist.kill();
        QVERIFY(typist.waitForFinished());
        QCOMPARE(contentOf(path), QByteArray(kProgram));

        App app(folder.path());
        QVERIFY(app.window.restoreNewestDraft());
        QCOMPARE(app.editor().toPlainText(), QString(kProgram) + "unsaved = neg(y)");
        QVERIFY(app.window.isWindowModified());
        QVERIFY(app.notice("draftNotice").isVisible());
        QVERIFY(app.notice("draftNotice").text().contains("program.sw"));
        App third(folder.path());
        QVERIFY(!third.window.restoreNewestDraft()); // it has an owner again
        app.window.action("file.save")->trigger();
        QCOMPARE(contentOf(path), QByteArray(kProgram) + "unsaved = neg(y)");
        QVERIFY(draftOf().isEmpty());
        QVERIFY(QDir(drafts).isEmpty());
    }

    void openingAFileRestoresItsUnsavedText()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath("program.sw");
        write(path, kProgram);
        {
            Drafts drafts(folder.filePath("settings.json.drafts"));
            QCOMPARE(drafts.keep({path, "program.sw", DiskFile::fingerprintOf(kProgram), "unsaved = input()\n"}), QString());
        }
        write(path, "theirs = input()\n");
        App app(folder.path());
        QVERIFY(app.window.openFile(path));
        QCOMPARE(app.editor().toPlainText(), "unsaved = input()\n");
        QVERIFY(app.notice("diskNotice").isVisible()); // it changed meanwhile
        app.press("draftNotice", 0);
        QCOMPARE(app.editor().toPlainText(), "theirs = input()\n");
        QVERIFY(!app.window.isWindowModified());
        QVERIFY(QDir(folder.filePath("settings.json.drafts")).isEmpty());
    }

    void everyAbandonedDraftIsInTheMenu()
    {
        const QTemporaryDir folder;
        for (const char *name : {"one.sw", "two.sw"}) {
            Drafts drafts(folder.filePath("settings.json.drafts"));
            QCOMPARE(drafts.keep({{}, name, {}, QString(name) + " = input()\n"}), QString());
            // Drafts say when they were written in milliseconds.
            const qint64 now = QDateTime::currentMSecsSinceEpoch();
            QTRY_VERIFY_WITH_TIMEOUT(QDateTime::currentMSecsSinceEpoch() > now, kPatience);
        }
        App app(folder.path());
        QVERIFY(app.window.restoreNewestDraft());
        QCOMPARE(app.editor().toPlainText(), "two.sw = input()\n");
        auto &menu = *app.window.findChild<QMenu *>("unsavedMenu");
        emit menu.aboutToShow();
        QCOMPARE(menu.actions().size(), 1);
        QVERIFY(menu.actions().front()->text().startsWith("one.sw"));
    }

    void closingProperlyLeavesNoDraft()
    {
        const QTemporaryDir folder;
        {
            App app(folder.path());
            app.window.openText("untitled.sw", kProgram);
            app.type("unsaved");
            QTRY_COMPARE_WITH_TIMEOUT(QDir(folder.filePath("settings.json.drafts")).entryList({"*.draft"}).size(), 1, kPatience);
            app.editor().undo();
            QTRY_COMPARE_WITH_TIMEOUT(QDir(folder.filePath("settings.json.drafts")).entryList({"*.draft"}).size(), 0, kPatience);
            app.type("unsaved");
            QTRY_COMPARE_WITH_TIMEOUT(QDir(folder.filePath("settings.json.drafts")).entryList({"*.draft"}).size(), 1, kPatience);
            answer("unsavedQuestion", "Cancel");
            app.window.close();
            QCOMPARE(QDir(folder.filePath("settings.json.drafts")).entryList({"*.draft"}).size(), 1);
            QTimer::singleShot(0, qApp, [] {
                qobject_cast<QMessageBox *>(QApplication::activeModalWidget())->button(QMessageBox::Discard)->click();
            });
            app.window.close();
            QVERIFY(QDir(folder.filePath("settings.json.drafts")).isEmpty());
        }
    }

    void modelsAreNamedWithTheirFolder()
    {
        QCOMPARE(titleOf("/models/mnist12/model.onnx"), "mnist12/model.onnx");
        QCOMPARE(titleOf("/programs/mlp.sw"), "mlp.sw");
        QCOMPARE(titleOf("untitled.sw"), "untitled.sw");
        QCOMPARE(titleOf("/model.onnx"), "/model.onnx");
        QCOMPARE(titlesOf({"/a/x/mlp.sw", "/b/x/mlp.sw", "/b/y.sw", "/a/m/model.onnx", "/b/m/model.onnx"}),
                 (QStringList{"a/x/mlp.sw", "b/x/mlp.sw", "y.sw", "a/m/model.onnx", "b/m/model.onnx"}));
        QCOMPARE(titlesOf({"/x.sw", "/x.sw"}), (QStringList{"/x.sw", "/x.sw"}));
        const QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkdir("R&D"));
        const QString path = folder.filePath("R&D/model.onnx");
        write(path, "not a model, and the made-up engine does not mind");
        App app(folder.path());
        QVERIFY(app.window.openFile(path));
        QVERIFY(app.window.windowTitle().startsWith("R&D/model.onnx"));
        const auto &recent = *app.window.findChild<QMenu *>("recentMenu");
        QCOMPARE(recent.actions().front()->text(), "R&&D/model.onnx");
        QCOMPARE(recent.actions().front()->toolTip(), path);
        QVERIFY(!app.window.action("file.save")->isEnabled()); // a model has no text of its own
    }
};

// The other half of unsavedTextSurvivesAKill.
static int typeForever(const QString &folder, const QString &path)
{
    App app(folder);
    app.window.openFile(path);
    app.type("unsaved = neg(y)");
    return QApplication::exec();
}

int main(int argumentCount, char **arguments)
{
    QApplication application(argumentCount, arguments);
    const QStringList words = QCoreApplication::arguments();
    if (words.size() == 4 && words[1] == "typeForever")
        return typeForever(words[2], words[3]);
    TestKeeping test;
    return QTest::qExec(&test, argumentCount, arguments);
}

#include "tst_keeping.moc"
