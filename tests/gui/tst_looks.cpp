// All text can be read: contrast, room, tool tips for cut text, rings around what has the focus, names for screen
// readers.

#include "tests/gui/fake_app.h"
#include "tests/gui/patience.h"
#include "ui/docking/dock_area.h"
#include "ui/docking/dock_stack.h"
#include "ui/docking/dock_tabs.h"
#include "ui/panels/cut_text.h"
#include "ui/panels/text_panel.h"
#include "ui/panels/timings_panel.h"

#include <QAbstractButton>
#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QHeaderView>
#include <QHelpEvent>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTabBar>
#include <QTableView>
#include <QToolTip>

using namespace stepwell::ui;
using sw::StageKind;

namespace {

struct Pair {
    Role text;
    std::vector<Role> backgrounds;
};

// Which text and background colours the widgets use. (Disabled controls use Role::Disabled.)
const std::vector<Pair> kPairs{
    {Role::Text,
     {Role::Window, Role::Base, Role::Alternate, Role::Raised, Role::Hover, Role::Selection, Role::AddedFill, Role::RemovedFill,
      Role::CurrentLine, Role::Node}},
    {Role::Muted,
     {Role::Window, Role::Base, Role::Alternate, Role::Raised, Role::Hover, Role::Selection, Role::CurrentLine, Role::Node}},
    {Role::Error, {Role::Window, Role::Base, Role::Raised, Role::Hover, Role::Selection}},
    {Role::Warning, {Role::Window, Role::Base, Role::Raised, Role::Hover, Role::Selection}},
    {Role::Note, {Role::Window, Role::Base, Role::Hover, Role::Selection}},
    {Role::NotANumber, {Role::Base, Role::Hover, Role::Selection}},
    {Role::Added, {Role::Base, Role::AddedFill}},
    {Role::Removed, {Role::Base, Role::RemovedFill}},
    {Role::Accent, {Role::Window, Role::Base, Role::Raised}},
};
constexpr std::array kTextBackgrounds{Role::Base,      Role::Hover,       Role::Selection,
                                      Role::AddedFill, Role::RemovedFill, Role::CurrentLine};

QString numberOf(double contrast, const QColor &text, const QColor &background)
{
    return QStringLiteral("%1 on %2: %3").arg(text.name(), background.name()).arg(contrast);
}

int pixelsOf(const QImage &image, const QColor &color)
{
    int count = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            count += image.pixelColor(x, y).rgb() == color.rgb() ? 1 : 0;
    return count;
}

} // namespace

class TestLooks : public QObject {
    Q_OBJECT

private:
    static void everyTheme()
    {
        QTest::addColumn<QString>("name");
        for (const QString &name : Theme::names())
            QTest::addRow("%s", qPrintable(name)) << name;
    }
    static void verifyLegible(const QColor &text, const QColor &background)
    {
        const double contrast = Theme::contrast(text, background);
        QVERIFY2(contrast >= Theme::kLegible, qPrintable(numberOf(contrast, text, background)));
    }

private slots:
    void everyPairIsLegible_data() { everyTheme(); }
    void everyPairIsLegible()
    {
        QFETCH(QString, name);
        const Theme theme = Theme::load(name);
        for (const Pair &pair : kPairs)
            for (const Role background : pair.backgrounds)
                verifyLegible(theme.color(pair.text), theme.color(background));
        for (std::size_t i = 0; i < kSyntaxCount; ++i)
            for (const Role background : kTextBackgrounds)
                verifyLegible(theme.color(static_cast<Syntax>(i)), theme.color(background));
        for (const QColor &identity : theme.identityColors())
            verifyLegible(identity, theme.color(Role::Base));
    }

    // The rules of the style sheet, unchanged.
    void everyRuleOfTheStyleSheetIsLegible_data() { everyTheme(); }
    void everyRuleOfTheStyleSheetIsLegible()
    {
        QFETCH(QString, name);
        const Theme theme = Theme::load(name);
        static const QRegularExpression kRule("([^{}]+)\\{([^{}]*)\\}");
        static const QRegularExpression kText("(?<![-\\w])color:\\s*(#[0-9a-f]{6})");
        static const QRegularExpression kBackground("(?<![-\\w])background:\\s*(#[0-9a-f]{6})");
        auto rules = kRule.globalMatch(styleSheetOf(theme));
        int seen = 0;
        while (rules.hasNext()) {
            const auto rule = rules.next();
            const auto text = kText.match(rule.captured(2));
            const auto background = kBackground.match(rule.captured(2));
            if (rule.captured(1).contains(":disabled") || (!text.hasMatch() && !background.hasMatch()) ||
                rule.captured(1).contains("::separator") || rule.captured(1).contains("QSlider") ||
                rule.captured(1).contains("QScrollBar"))
                continue;
            ++seen;
            const QColor written = text.hasMatch() ? QColor(text.captured(1)) : theme.color(Role::Text);
            if (background.hasMatch())
                verifyLegible(written, QColor(background.captured(1)));
            else
                for (const Role under : {Role::Window, Role::Base})
                    verifyLegible(written, theme.color(under));
        }
        QVERIFY(seen > 15);
    }

    void whatIsBlendedIsMadeLegible_data() { everyTheme(); }
    void whatIsBlendedIsMadeLegible()
    {
        QFETCH(QString, name);
        const Theme theme = Theme::load(name);
        const QColor node = theme.color(Role::Node);
        std::vector<QColor> fills{theme.fainter(Role::Hover), theme.fainter(Role::Selection)};
        for (const QColor &color : theme.identityColors())
            for (const double opacity : {0.10, 0.16, 0.3, 0.55, 1.0})
                fills.push_back(Theme::blend(node, color, opacity));
        for (const QColor &fill : fills) {
            for (const Role text : {Role::Text, Role::Muted, Role::Base})
                verifyLegible(Theme::legible(theme.color(text), fill), fill);
            for (std::size_t i = 0; i < kSyntaxCount; ++i)
                verifyLegible(Theme::legible(theme.color(static_cast<Syntax>(i)), fill), fill);
        }
        // Text that is already legible keeps its colour.
        QCOMPARE(Theme::legible(theme.color(Role::Text), theme.color(Role::Base)), theme.color(Role::Text));
    }

    void whatHasTheFocusHasARing_data() { everyTheme(); }
    void whatHasTheFocusHasARing()
    {
        QFETCH(QString, name);
        FakeApp<> app;
        app.appearance.setTheme(name);
        app.window.resize(1500, 950);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        QApplication::setActiveWindow(&app.window);
        int seen = 0;
        const QColor accent = app.appearance.color(Role::Accent);
        for (DockStack *pane : app.window.area().stacks()) {
            app.window.setFocus();
            const int before = pixelsOf(pane->grab().toImage(), accent);
            pane->current()->setFocus();
            QVERIFY2(pane->isAncestorOf(QApplication::focusWidget()), qPrintable(pane->accessibleName()));
            const int after = pixelsOf(pane->grab().toImage(), accent);
            QVERIFY2(after - before > pane->width(), qPrintable(pane->accessibleName()));
            ++seen;
        }
        QVERIFY(seen >= 7);
    }

    // The focus colours the frame and nothing else.
    void focusKeepsTheShapeOfButtons_data() { everyTheme(); }
    void focusKeepsTheShapeOfButtons()
    {
        QFETCH(QString, name);
        FakeApp<> app;
        app.appearance.setTheme(name);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        QApplication::setActiveWindow(&app.window);
        QPushButton push("Measure", &app.window);
        QCheckBox check("Live", &app.window);
        QPushButton other("Other", &app.window);
        for (QAbstractButton *button : std::initializer_list<QAbstractButton *>{&push, &check}) {
            button->resize(120, 30);
            button->show();
            other.show();
            other.setFocus();
            const QSize hint = button->sizeHint();
            const QImage without = button->grab().toImage();
            button->setFocus();
            QVERIFY(button->hasFocus());
            QCOMPARE(button->sizeHint(), hint);
            const QImage with = button->grab().toImage();
            QVERIFY(with != without);
            const QRect inside = without.rect().adjusted(5, 5, -5, -5);
            QVERIFY(with.copy(inside) == without.copy(inside));
        }
    }

    void everythingWithFocusHasAName()
    {
        FakeApp<> app;
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        for (const QWidget *widget : app.window.findChildren<QWidget *>()) {
            if (widget->window() != &app.window || (widget->focusPolicy() & Qt::TabFocus) == 0 || widget->focusProxy() ||
                widget->objectName() == "qt_toolbar_ext_button" || widget->objectName().startsWith("qt_spinbox"))
                continue;
            const auto *button = qobject_cast<const QAbstractButton *>(widget);
            const auto *label = qobject_cast<const QLabel *>(widget);
            const bool isNamed = !widget->accessibleName().isEmpty() || (button && !button->text().isEmpty()) ||
                                 (label && !label->text().isEmpty());
            QVERIFY2(isNamed, qPrintable(QStringLiteral("%1 %2 in %3")
                                             .arg(widget->metaObject()->className(), widget->objectName(),
                                                  widget->parentWidget()->objectName())));
        }
    }

    void cutCellsTellTheirText()
    {
        FakeApp<> app;
        auto &table = app.child<QTableView>("passesTable");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && table.model()->rowCount() > 0, kPatience);
        QVERIFY(app.window.setPerspective("step"));
        table.setFixedWidth(90);
        table.horizontalHeader()->setSectionResizeMode(0, QHeaderView::Fixed);
        table.horizontalHeader()->resizeSection(0, 40);
        const QModelIndex index = table.model()->index(0, 0);
        const QPoint at = table.visualRect(index).center();
        QHelpEvent help(QEvent::ToolTip, at, table.viewport()->mapToGlobal(at));
        QApplication::sendEvent(table.viewport(), &help);
        QVERIFY2(QToolTip::text().contains("Fold constants"), qPrintable(QToolTip::text()));
    }

    void cutLabelsTellTheirText()
    {
        CutLabel label;
        label.setText("relu: 1 node and a very long list of everything that it became");
        label.resize(label.sizeHint());
        label.show();
        QVERIFY(!label.isCut());
        label.resize(60, label.height());
        QVERIFY(label.isCut());
        QHelpEvent help(QEvent::ToolTip, QPoint(5, 5), label.mapToGlobal(QPoint(5, 5)));
        QApplication::sendEvent(&label, &help);
        QCOMPARE(QToolTip::text(), label.text());
        QVERIFY(label.shownText().startsWith("relu") && label.shownText().endsWith(u'\u2026'));
        label.resize(label.fontMetrics().horizontalAdvance(QStringLiteral("re\u2026")) + 1, label.height());
        QCOMPARE(label.shownText(), QStringLiteral("\u2026"));
    }

    // The note beside the tabs is cut with an ellipsis before any tab is cut.
    void notesGiveWayToTabs()
    {
        FakeApp<> app;
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.window.action("compile.run")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && !app.child<TimingsPanel>("timings").note().isEmpty(), kPatience);
        const QTabBar &tabs = app.window.area().stackOf(&app.child<TimingsPanel>("timings"))->tabs();
        auto &note = *app.child<TimingsPanel>("timings").tools()->findChild<CutLabel *>("paneNote");
        note.setText(note.text() + QString(200, 'x'));
        app.window.resize(1600, 700); // wide enough for all tabs
        QCoreApplication::processEvents();
        QVERIFY(note.isCut());
        QVERIFY(tabs.width() >= tabs.sizeHint().width());
        for (int i = 0; i < tabs.count(); ++i)
            QVERIFY(tabs.rect().contains(tabs.tabRect(i)));
        QHelpEvent help(QEvent::ToolTip, QPoint(5, 5), note.mapToGlobal(QPoint(5, 5)));
        QApplication::sendEvent(&note, &help);
        QCOMPARE(QToolTip::text(), note.text());
    }

    void longLinesAreReachable()
    {
        FakeApp<> app;
        app.window.resize(1200, 900);
        app.window.openText("test.sw", QStringLiteral("# %1\n").arg(QString(300, 'x')) + kFakeProgram);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        int seen = 0;
        const auto verify = [&](const QAbstractScrollArea &text, int longest) {
            if (!text.isVisible() || longest <= text.viewport()->width())
                return;
            ++seen;
            const QScrollBar &bar = *text.horizontalScrollBar();
            QTRY_VERIFY2_WITH_TIMEOUT(bar.isVisible(), qPrintable(text.accessibleName()), kPatience);
            QVERIFY2(bar.maximum() + text.viewport()->width() >= longest, qPrintable(text.accessibleName()));
        };
        const int letter = QFontMetrics(app.appearance.codeFont()).horizontalAdvance('x');
        for (const TextView *view : app.window.findChildren<TextView *>()) {
            qsizetype longest = 0;
            for (int row = 0; row < view->rows().count(); ++row)
                longest = std::max(longest, view->rows().textAt(row).size());
            verify(*view, static_cast<int>(longest) * letter);
        }
        verify(app.child<QPlainTextEdit>("programEditor"), 302 * letter);
        QVERIFY(seen >= 2);
    }

    void tabsTellTheirTitles()
    {
        FakeApp<> app;
        for (const QTabBar *tabs : app.window.findChildren<QTabBar *>())
            for (int i = 0; i < tabs->count(); ++i)
                QCOMPARE(tabs->tabToolTip(i), tabs->tabText(i));
    }

    void labelsOfAGraphLieOnNothing()
    {
        FakeEngine engine;
        sw::ExploreRequest request;
        request.text = fakeProgram(6);
        const sw::ReportPtr report = engine.compile(request, [](const sw::ReportPtr &) {}, {});
        const QFont font = QApplication::font();
        for (const sw::StageDocumentPtr &document : {report->graph, report->schedule}) {
            const GraphScenePtr scene = makeGraphScene(document, {}, {TextMeasure(font), TextMeasure(font)});
            QVERIFY(scene->edges.size() > kMostLabelledEdges || !scene->edges.empty());
            for (const SceneEdge &edge : scene->edges)
                for (const SceneBox &box : scene->boxes)
                    QVERIFY(!edge.labelArea.intersects(box.rect));
        }
    }
};

QTEST_MAIN(TestLooks)
#include "tst_looks.moc"
