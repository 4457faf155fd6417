// What the window writes for other people: the page of a report has everything that the panes show.

#include "engine/api/report_data.h"
#include "tests/gui/engine_app.h"
#include "tests/support/equal_documents.h"
#include "tests/support/page_data.h"

#include <QAction>
#include <QFile>
#include <QSignalSpy>

using namespace stepwell::ui;

class ShareTest : public QObject {
    Q_OBJECT

private slots:
    void savesAReportOfWhatIsShown();
    void saysWhyAReportCannotBeSaved();
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

QTEST_MAIN(ShareTest)
#include "tst_share.moc"
