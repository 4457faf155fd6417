// What panes show is taken away: every painted view as SVG, PDF and PNG, every table and text in every format. On the real
// engine, with files and the clipboard read back.

#include "tests/gui/dialogs.h"
#include "tests/gui/values_app.h"
#include "ui/panels/activity_panel.h"
#include "ui/panels/panel_rows.h"
#include "ui/panels/roofline_plot.h"
#include "ui/panels/sweep_panel.h"
#include "ui/panels/tuning_panel.h"
#include "ui/session/debugger.h"
#include "ui/sharing/picture_file.h"
#include "ui/sharing/taking.h"
#include "ui/timeline_track.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QFile>
#include <QFileDialog>
#include <QHeaderView>
#include <QImage>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMenu>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QSpinBox>
#include <QStatusBar>
#include <QSvgRenderer>
#include <QXmlStreamReader>

#include <set>
#include <typeinfo>

using namespace stepwell::ui;

namespace {

constexpr const char *kProgram =
    "n: dim[1, 64] = 8\ninput x: f32[n, 64]\nh = sqrt(abs(x) + 1.0)\noutput y = softmax(h, axis = -1)\n";

struct App : ValuesApp {
    explicit App(const char *program = kProgram) : ValuesApp(program) {}

    void press(const char *name) { QTest::mouseClick(&child<QAbstractButton>(name), Qt::LeftButton); }
    [[nodiscard]] Panel &panel(const char *id) { return child<Panel>(id); }
    // As if the pane's views had been looked at.
    void showEverything()
    {
        run();
        go("values");
        ValuesApp::choose("outputsBox", QStringLiteral("output y"));
        QTRY_VERIFY_WITH_TIMEOUT(!statistics().isEmpty() && isReady(), kPatience);
        click(graph(), QStringLiteral("mul")); // the device and the reference round it differently
        QTRY_VERIFY_WITH_TIMEOUT(isReady(), kPatience);
        ValuesApp::choose("valuesBy", QStringLiteral("Difference"));
        QTRY_VERIFY_WITH_TIMEOUT(isReady() && child<QWidget>("valuesDifference").isVisible(), kPatience);
        go("roofline");
        press("rooflineMeasure");
        QTRY_VERIFY_WITH_TIMEOUT(child<RooflinePlot>("rooflinePlot").isVisible() && child<RooflinePlot>("rooflinePlot").hasDots(),
                                 kPatience);
        go("activity");
        press("activityRecord");
        QTRY_VERIFY_WITH_TIMEOUT(panel("activity").isSettled() && child<ActivityLanes>("activityLanes").isVisible(), kPatience);
        go("sweep");
        child<QSpinBox>("sweepSteps").setValue(3);
        press("sweepRun");
        QTRY_VERIFY_WITH_TIMEOUT(panel("sweep").isSettled() && child<SweepPlot>("sweepPlot").isVisible(), kPatience);
        go("tuning");
        child<QComboBox>("tuningUnit").setCurrentIndex(1);
        child<QSpinBox>("tuningAmount").setValue(2);
        child<QComboBox>("tuningKernel").setCurrentIndex(1);
        press("tuningRun");
        QTRY_VERIFY_WITH_TIMEOUT(panel("tuning").isSettled() && child<TuningPlot>("tuningPlot").isVisible(), kPatience);
        go("memory");
        go("access");
        QTRY_VERIFY_WITH_TIMEOUT(window.debugger().state() == TraceState::Open && window.debugger().isSettled(), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(isReady(), kPatience);
    }
    // All painted views of the window's parts that show something, with the name of their part.
    [[nodiscard]] std::vector<std::pair<QString, PaintedView *>> views()
    {
        std::vector<std::pair<QString, PaintedView *>> all;
        const auto add = [&](const QString &name, QWidget &root) {
            if (auto *view = dynamic_cast<PaintedView *>(&root))
                all.emplace_back(name, view);
            for (QWidget *child : root.findChildren<QWidget *>())
                if (auto *view = dynamic_cast<PaintedView *>(child))
                    all.emplace_back(name + u'-' + QString::fromLatin1(child->metaObject()->className()).section(u':', -1), view);
        };
        for (const PanelRow &row : panelRows())
            add(QLatin1String(row.id), panel(row.id));
        add(QStringLiteral("timeline"), child<QWidget>("timelineBar"));
        return all;
    }
    void focus(QWidget &widget)
    {
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        widget.setFocus();
        QVERIFY(widget.hasFocus());
    }
    // The menu that opens at the place of the widget.
    [[nodiscard]] QMenu *menuAt(QWidget &widget, const QPoint &at)
    {
        QContextMenuEvent event(QContextMenuEvent::Mouse, at, widget.mapToGlobal(at));
        QApplication::sendEvent(&widget, &event);
        return QTest::qWaitFor([] { return QApplication::activePopupWidget() != nullptr; }, kPatience)
                   ? qobject_cast<QMenu *>(QApplication::activePopupWidget())
                   : nullptr;
    }
    static void trigger(QMenu *menu, const QString &name)
    {
        QVERIFY(menu);
        auto *action = menu->findChild<QAction *>(name);
        QVERIFY2(action, qPrintable(name));
        action->trigger();
        menu->close();
        QTRY_VERIFY_WITH_TIMEOUT(!QApplication::activePopupWidget(), kPatience);
    }
    [[nodiscard]] QString copied(const char *action)
    {
        QGuiApplication::clipboard()->clear();
        window.action(QLatin1String(action))->trigger();
        return QGuiApplication::clipboard()->text();
    }
};

// The texts of a drawing; also checks that it is one.
QStringList textsOf(const QByteArray &svg)
{
    QStringList texts;
    QXmlStreamReader reader(svg);
    while (!reader.atEnd())
        if (reader.readNext() == QXmlStreamReader::StartElement && reader.name() == QStringLiteral("text"))
            texts << reader.readElementText();
    if (reader.hasError())
        qFatal("no drawing: %s", qPrintable(reader.errorString()));
    return texts;
}

std::set<QRgb> colorsOf(const QImage &image)
{
    std::set<QRgb> colors;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            colors.insert(image.pixel(x, y));
    return colors;
}

void checkPictures(const QString &name, PaintedView &view)
{
    const QSizeF size = view.pictureSize();
    QVERIFY2(!size.isEmpty(), qPrintable(name));
    const Picture svg = pictureOf(view, PictureFormat::Svg, name);
    QVERIFY2(svg.problem.isEmpty(), qPrintable(svg.problem));
    static_cast<void>(textsOf(svg.bytes));
    QSvgRenderer renderer(svg.bytes);
    QVERIFY2(renderer.isValid(), qPrintable(name));
    QVERIFY(std::abs(renderer.viewBoxF().width() - size.width()) < 0.01);
    QVERIFY(std::abs(renderer.viewBoxF().height() - size.height()) < 0.01);

    const Picture pdf = pictureOf(view, PictureFormat::Pdf, name);
    QVERIFY2(pdf.problem.isEmpty(), qPrintable(pdf.problem));
    QVERIFY(pdf.bytes.startsWith("%PDF-"));
    QVERIFY(pdf.bytes.trimmed().endsWith("%%EOF"));
    QCOMPARE(pdf.bytes.count("/Type /Page\n"), 1);
    const QRegularExpressionMatch box =
        QRegularExpression(QStringLiteral("/MediaBox \\[0 0 ([0-9.]+) ([0-9.]+)\\]")).match(QString::fromLatin1(pdf.bytes));
    QVERIFY(box.hasMatch());
    QVERIFY(std::abs(box.captured(1).toDouble() - size.width() * 0.75) <= 1); // 96 pixels or 72 points in an inch
    QVERIFY(std::abs(box.captured(2).toDouble() - size.height() * 0.75) <= 1);

    const Picture png = pictureOf(view, PictureFormat::Png, name);
    QVERIFY2(png.problem.isEmpty(), qPrintable(png.problem));
    const QImage image = QImage::fromData(png.bytes, "png");
    QCOMPARE(image.size(), (2 * size).toSize());
    QVERIFY2(colorsOf(image).size() > 1, qPrintable(name));
    // The drawing looks like the picture: as much of it is ground.
    const QRgb ground = Theme::load(QStringLiteral("light")).color(Role::Base).rgb();
    QImage drawn(image.size(), QImage::Format_RGB32);
    drawn.fill(Qt::magenta);
    {
        QPainter painter(&drawn);
        renderer.render(&painter, QRectF({0, 0}, 2 * size));
    }
    const auto groundOf = [&](const QImage &of) {
        int count = 0;
        for (int y = 0; y < of.height(); y += 2)
            for (int x = 0; x < of.width(); x += 2)
                count += of.pixel(x, y) == ground ? 1 : 0;
        return 4.0 * count / of.width() / of.height();
    };
    const double share = groundOf(image);
    const double drawnShare = groundOf(drawn);
    QVERIFY2(std::abs(share - drawnShare) < 0.05, qPrintable(QStringLiteral("%1: %2 %3").arg(name).arg(share).arg(drawnShare)));

    if (const QByteArray folder = qgetenv("STEPWELL_PICTURES"); !folder.isEmpty()) {
        image.save(QString::fromUtf8(folder) + u'/' + name + QStringLiteral(".png"));
        drawn.save(QString::fromUtf8(folder) + u'/' + name + QStringLiteral("-svg.png"));
        for (const auto &[ending, bytes] : {std::pair{"svg", svg.bytes}, {"pdf", pdf.bytes}}) {
            QFile file(QString::fromUtf8(folder) + u'/' + name + u'.' + QLatin1String(ending));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) > 0);
        }
    }
}

// A widget of ours that draws by itself, rather than by one of Qt's.
bool paintsItself(QWidget &widget)
{
    if (!QByteArray(typeid(widget).name()).contains("stepwell") || widget.testAttribute(Qt::WA_StyledBackground))
        return false;
    const QMetaObject *base = widget.metaObject();
    while (QByteArray(base->className()).startsWith("stepwell::"))
        base = base->superClass();
    const QByteArray name = base->className();
    if (name != "QWidget" && name != "QAbstractSlider" && name != "QFrame")
        return false;
    constexpr QRgb kGround = 0xff123456;
    QImage image(widget.size().expandedTo({64, 64}), QImage::Format_RGB32);
    image.fill(kGround);
    const bool isFilled = widget.autoFillBackground(); // by Qt, as what an area scrolls is
    widget.setAutoFillBackground(false);
    widget.render(&image, {}, {}, QWidget::RenderFlags());
    widget.setAutoFillBackground(isFilled);
    return colorsOf(image) != std::set<QRgb>{kGround};
}

} // namespace

class TestTaking : public QObject {
    Q_OBJECT

private slots:
    void everyViewBecomesAPicture();
    void theTextsOfAGraphStayTexts();
    void aPictureIsLightAndWholeWhateverTheWindowShows();
    void theDifferenceOfTwoGraphsIsAPicture();
    void aGraphThatIsTooLargeForPixelsIsDrawn();
    void theKeyAsksForAFileAndWritesIt();
    void saysWhyAPictureCannotBeSaved();
    void everyTableIsCopiedInEveryFormat();
    void theMenuOfATableCopiesItsSelectionOrAll();
    void textsAreCopiedAsListings();
    void richTextIsMarkdown();
    void theMenuOfTheProgramKeepsItsOwnActions();
    void aTableThatIsTooLargeIsNotCopied();
};

// Walks the table of panels. A new painted widget that is no PaintedView fails here, and so does a view that never shows
// anything.
void TestTaking::everyViewBecomesAPicture()
{
    App app;
    app.showEverything();
    for (const PanelRow &row : panelRows()) {
        Panel &panel = app.panel(row.id);
        for (QWidget *child : QList<QWidget *>{&panel} + panel.findChildren<QWidget *>()) {
            bool isTaken = copySourceAt(child, panel).has_value(); // the ornaments of a text are copied with it, as text
            for (QWidget *widget = child; widget && !isTaken; widget = widget == &panel ? nullptr : widget->parentWidget())
                isTaken = dynamic_cast<PaintedView *>(widget) != nullptr;
            QVERIFY2(isTaken || !paintsItself(*child),
                     qPrintable(QStringLiteral("%1 in %2 paints itself, but is no PaintedView")
                                    .arg(QString::fromLatin1(typeid(*child).name()), QString::fromLatin1(row.id))));
        }
    }
    std::set<QString> names;
    for (const auto &[name, view] : app.views()) {
        checkPictures(name, *view);
        if (QTest::currentTestFailed())
            return;
        names.insert(name);
    }
    for (const char *expected :
         {"access", "activity-ActivityLanes", "graph-GraphCanvas", "kernels-GraphCanvas", "memory-MemoryChart",
          "roofline-RooflinePlot", "sweep-SweepPlot", "tuning-TuningPlot", "timeline-TimelineRun", "timeline-TimelineTrack",
          "values-DifferenceMapView", "values-UlpHistogram", "values-ValuesHeatMap", "values-ValuesHistogram"})
        QVERIFY2(names.contains(QLatin1String(expected)), expected);
}

void TestTaking::theTextsOfAGraphStayTexts()
{
    App app;
    app.wait();
    for (GraphCanvas *canvas : {&app.graph(), &app.kernels()}) {
        const QStringList texts = textsOf(pictureOf(*canvas, PictureFormat::Svg, {}).bytes);
        QVERIFY(!canvas->scene()->boxes.empty());
        for (const SceneBox &box : canvas->scene()->boxes)
            QVERIFY2(texts.contains(box.label), qPrintable(box.label + u'\n' + texts.join(u' ')));
    }
    // A PDF names its fonts and maps their signs to letters; the pages themselves are packed.
    const QByteArray pdf = pictureOf(app.graph(), PictureFormat::Pdf, QStringLiteral("graph")).bytes;
    QVERIFY(pdf.contains("/Type /Font\n") && pdf.contains("/ToUnicode"));
}

void TestTaking::aPictureIsLightAndWholeWhateverTheWindowShows()
{
    App app;
    app.wait();
    GraphCanvas &canvas = app.graph();
    canvas.fit();
    const QByteArray whole = pictureOf(canvas, PictureFormat::Svg, {}).bytes;
    QVERIFY(whole.contains(Theme::load(QStringLiteral("light")).color(Role::Base).name().toLatin1()));
    canvas.zoomTo(3);
    EngineApp::pointAt(canvas, QStringLiteral("sqrt")); // what the pointer lights up is of the moment
    canvas.zoomTo(3);
    QCOMPARE(pictureOf(canvas, PictureFormat::Svg, {}).bytes, whole);
    app.appearance.setTheme(QStringLiteral("light"));
    QCOMPARE(pictureOf(canvas, PictureFormat::Svg, {}).bytes, whole);
    // What is selected is meant.
    app.appearance.setTheme(QStringLiteral("dark"));
    EngineApp::click(canvas, QStringLiteral("sqrt"));
    QVERIFY(pictureOf(canvas, PictureFormat::Svg, {}).bytes != whole);
    QCOMPARE(app.appearance.theme().name(), QStringLiteral("dark"));
    QCOMPARE(canvas.grab().toImage().pixelColor(2, canvas.height() / 2).rgb(), app.appearance.color(Role::Base).rgb());
}

void TestTaking::theDifferenceOfTwoGraphsIsAPicture()
{
    App app;
    app.wait();
    app.editor().setPlainText(QString::fromLatin1(kProgram).replace("sqrt(abs(x) + 1.0)", "abs(x) + 1.0"));
    QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.window.baseline().previous(), kPatience);
    app.window.action("compare.previous")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.panel("graph").isSettled(), kPatience);
    auto &difference = *app.panel("graph").findChild<GraphView *>("difference");
    QVERIFY(difference.isVisible());
    app.focus(difference.canvas());
    const QString path = app.folder.filePath("difference.svg");
    app.window.saveView(path);
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QStringList texts = textsOf(file.readAll());
    QVERIFY2(texts.contains(QStringLiteral("sqrt")) && texts.contains(QStringLiteral("exp")), qPrintable(texts.join(u' ')));
    // The other sides have pictures of their own.
    QTest::keyClick(&difference.canvas(), Qt::Key_B, Qt::ControlModifier | Qt::AltModifier);
    auto &before = *app.panel("graph").findChild<GraphView *>("before");
    QTRY_VERIFY_WITH_TIMEOUT(before.isVisible() && app.isReady(), kPatience);
    app.focus(before.canvas());
    app.window.saveView(path);
    QFile second(path);
    QVERIFY(second.open(QIODevice::ReadOnly));
    QVERIFY(textsOf(second.readAll()).contains(QStringLiteral("sqrt")));
}

void TestTaking::aGraphThatIsTooLargeForPixelsIsDrawn()
{
    constexpr int kNodes = 700;
    QString program = QStringLiteral("input x: f32[4]\nh0 = x\n");
    for (int i = 1; i <= kNodes; ++i)
        program += QStringLiteral("h%1 = sqrt(h%2)\n").arg(i).arg(i - 1);
    program += QStringLiteral("output h%1\n").arg(kNodes);
    App app(program.toUtf8().constData());
    app.wait();
    app.window.action("go.graph")->trigger();
    GraphCanvas &canvas = app.graph();
    QVERIFY(canvas.scene()->boxes.size() >= kNodes);
    QVERIFY(canvas.pictureSize().height() > kMostPictureSide);
    QSignalSpy failed(&app.window, &MainWindow::fileFailed);
    app.focus(canvas);
    app.window.saveView(app.folder.filePath("large.png"));
    QCOMPARE(failed.count(), 1);
    const QString reason = failed.front().front().toString();
    QVERIFY2(reason.contains(QString::number(std::llround(std::ceil(canvas.pictureSize().height())))) && reason.contains("SVG"),
             qPrintable(reason));
    QVERIFY(!QFile::exists(app.folder.filePath("large.png")));
    const QStringList texts = textsOf(pictureOf(canvas, PictureFormat::Svg, {}).bytes);
    QVERIFY(texts.count(QStringLiteral("sqrt")) >= kNodes);
    // The page is scaled down to what readers open.
    const QByteArray pdf = pictureOf(canvas, PictureFormat::Pdf, {}).bytes;
    const QRegularExpressionMatch box =
        QRegularExpression(QStringLiteral("/MediaBox \\[0 0 ([0-9.]+) ([0-9.]+)\\]")).match(QString::fromLatin1(pdf));
    QVERIFY(box.hasMatch() && box.captured(2).toDouble() <= 14'400);
    QVERIFY(box.captured(2).toDouble() > 14'300);
}

void TestTaking::theKeyAsksForAFileAndWritesIt()
{
    App app;
    app.run();
    app.go("memory");
    auto &chart = *dynamic_cast<QWidget *>(Taking::viewAt({&app.panel("memory"), &app.panel("memory")}));
    const auto answer = [&](const QString &name) {
        whenAsked<QFileDialog>(&app.window, [&app, name](QFileDialog &dialog) {
            QVERIFY2(dialog.selectedFiles().value(0).endsWith("test memory.svg"), qPrintable(dialog.selectedFiles().value(0)));
            dialog.selectFile(app.folder.filePath(name));
            QTest::keyClick(&dialog, Qt::Key_Return);
        });
    };
    app.focus(chart);
    answer("by key.pdf");
    QTest::keyClick(&chart, Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
    QFile pdf(app.folder.filePath("by key.pdf"));
    QVERIFY(pdf.open(QIODevice::ReadOnly) && pdf.read(5) == "%PDF-");
    // The same by the context menu, and without an ending.
    QMenu *menu = app.menuAt(chart, {5, 5});
    answer("by menu");
    App::trigger(menu, QStringLiteral("take.save"));
    QFile svg(app.folder.filePath("by menu.svg"));
    QVERIFY(svg.open(QIODevice::ReadOnly));
    QVERIFY(!textsOf(svg.readAll()).isEmpty());
    QVERIFY(app.window.statusBar()->currentMessage().contains("by menu.svg"));
    // The ground of the graph, which has no box, has the menu too.
    menu = app.menuAt(app.graph(), {2, app.graph().height() - 3});
    QVERIFY(menu && menu->findChild<QAction *>("take.save"));
    menu->close();
}

void TestTaking::saysWhyAPictureCannotBeSaved()
{
    App app;
    QSignalSpy failed(&app.window, &MainWindow::fileFailed);
    const auto reasonFor = [&](const QString &path) {
        failed.clear();
        app.window.saveView(path);
        return failed.isEmpty() ? QString() : failed.front().front().toString();
    };
    app.wait();
    app.focus(app.graph());
    QVERIFY(reasonFor(app.folder.filePath("graph.jpeg")).contains(".svg, .pdf or .png"));
    QVERIFY(!reasonFor(app.folder.filePath("nowhere/graph.svg")).isEmpty());
    QCOMPARE(reasonFor(app.folder.filePath("graph.svg")), QString());
    // A pane without a painted view, by the menu of the window.
    app.focus(app.editor());
    QVERIFY(!reasonFor(app.folder.filePath("program.svg")).isEmpty());
    QVERIFY(!QFile::exists(app.folder.filePath("program.svg")));
    app.focus(app.editor());
    app.window.action("file.saveView")->trigger();
    QVERIFY(app.window.statusBar()->currentMessage().contains("paints nothing"));
}

// Every table that is to be seen in a panel, through the menu of the window.
void TestTaking::everyTableIsCopiedInEveryFormat()
{
    App app;
    app.showEverything();
    std::set<QString> copied;
    app.go("values");
    app.ValuesApp::choose("valuesBy", QStringLiteral("Device"));
    QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
    for (const PanelRow &row : panelRows()) {
        app.go(row.id);
        for (QTableView *table : app.panel(row.id).findChildren<QTableView *>()) {
            const QAbstractItemModel &model = *table->model();
            if (!table->isVisible() || model.rowCount() == 0)
                continue;
            app.focus(*table);
            const int titles = table->verticalHeader()->isHidden() ? 0 : 1;
            int columns = titles;
            for (int column = 0; column < model.columnCount(); ++column)
                columns += table->isColumnHidden(column) ? 0 : 1;
            const QJsonArray json = QJsonDocument::fromJson(app.copied("edit.copyAllAs.json").toUtf8()).array();
            QCOMPARE(json.size(), model.rowCount());
            QCOMPARE(json[0].toObject().size(), columns);
            const QString markdown = app.copied("edit.copyAllAs.markdown");
            QCOMPARE(markdown.count(u'\n'), model.rowCount() + 2);
            QCOMPARE(app.copied("edit.copyAllAs.text").count(u'\n'), model.rowCount() + 2);
            QVERIFY(app.copied("edit.copyAllAs.csv").count("\r\n") >= model.rowCount() + 1);
            const QString latex = app.copied("edit.copyAllAs.latex");
            QVERIFY(latex.startsWith("\\begin{tabular}{") && latex.endsWith("\\end{tabular}\n"));
            QCOMPARE(latex.count(" \\\\\n"), model.rowCount() + 1);
            copied.insert(QLatin1String(row.id));
        }
    }
    for (const char *expected : {"timings", "roofline", "activity", "sweep", "tuning", "inputs", "values", "passes", "step"})
        QVERIFY2(copied.contains(QLatin1String(expected)), expected);
}

void TestTaking::theMenuOfATableCopiesItsSelectionOrAll()
{
    App app("input x: f32[8, 8]\ny = softmax(x, axis = -1)\noutput softmax(y @ x, axis = 0)\n");
    app.run();
    app.go("timings");
    auto *table = &app.child<QTableView>("timingsTable");
    QVERIFY(table->model()->rowCount() > 1);
    table->clearSelection();
    QMenu *menu = app.menuAt(*table->viewport(), {5, 5});
    QVERIFY(menu);
    QVERIFY(!menu->findChild<QAction *>("take.copyAll.CSV")); // nothing is selected
    App::trigger(menu, QStringLiteral("take.copy.CSV"));
    const QString all = QGuiApplication::clipboard()->text();
    QCOMPARE(all.count("\r\n"), table->model()->rowCount() + 1);
    table->selectRow(1);
    App::trigger(app.menuAt(*table->viewport(), {5, 5}), QStringLiteral("take.copy.CSV"));
    const QStringList lines = QGuiApplication::clipboard()->text().split("\r\n", Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 2);
    QCOMPARE(lines[0], all.section("\r\n", 0, 0));
    QCOMPARE(lines[1], all.section("\r\n", 2, 2));
    App::trigger(app.menuAt(*table->viewport(), {5, 5}), QStringLiteral("take.copyAll.CSV"));
    QCOMPARE(QGuiApplication::clipboard()->text(), all);
    QVERIFY(app.window.statusBar()->currentMessage().contains("CSV"));
    // As it is shown: sorted, columns where they were dragged to.
    table->clearSelection();
    table->horizontalHeader()->moveSection(1, 2);
    App::trigger(app.menuAt(*table->viewport(), {5, 5}), QStringLiteral("take.copy.JSON"));
    const QByteArray json = QGuiApplication::clipboard()->text().toUtf8();
    QVERIFY(json.indexOf(table->model()->headerData(2, Qt::Horizontal).toString().toUtf8()) <
            json.indexOf(table->model()->headerData(1, Qt::Horizontal).toString().toUtf8()));
}

void TestTaking::textsAreCopiedAsListings()
{
    App app;
    app.wait();
    app.go("code");
    TextView &view = app.text("code");
    app.focus(view);
    QVERIFY(!view.wholeText().isEmpty());
    QCOMPARE(app.copied("edit.copyAs.text"), view.wholeText());
    const QString markdown = app.copied("edit.copyAs.markdown");
    QVERIFY2(markdown.startsWith("```llvm\n") && markdown.endsWith("\n```\n"), qPrintable(markdown));
    QCOMPARE(markdown.section("\n", 1), view.wholeText() + "```\n");
    QVERIFY(app.copied("edit.copyAs.latex").contains("\\begin{verbatim}\n" + view.wholeText()));
    // JSON lines.
    const QStringList lines = app.copied("edit.copyAs.json").split(u'\n', Qt::SkipEmptyParts);
    const QStringList wanted = view.wholeText().split(u'\n');
    QCOMPARE(lines.size(), wanted.size() - 1);
    for (int i = 0; i < lines.size(); ++i) {
        const QJsonObject line = QJsonDocument::fromJson(lines[i].toUtf8()).object();
        QCOMPARE(line["line"].toInt(), i + 1);
        QCOMPARE(line["text"].toString(), wanted[i]);
    }
    // What is selected, by the menu of the text.
    int row = 0;
    while (view.rows().itemAt(row) == sw::kNoIndex)
        ++row;
    view.scrollToRow(row);
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, view.rowRect(row).center());
    const QString chosen = view.chosenText();
    QVERIFY(!chosen.isEmpty() && chosen != view.wholeText());
    App::trigger(app.menuAt(*view.viewport(), view.rowRect(row).center()), QStringLiteral("take.copy.Text"));
    QCOMPARE(QGuiApplication::clipboard()->text(), chosen);
    // Ctrl+C copies text, as before.
    QTest::keyClick(&view, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(), chosen);
}

void TestTaking::richTextIsMarkdown()
{
    App app;
    app.wait();
    EngineApp::click(app.graph(), QStringLiteral("sqrt"));
    app.go("inspector");
    auto *text = app.panel("inspector").findChild<QTextEdit *>();
    QVERIFY(text);
    QTRY_VERIFY_WITH_TIMEOUT(text->toPlainText().contains("sqrt"), kPatience);
    app.focus(*text);
    const QString markdown = app.copied("edit.copyAs.markdown");
    QVERIFY(markdown.contains("sqrt") && !markdown.contains("<span"));
    QVERIFY(!app.copied("edit.copyAs.latex").contains("<"));
    QMenu *menu = app.menuAt(*text->viewport(), {5, 5});
    QVERIFY(menu && menu->findChild<QAction *>("take.copy.Markdown"));
    menu->close();
}

void TestTaking::theMenuOfTheProgramKeepsItsOwnActions()
{
    App app;
    app.wait();
    QMenu *menu = app.menuAt(*app.editor().viewport(), {5, 5});
    QVERIFY(menu);
    QVERIFY(menu->findChild<QAction *>("edit-paste"));
    App::trigger(menu, QStringLiteral("take.copy.Markdown"));
    QCOMPARE(QGuiApplication::clipboard()->text(), "```\n" + QString::fromLatin1(kProgram) + "```\n");
    QTextCursor cursor = app.editor().textCursor();
    cursor.setPosition(0);
    cursor.movePosition(QTextCursor::NextBlock, QTextCursor::KeepAnchor, 2);
    app.editor().setTextCursor(cursor);
    App::trigger(app.menuAt(*app.editor().viewport(), {5, 5}), QStringLiteral("take.copy.CSV"));
    QCOMPARE(QGuiApplication::clipboard()->text(),
             QStringLiteral("line,text\r\n1,\"n: dim[1, 64] = 8\"\r\n2,\"input x: f32[n, 64]\"\r\n"));
}

void TestTaking::aTableThatIsTooLargeIsNotCopied()
{
    App app("input x: f32[1200, 1000]\noutput y = x + 1.0\n");
    app.run();
    app.go("values");
    app.ValuesApp::choose("outputsBox", "output y");
    auto &table = app.child<QTableView>("valuesTable");
    QTRY_VERIFY_WITH_TIMEOUT(table.isVisible() && table.model()->rowCount() == 1200, kPatience);
    app.focus(table);
    QGuiApplication::clipboard()->setText("kept");
    app.window.action("edit.copyAllAs.csv")->trigger();
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("kept"));
    QVERIFY(app.window.statusBar()->currentMessage().contains("1,200,000"));
    table.selectionModel()->select(table.model()->index(3, 4), QItemSelectionModel::ClearAndSelect);
    const QStringList lines = app.copied("edit.copyAs.csv").split("\r\n", Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 2);
    QVERIFY(lines[1].contains(table.model()->index(3, 4).data().toString()));
}

QTEST_MAIN(TestTaking)
#include "tst_taking.moc"
