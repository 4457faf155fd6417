// The text of a kernel is edited in its pane, on the real engine: errors, values before times, variants, and kernels that crash
// or never end.

#include "tests/gui/what_if_app.h"
#include "ui/panels/code_editor.h"

#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QTemporaryDir>
#include <QToolButton>

using namespace stepwell::ui;
using sw::StageKind;

namespace {

constexpr const char *kProgram = "input x: f32[64]\noutput z = x - 2.5\n";

struct App : WhatIfApp {
    App() : WhatIfApp(QString::fromLatin1(kProgram)) {}

    [[nodiscard]] CodeEditor &codeEditor(const char *panel = "code") { return *child<TextPanel>(panel).codeEditor(); }
    [[nodiscard]] KernelTextEdit &codeText(const char *panel = "code") { return codeEditor(panel).text(); }
    [[nodiscard]] QString state(const char *panel = "code") { return codeEditor(panel).findChild<QLabel *>("codeState")->text(); }
    [[nodiscard]] bool isEditing(const char *panel = "code") { return isReady() && codeEditor(panel).isReady(); }
    // On the device c, with the pane and its editor open.
    bool openEditor(const char *panel = "code")
    {
        if (!QTest::qWaitFor([&] { return isReady() && hasDevice(QStringLiteral("c")); }, kPatience))
            return false;
        choose(QStringLiteral("c"));
        if (!QTest::qWaitFor([&] { return isReady() && snapshot().report->device == "c"; }, kPatience))
            return false;
        show(panel);
        QTest::mouseClick(child<TextPanel>(panel).tools()->findChild<QToolButton *>("editKernel"), Qt::LeftButton);
        return QTest::qWaitFor([&] { return isEditing(panel) && !codeText(panel).toPlainText().isEmpty(); }, kPatience);
    }
    // Types over the first place of a text.
    void replace(const QString &what, const QString &with, const char *panel = "code")
    {
        KernelTextEdit &text = codeText(panel);
        text.moveCursor(QTextCursor::Start);
        if (!text.find(what))
            qFatal("no %s in\n%s", qPrintable(what), qPrintable(text.toPlainText()));
        QTest::keyClicks(&text, with);
    }
    // A statement at the beginning of the kernel's body.
    void insert(const QString &statement)
    {
        KernelTextEdit &text = codeText();
        text.moveCursor(QTextCursor::Start);
        if (!text.find(QStringLiteral("\n{")) && !text.find(QStringLiteral("{")))
            qFatal("no body in\n%s", qPrintable(text.toPlainText()));
        text.moveCursor(QTextCursor::EndOfLine);
        QTest::keyClick(&text, Qt::Key_Return);
        QTest::keyClicks(&text, statement);
    }
    void apply(const char *panel = "code") { QTest::keyClick(&codeText(panel), Qt::Key_Return, Qt::ControlModifier); }
    void applyAndRun() { QTest::keyClick(&codeText(), Qt::Key_Return, Qt::ControlModifier | Qt::ShiftModifier); }
    bool waitUntilEdited()
    {
        return QTest::qWaitFor([this] { return isEditing(); }, kPatience);
    }
    [[nodiscard]] std::string stateOf(std::size_t index)
    {
        const auto &entries = snapshot().report->overrides;
        return index < entries.size() ? entries[index].state : "";
    }
    bool runs()
    {
        window.action("compile.run")->trigger();
        return QTest::qWaitFor(
            [this] {
                return isReady() && window.session().activity() == Activity::Idle && snapshot().report->totalMedianNanoseconds;
            },
            kPatience);
    }
    [[nodiscard]] QString messages()
    {
        QString all;
        for (const sw::Message &message : snapshot().report->messages)
            all += QString::fromStdString(message.text) + u'\n';
        return all;
    }
};

} // namespace

class TestCodeEditor : public QObject {
    Q_OBJECT

private slots:
    void anEditIsAppliedFixedKeptSwitchedAndUndone()
    {
        App app;
        QVERIFY(app.openEditor());
        const QString own = app.codeText().toPlainText();
        QVERIFY(app.state().contains("own text"));
        // An error stands in its line.
        app.insert(QStringLiteral("this is no code"));
        QVERIFY(app.state().contains("not applied yet"));
        app.apply();
        QVERIFY(app.waitUntilEdited());
        QTRY_COMPARE_WITH_TIMEOUT(app.stateOf(0), std::string("refused"), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(!app.codeText().markedLines().empty(), kPatience);
        const auto line = app.codeText().toPlainText().left(app.codeText().toPlainText().indexOf("this is")).count(u'\n');
        QCOMPARE(app.codeText().markedLines().front(), line);
        QVERIFY(!app.codeText().messageAt(line).isEmpty());
        QVERIFY2(app.state().contains("Refused"), qPrintable(app.state()));
        // Fixed, it is applied; its lines differ from those of the original.
        app.codeText().setPlainText(own);
        app.replace(QStringLiteral("2.5f"), QStringLiteral("4.5f"));
        app.applyAndRun();
        QVERIFY(app.waitUntilEdited());
        QTRY_COMPARE_WITH_TIMEOUT(app.stateOf(0), std::string("applied"), kPatience);
        QVERIFY(app.codeText().markedLines().empty());
        QCOMPARE(app.codeText().changedLines().size(), app.codeEditor().original().changedLines().size());
        QVERIFY(!app.codeText().changedLines().empty());
        // The wrong values are told, and before the time.
        QTRY_VERIFY_WITH_TIMEOUT(app.isEditing() && app.state().contains("Wrong: "), kPatience);
        QVERIFY2(app.state().contains("furthest off is z["), qPrintable(app.state()));
        QTRY_VERIFY_WITH_TIMEOUT(app.state().contains("Time: "), kPatience);
        QVERIFY(app.state().indexOf("Wrong: ") < app.state().indexOf("Time: "));

        // A second variant, then the first one again, then the kernel's own text.
        app.codeText().setPlainText(own + QStringLiteral("// same\n"));
        QTest::mouseClick(app.codeEditor().findChild<QToolButton *>("codeKeep"), Qt::LeftButton);
        QVERIFY(app.waitUntilEdited());
        QTRY_COMPARE_WITH_TIMEOUT(app.whatIf().lines().size(), std::size_t{2}, kPatience);
        QTRY_COMPARE_WITH_TIMEOUT(app.stateOf(1), std::string("applied"), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(app.state().contains("results are the same"), kPatience);
        QVERIFY(!app.whatIf().lines()[0].isOn);
        auto &variants = *app.codeEditor().findChild<QComboBox *>("codeVariant");
        QCOMPARE(variants.count(), 3);
        QCOMPARE(variants.currentText(), QStringLiteral("variant 1"));
        variants.setFocus();
        QTest::keyClick(&variants, Qt::Key_Up);
        QTRY_VERIFY_WITH_TIMEOUT(app.isEditing() && app.codeText().toPlainText().contains("4.5f"), kPatience);
        QVERIFY(app.whatIf().lines()[0].isOn && !app.whatIf().lines()[1].isOn);
        QTest::mouseClick(app.codeEditor().findChild<QToolButton *>("codeRevert"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(app.isEditing() && app.codeText().toPlainText() == own, kPatience);
        QVERIFY(!app.whatIf().lines()[0].isOn && !app.whatIf().lines()[1].isOn);
        // The list undoes it like all else, and the editor follows.
        app.whatIf().history().undo();
        QTRY_VERIFY_WITH_TIMEOUT(app.isEditing() && app.codeText().toPlainText().contains("4.5f"), kPatience);
        app.whatIf().history().redo();
        QTRY_VERIFY_WITH_TIMEOUT(app.isEditing() && app.codeText().toPlainText() == own, kPatience);
        // The original beside it.
        QVERIFY(!app.codeEditor().original().isVisible());
        QTest::mouseClick(app.codeEditor().findChild<QToolButton *>("codeBeside"), Qt::LeftButton);
        QVERIFY(app.codeEditor().original().isVisible());
        QCOMPARE(app.codeEditor().original().toPlainText(), own);
        QTest::keyClick(&app.codeText(), Qt::Key_Escape);
        QVERIFY(!app.codeEditor().isVisible());
        QVERIFY(app.text("code").isVisible());
    }

    void aLoweredTextGoesOnThroughTheSource()
    {
        App app;
        QVERIFY(app.openEditor("lowered"));
        app.replace(QStringLiteral("2.5"), QStringLiteral("4.5"), "lowered");
        app.apply("lowered");
        QTRY_VERIFY_WITH_TIMEOUT(app.isEditing("lowered") && app.stateOf(0) == "applied", kPatience);
        QVERIFY(App::rowWith(app.text("code"), QStringLiteral("4.5f")) >= 0);
        app.replace(QStringLiteral("sub f32"), QStringLiteral("tangle f32"), "lowered");
        app.apply("lowered");
        QTRY_VERIFY_WITH_TIMEOUT(app.isEditing("lowered") && app.stateOf(0) == "refused", kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(!app.codeText("lowered").markedLines().empty(), kPatience);
        QVERIFY(App::rowWith(app.text("code"), QStringLiteral("2.5f")) >= 0);
    }

    void variantsAreSavedAndOpenedAgain()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("p.sw"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(kProgram) > 0);
        file.close();
        {
            App app;
            app.window.openFile(path);
            QVERIFY(app.openEditor());
            app.replace(QStringLiteral("2.5f"), QStringLiteral("4.5f"));
            app.codeEditor().findChild<QLineEdit *>("codeName")->setText(QStringLiteral("four"));
            app.apply();
            QTRY_VERIFY_WITH_TIMEOUT(app.isEditing() && app.stateOf(0) == "applied", kPatience);
            app.window.action("file.save")->trigger();
            QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(WhatIf::fileOf(path)), kPatience);
        }
        App app;
        app.window.openFile(path);
        QVERIFY(app.openEditor());
        QCOMPARE(app.stateOf(0), std::string("applied"));
        QVERIFY(app.codeText().toPlainText().contains("4.5f"));
        QCOMPARE(app.codeEditor().findChild<QComboBox *>("codeVariant")->currentText(), QStringLiteral("four"));
        QVERIFY(app.codeEditor().original().toPlainText().contains("2.5f"));
    }

    // Each of them ends the host, and nothing else.
    void kernelsThatCrashAreToldAndTheNextRunWorks_data()
    {
        QTest::addColumn<QString>("statement");
        QTest::addColumn<QString>("told");
        QTest::newRow("out of bounds") << QStringLiteral("out0[64] = 1.0f;") << QStringLiteral("behind the end of argument 0");
        QTest::newRow("division by zero") << QStringLiteral("volatile i64 q = 7 / gx;") << QStringLiteral("divided by zero");
        QTest::newRow("null pointer") << QStringLiteral("*(volatile int *)0 = 1;") << QStringLiteral("null pointer");
    }
    void kernelsThatCrashAreToldAndTheNextRunWorks()
    {
        QFETCH(const QString, statement);
        QFETCH(const QString, told);
        App app;
        QVERIFY(app.openEditor());
        QVERIFY(app.runs());
        const QString own = app.codeText().toPlainText();
        app.insert(statement);
        const QString text = app.codeText().toPlainText();
        app.applyAndRun();
        QTRY_VERIFY_WITH_TIMEOUT(app.isEditing() && app.messages().contains(told), kPatience);
        QVERIFY2(app.messages().contains("kernel k0"), qPrintable(app.messages()));
        QCOMPARE(app.codeText().toPlainText(), text);
        QTest::mouseClick(app.codeEditor().findChild<QToolButton *>("codeRevert"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(app.isEditing() && app.codeText().toPlainText() == own, kPatience);
        QVERIFY(app.runs());
        QVERIFY(!app.messages().contains(told));
    }

    // On request; the text that is edited stays as it is.
    void anAccessBesideItsBufferIsToldWithItsLine()
    {
        App app;
        QVERIFY(app.openEditor("lowered"));
        // The last of four vectors begins half of its lanes further on.
        const int lanes = app.codeText("lowered").toPlainText().contains(QStringLiteral("f32x16")) ? 16 : 8;
        app.replace(QStringLiteral("const i64 %1").arg(3 * lanes), QStringLiteral("const i64 %1").arg(3 * lanes + lanes / 2),
                    "lowered");
        QTest::mouseClick(app.codeEditor("lowered").findChild<QToolButton *>("codeApply"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(app.isEditing("lowered") && app.stateOf(0) == "applied", kPatience);
        const QString text = app.codeText("lowered").toPlainText();
        app.window.action("compile.checkAccesses")->setChecked(true);
        app.window.action("compile.run")->trigger();
        const QString told = QStringLiteral("for the 64 elements of argument 0, z (%1 from there on are stored by line %2 ")
                                 .arg(lanes)
                                 .arg(text.left(text.lastIndexOf(QStringLiteral("store f32x"))).count(u'\n') + 1);
        QTRY_VERIFY2_WITH_TIMEOUT(app.messages().contains(told), qPrintable(told + u'\n' + app.messages()), kPatience);
        QVERIFY2(app.messages().contains(QStringLiteral("index %1 is out of range").arg(64 - lanes / 2)),
                 qPrintable(app.messages()));
        QCOMPARE(app.codeText("lowered").toPlainText(), text);
        // Without the edit, every access is inside.
        QTest::mouseClick(app.codeEditor("lowered").findChild<QToolButton *>("codeRevert"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(app.isEditing("lowered"), kPatience);
        QVERIFY(app.runs());
        QVERIFY2(app.messages().contains("are proved to stay in it"), qPrintable(app.messages()));
        QVERIFY2(!app.messages().contains("out of range"), qPrintable(app.messages()));
    }

    void aKernelThatNeverEndsIsEndedByTheLimitOrByHand()
    {
        App app;
        QVERIFY(app.openEditor());
        QVERIFY(app.runs());
        app.window.action("compile.limit.1")->trigger();
        app.insert(QStringLiteral("volatile int stay = 1; while (stay) {}"));
        app.applyAndRun();
        QTRY_VERIFY_WITH_TIMEOUT(app.isEditing() && app.messages().contains("longer than 1 s"), kPatience);
        QVERIFY2(app.messages().contains("kernel k0"), qPrintable(app.messages()));
        app.window.action("compile.limit.0")->trigger();
        app.window.action("compile.run")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(app.window.session().activity() == Activity::Running, kPatience);
        QTest::qWait(300);
        app.window.action("compile.stop")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(app.window.session().activity() == Activity::Idle, kPatience);
        QTest::mouseClick(app.codeEditor().findChild<QToolButton *>("codeRevert"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(app.isEditing(), kPatience);
        QVERIFY(app.runs());
    }
};

QTEST_MAIN(TestCodeEditor)
#include "tst_code_editor.moc"
