// The page of a report in a real browser, headless Chromium: clicking a line of the program lights up its partners in every pane,
// and for every item of every stage the page's script finds the partners that the window finds. Without a browser the tests are
// skipped.

#include "engine/api/report_data.h"
#include "tests/support/page_data.h"
#include "ui/session/snapshot.h"

#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

using namespace stepwell::ui;

namespace {

constexpr int kBrowserPatience = 240'000; // milliseconds

QString browser()
{
    for (const char *name : {"chromium", "chromium-browser", "google-chrome"})
        if (const QString path = QStandardPaths::findExecutable(QString::fromLatin1(name)); !path.isEmpty())
            return path;
    return {};
}

// The page as the browser has it after its script ran.
QString shownBy(const QString &program, const QString &address, const QString &folder)
{
    QProcess process;
    process.start(program,
                  {"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-extensions",
                   "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
                   "--window-size=1366,768", "--user-data-dir=" + folder, "--virtual-time-budget=20000", "--dump-dom", address});
    if (!process.waitForFinished(kBrowserPatience))
        process.kill();
    return QString::fromUtf8(process.readAllStandardOutput());
}

std::uint32_t mixed(std::uint32_t hash, const std::vector<std::uint32_t> &numbers)
{
    for (const std::uint32_t number : numbers)
        hash = (hash ^ number) * 16777619U;
    return (hash ^ 0xFFFFU) * 16777619U;
}

// The same sum as in kAllPartners, of what the window would light up.
QString partnerSums(const sw::Report &report)
{
    const SnapshotPtr snapshot = makeSnapshot(nullptr, std::make_shared<const sw::Report>(report), 1, true);
    QString text;
    for (const sw::StageKind from : kStages) {
        const StageView &view = snapshot->stage(from);
        if (!view.document)
            continue;
        for (sw::ItemIndex item = 0; item < view.document->items.size(); ++item) {
            const std::vector<PartnerKey> keys{view.partners->keyOf(view.document->items[item], item)};
            std::uint32_t hash = 2166136261U;
            for (const sw::StageKind to : kStages) {
                const StageView &other = snapshot->stage(to);
                if (!other.document)
                    continue;
                const PartnerSet set = from == to ? other.partners->setOf({item}, keys) : other.partners->partnersOf(keys);
                for (const auto *part : {&set.items, &set.nearItems, &set.lines, &set.nearLines})
                    hash = mixed(hash, *part);
            }
            text += QString::number(hash) + u' ';
        }
    }
    return text.trimmed();
}

constexpr const char *kAllPartners = R"(
  const wait = setInterval(() => {
    if (!document.body.dataset.ready) return;
    clearInterval(wait);
    const stages = window.stepwell.stages;
    const order = ['program', 'graph', 'schedule', 'loops', 'lowered', 'code', 'machine'].filter((name) => stages.parts.has(name));
    const sums = [];
    for (const from of order) for (let item = 0; item < stages.parts.get(from).itemCount; ++item) {
      const sets = stages.partnersOf(from, [item]);
      let hash = 2166136261;
      const mix = (number) => { hash = Math.imul(hash ^ number, 16777619); };
      for (const to of order) for (const part of ['items', 'near', 'lines', 'nearLines']) { sets.get(to)[part].forEach(mix); mix(0xFFFF); }
      sums.push(hash >>> 0);
    }
    const pre = document.createElement('pre');
    pre.id = 'answer';
    pre.textContent = sums.join(' ');
    document.body.append(pre);
  }, 10);
)";

constexpr const char *kClick = R"(
  const wait = setInterval(() => {
    if (!document.body.dataset.ready) return;
    clearInterval(wait);
    const rows = [...document.querySelectorAll('[data-pane=Program] .row')];
    rows.find((row) => row.textContent.includes('softmax')).dispatchEvent(new MouseEvent('click', { bubbles: true }));
    document.body.dataset.link = location.hash;
  }, 10);
)";

} // namespace

class ReportPageTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void lightsUpEveryStageForALine();
    void lightsUpWhatIsClicked();
    void findsThePartnersThatTheWindowFinds();
    void searches();

private:
    // The page with another script that may run, which its policy forbids otherwise.
    [[nodiscard]] QString withScript(const char *script);
    [[nodiscard]] static int pinnedIn(const QString &page, const QString &pane);

    QTemporaryDir m_folder;
    QString m_browser;
    QString m_page;
    QByteArray m_html;
};

void ReportPageTest::initTestCase()
{
    m_browser = browser();
    if (m_browser.isEmpty())
        QSKIP("NO BROWSER: install the package chromium to test the pages of reports");
    m_page = m_folder.filePath("page.html");
    QFile program(m_folder.filePath("test.sw"));
    QVERIFY(program.open(QIODevice::WriteOnly));
    program.write("# A part of a network\n\ninput x: f32[64, 32]\nparam w: f32[32, 16] = random(1)\ny = x @ w\noutput softmax(y, "
                  "axis = -1)\n");
    program.close();
    QProcess compiler;
    compiler.start(STEPWELL_COMPILER_PROGRAM, {"report", program.fileName(), "--device", "c", "-o", m_page});
    QVERIFY(compiler.waitForFinished(kBrowserPatience));
    QVERIFY2(compiler.exitCode() == 0, compiler.readAllStandardError().constData());
    QFile page(m_page);
    QVERIFY(page.open(QIODevice::ReadOnly));
    m_html = page.readAll();
}

QString ReportPageTest::withScript(const char *script)
{
    QByteArray html = m_html;
    static const QRegularExpression kPolicy("<meta http-equiv=\"Content-Security-Policy\"[^>]*>");
    html = QString::fromUtf8(html).remove(kPolicy).toUtf8();
    html.replace("</body>", QByteArray("<script>") + script + "</script></body>");
    const QString path = m_folder.filePath("changed.html");
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(html) != html.size())
        qFatal("cannot write the page");
    return "file://" + path;
}

// How many lines or boxes of a pane are kept lit; -1: there is no such pane.
int ReportPageTest::pinnedIn(const QString &page, const QString &pane)
{
    const QRegularExpression element("<div class=\"view\"[^>]*data-pane=\"" + pane + "\"[^>]*>");
    const QRegularExpressionMatch found = element.match(page);
    static const QRegularExpression kPinned("data-pinned=\"(\\d+)\"");
    const QRegularExpressionMatch count = kPinned.match(found.captured());
    return count.hasMatch() ? count.captured(1).toInt() : -1;
}

// The page as it is: its policy lets its own script run, and a link to a line opens it.
void ReportPageTest::lightsUpEveryStageForALine()
{
    const QString page = shownBy(m_browser, "file://" + m_page + "#select=program:6", m_folder.filePath("profile"));
    QVERIFY2(page.contains("data-ready=\"yes\""), qPrintable(page.left(2000)));
    for (const char *pane : {"Program", "Graph", "Kernels", "Timings", "Loops", "Lowered", "Source", "Machine code"})
        QVERIFY2(pinnedIn(page, pane) > 0, pane);
    QVERIFY(page.contains("once, when loading")); // the panels of w: no share of the time of a run
    // The rows themselves: the line of the program, and machine instructions further down that the page scrolled to.
    QVERIFY(page.contains(QRegularExpression("<div class=\"row [^\"]*pinned[^\"]*\" role=\"option\" id=\"program-6\"")));
    QVERIFY(page.contains(QRegularExpression("<div class=\"row [^\"]*pinned[^\"]*\" role=\"option\" id=\"machine-\\d+\"")));
    QVERIFY(page.contains(QRegularExpression("<g class=\"box[^\"]*pinned")));
}

void ReportPageTest::lightsUpWhatIsClicked()
{
    const QString page = shownBy(m_browser, withScript(kClick), m_folder.filePath("profile"));
    for (const char *pane : {"Program", "Graph", "Kernels", "Lowered", "Source", "Machine code"})
        QVERIFY2(pinnedIn(page, pane) > 0, pane);
    QVERIFY(page.contains("data-link=\"#select=program:6\""));
}

void ReportPageTest::findsThePartnersThatTheWindowFinds()
{
    const sw::Result<sw::Report> report = sw::parseReportData(sw::reportOfPage(m_html.toStdString()), "page");
    QVERIFY(report);
    const QString page = shownBy(m_browser, withScript(kAllPartners), m_folder.filePath("profile"));
    static const QRegularExpression kAnswer("<pre id=\"answer\">([\\d ]+)</pre>");
    const QString answer = kAnswer.match(page).captured(1);
    QVERIFY(answer.count(u' ') > 100);
    QCOMPARE(answer, partnerSums(*report));
}

void ReportPageTest::searches()
{
    const QString page = shownBy(m_browser, withScript(R"(
      const wait = setInterval(() => {
        if (!document.body.dataset.ready) return;
        clearInterval(wait);
        window.stepwell.search('SOFTMAX');
      }, 10);)"),
                                 m_folder.filePath("profile"));
    static const QRegularExpression kFound("id=\"found\"[^>]*>1 of (\\d+)<");
    QVERIFY2(kFound.match(page).captured(1).toInt() > 2, qPrintable(page.left(3000)));
    QVERIFY(page.contains(QRegularExpression("<div class=\"row [^\"]*hit[^\"]*\" role=\"option\" id=\"program-6\"")));
}

QTEST_MAIN(ReportPageTest)
#include "tst_report_page.moc"
