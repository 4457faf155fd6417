// What the window writes for other people: the page of a report has everything that the panes show.

#include "engine/api/report_data.h"
#include "tests/gui/dialogs.h"
#include "tests/gui/engine_app.h"
#include "tests/support/equal_documents.h"
#include "tests/support/page_data.h"

#include "ui/session/reproduction.h"

#include <QAction>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QProcess>
#include <QSignalSpy>
#include <QStatusBar>
#include <QTableView>

using namespace stepwell::ui;

class ShareTest : public QObject {
    Q_OBJECT

private slots:
    void savesAReportOfWhatIsShown();
    void saysWhyAReportCannotBeSaved();
    void copiesTheCommandThatShowsTheSame_data();
    void copiesTheCommandThatShowsTheSame();
    void copiesNoCommandForWhatIsInNoFile();
    void savesAKernelThatRunsAlone();
    void aSavedKernelTellsTheCommandThatWritesIt();
    void saysWhyAKernelCannotBeSaved();
};

constexpr const char *kProgram = "input x: f32[64, 32]\noutput softmax(x, axis = -1)\n";

void ShareTest::savesAReportOfWhatIsShown()
{
    EngineApp app(kProgram);
    QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
    QSignalSpy ran(&app.window.session(), &Session::runFinished);
    app.window.action("compile.run")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(ran.count(), 1, kPatience);

    QVERIFY(app.window.action("file.saveReport")->isEnabled());
    QSignalSpy saved(&app.window, &MainWindow::reportSaved);
    const QString path = app.folder.filePath("page.html");
    app.window.saveReport(path);
    QTRY_COMPARE_WITH_TIMEOUT(saved.count(), 1, kPatience);

    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const sw::Result<sw::Report> report = sw::parseReportData(sw::reportOfPage(file.readAll().toStdString()), "page");
    QVERIFY(report);
    const sw::Report &shown = *app.snapshot().report;
    for (const auto document : {&sw::Report::program, &sw::Report::graph, &sw::Report::schedule, &sw::Report::loops,
                                &sw::Report::lowered, &sw::Report::code})
        QCOMPARE(QString::fromStdString(sw::firstDifference(*(shown.*document), *((*report).*document))), QString());
    QCOMPARE(report->totalMedianNanoseconds, shown.totalMedianNanoseconds);
    QVERIFY(report->totalMedianNanoseconds);
    // All of the machine code, though the panes have not asked for it.
    QVERIFY(!report->machine->parts.empty());
    for (const sw::DocumentPart &part : report->machine->parts)
        QVERIFY(part.isRead);
}

void ShareTest::saysWhyAReportCannotBeSaved()
{
    EngineApp app(kProgram);
    QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
    QSignalSpy failed(&app.window, &MainWindow::fileFailed);
    app.window.saveReport(app.folder.filePath("nowhere/page.html"));
    QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, kPatience);
    QVERIFY(failed.front().front().toString().contains("nowhere/page.html"));
}

// Answers the file dialog that the action opens.
void answerFileDialog(const QString &path)
{
    whenAsked<QFileDialog>(qApp, [path](QFileDialog &dialog) {
        dialog.selectFile(path);
        QTest::keyClick(&dialog, Qt::Key_Return);
    });
}

// From the menu of the kernel among the times, of its box among the kernels, and from the File menu.
void ShareTest::savesAKernelThatRunsAlone()
{
    EngineApp app("input x: f32[8, 8]\nsmall = sum(x, axis = 1)\noutput small @ x\n");
    QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
    const QString last = QString::fromStdString(app.snapshot().report->kernels.back().name);
    QVERIFY(app.snapshot().report->kernels.size() > 1);
    QSignalSpy saved(&app.window, &MainWindow::reproducerSaved);

    app.window.action("go.timings")->trigger();
    auto &table = app.child<QTableView>("timingsTable");
    QTRY_VERIFY_WITH_TIMEOUT(table.model()->rowCount() > 1, kPatience);
    const QPoint row = table.visualRect(table.model()->index(table.model()->rowCount() - 1, 1)).center();
    emit table.customContextMenuRequested(row);
    auto *menu = qobject_cast<QMenu *>(QApplication::activePopupWidget());
    QVERIFY(menu);
    answerFileDialog(app.folder.filePath("first"));
    QTest::keyClick(menu, Qt::Key_K); // Save kernel reproducer...
    QTRY_COMPARE_WITH_TIMEOUT(saved.count(), 1, kPatience);

    EngineApp::click(app.kernels(), last);
    QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
    answerFileDialog(app.folder.filePath("second"));
    app.window.action("file.saveReproducer")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(saved.count(), 2, kPatience);

    GraphCanvas &kernels = app.kernels();
    kernels.fit();
    const QPoint box = kernels.toView(kernels.scene()->boxes[EngineApp::box(kernels, last)].rect.center()).toPoint();
    QContextMenuEvent wanted(QContextMenuEvent::Mouse, box, kernels.mapToGlobal(box));
    QApplication::sendEvent(&kernels, &wanted);
    QTRY_VERIFY_WITH_TIMEOUT(app.window.findChild<QAction *>("saveReproducer"), kPatience);
    answerFileDialog(app.folder.filePath("third"));
    app.window.findChild<QAction *>("saveReproducer")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(saved.count(), 3, kPatience);

    for (const char *name : {"first", "second", "third"}) {
        QFile readMe(app.folder.filePath(name) + "/README.md");
        QVERIFY(readMe.open(QIODevice::ReadOnly));
        QVERIFY2(readMe.readAll().contains(last.toUtf8()), name);
    }
    QProcess shell;
    shell.start("/bin/sh", {"-c", QStringLiteral("cd '%1' && sh build.sh && ./reproduce").arg(app.folder.filePath("first"))});
    QVERIFY(shell.waitForFinished(kPatience));
    const QByteArray output = shell.readAllStandardOutput();
    QVERIFY2(shell.exitCode() == 0 && output.contains("PASSED"), (output + shell.readAllStandardError()).constData());
}

// A shell that runs it gets the same folder.
void ShareTest::aSavedKernelTellsTheCommandThatWritesIt()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath("a program.sw");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(kProgram) > 0);
    file.close();
    EngineApp app;
    app.window.openFile(path);
    QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
    app.window.action("compile.optimize")->setChecked(false);
    app.window.action("compile.tunings")->setChecked(false);
    QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
    QSignalSpy saved(&app.window, &MainWindow::reproducerSaved);
    app.window.saveReproducer(0, folder.filePath("kernel"));
    QTRY_COMPARE_WITH_TIMEOUT(saved.count(), 1, kPatience);
    const auto contentsOf = [&](const char *name) {
        QFile one(folder.filePath("kernel/") + name);
        return one.open(QIODevice::ReadOnly) ? one.readAll() : QByteArray();
    };
    const QByteArray source = contentsOf("kernel.ll");
    const QByteArray readMe = contentsOf("README.md");
    QVERIFY(!source.isEmpty());
    const qsizetype begin = readMe.indexOf("stepwellc reproduce ");
    QVERIFY(readMe.contains(" --no-optimize --no-tunings"));
    QVERIFY2(begin >= 0, readMe.constData());
    const QByteArray command = readMe.mid(begin, readMe.indexOf('`', begin) - begin);
    QVERIFY(QDir(folder.filePath("kernel")).removeRecursively());
    QProcess shell;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("PATH", QFileInfo(STEPWELL_COMPILER_PROGRAM).path() + ':' + environment.value("PATH"));
    shell.setProcessEnvironment(environment);
    shell.start("/bin/sh", {"-c", QString::fromUtf8(command)});
    QVERIFY(shell.waitForFinished(kPatience));
    QVERIFY2(shell.exitCode() == 0, (command + shell.readAllStandardError()).constData());
    QCOMPARE(contentsOf("kernel.ll"), source);
}

void ShareTest::saysWhyAKernelCannotBeSaved()
{
    EngineApp app(kProgram);
    QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
    QSignalSpy failed(&app.window, &MainWindow::fileFailed);
    QFile mine(app.folder.filePath("mine.txt"));
    QVERIFY(mine.open(QIODevice::WriteOnly));
    app.window.saveReproducer(0, app.folder.path());
    QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, kPatience);
    QVERIFY2(failed.front().front().toString().contains("is not empty"), qPrintable(failed.front().front().toString()));
    QVERIFY(mine.exists());
}

void ShareTest::copiesTheCommandThatShowsTheSame_data()
{
    QTest::addColumn<QString>("panel");
    QTest::addColumn<QString>("moment");
    QTest::addColumn<bool>("fromSession");
    QTest::newRow("the lowered kernel") << "lowered" << "" << false;
    QTest::newRow("loops") << "loops" << "" << false;
    QTest::newRow("source") << "code" << "" << false;
    QTest::newRow("lowered after a pass") << "lowered" << "lower-loops" << false;
    QTest::newRow("of a session") << "lowered" << "" << true;
}

// Pressed in the pane with the focus; a shell runs what was copied.
void ShareTest::copiesTheCommandThatShowsTheSame()
{
    QFETCH(const QString, panel);
    QFETCH(const QString, moment);
    QFETCH(const bool, fromSession);
    const QTemporaryDir folder;
    const QString path = folder.filePath("it's a program.sw");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(kProgram) > 0);
    file.close();
    EngineApp app;
    app.window.openFile(path);
    QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
    app.window.whatIf().add("apart softmax/max -> softmax/shifted");
    app.window.action("file.save")->trigger();
    app.window.action("compile.optimize")->setChecked(false);
    QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
    if (fromSession) {
        QSignalSpy saved(&app.window, &MainWindow::sessionSaved);
        app.window.saveSessionTo(folder.filePath("kept.stepwell"));
        QTRY_COMPARE_WITH_TIMEOUT(saved.count(), 1, kPatience);
        QSignalSpy opened(&app.window, &MainWindow::sessionOpened);
        app.window.openFile(folder.filePath("kept.stepwell"));
        QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
    }
    EngineApp::click(app.kernels(), QString::fromStdString(app.snapshot().report->kernels.at(1).name));
    if (!moment.isEmpty()) {
        QCOMPARE(app.window.moment().goToNamed(moment), QString());
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
    }
    app.window.action("go." + panel)->trigger();
    app.window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&app.window));
    QTest::keyClick(&app.text(panel.toLatin1().constData()), Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
    const QString command = QGuiApplication::clipboard()->text();
    QVERIFY2(command.startsWith("stepwellc show "), qPrintable(command));

    QProcess shell;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("PATH", QFileInfo(STEPWELL_COMPILER_PROGRAM).path() + ':' + environment.value("PATH"));
    shell.setProcessEnvironment(environment);
    shell.start("/bin/sh", {"-c", command});
    QVERIFY(shell.waitForFinished(kPatience));
    QVERIFY2(shell.exitCode() == 0, shell.readAllStandardError().constData());
    const QStringList printed = QString::fromUtf8(shell.readAllStandardOutput()).split('\n');
    // Every line of the kernel, in its order.
    const TextRows &rows = app.text(panel.toLatin1().constData()).rows();
    qsizetype at = 0;
    int lines = 0;
    for (int row = 0; row < rows.count(); ++row) {
        if (rows.kernelAt(row) != 1 || rows.textAt(row).trimmed().isEmpty())
            continue;
        while (at < printed.size() && !printed[at].startsWith(rows.textAt(row))) // lowered lines end with their origins
            ++at;
        QVERIFY2(at < printed.size(), qPrintable(command + '\n' + rows.textAt(row)));
        ++at;
        ++lines;
    }
    QVERIFY(lines > 3);
}

void ShareTest::copiesNoCommandForWhatIsInNoFile()
{
    EngineApp app(kProgram);
    QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
    QGuiApplication::clipboard()->clear();
    app.window.action("edit.copyCommand")->trigger();
    QVERIFY(QGuiApplication::clipboard()->text().isEmpty());
    QVERIFY(app.window.statusBar()->currentMessage().contains("Save the program"));
    QCOMPARE(quotedForShell("a b"), "'a b'");
    QCOMPARE(quotedForShell("it's"), "'it'\\''s'");
    QCOMPARE(quotedForShell("$HOME"), "'$HOME'");
    QCOMPARE(quotedForShell("/plain/file.sw"), "/plain/file.sw");
    QCOMPARE(quotedForShell(""), "''");
}

QTEST_MAIN(ShareTest)
#include "tst_share.moc"
