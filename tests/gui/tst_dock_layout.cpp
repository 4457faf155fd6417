// Layouts of panels as data: their notation, and what can be done with them.

#include "ui/docking/layout_moves.h"
#include "ui/docking/layout_text.h"

#include <QTest>

#include <algorithm>
#include <random>

using namespace stepwell::ui;

namespace {

using Random = std::mt19937;
using Kind = LayoutPlace::Kind;

int anyBelow(Random &random, int end)
{
    return static_cast<int>(random() % static_cast<unsigned>(end));
}

const QStringList &names()
{
    static const QStringList kNames{"a", "b2", "c_c", "d.d", "e-e", "f", "g", "h"};
    return kNames;
}

std::vector<PanelHome> homes()
{
    std::vector<PanelHome> homes;
    for (const QString &name : names())
        homes.push_back({name, name < "d" ? "first" : "second"});
    return homes;
}

LayoutPlace randomPlace(Random &random, QStringList panels)
{
    LayoutPlace place;
    place.size = 1 + anyBelow(random, 900);
    place.grows = anyBelow(random, 3) == 0;
    if (panels.size() < 2 || anyBelow(random, 3) == 0) {
        for (const QString &panel : panels)
            place.tabs.push_back({panel, anyBelow(random, 4) != 0});
        place.front = panels[anyBelow(random, static_cast<int>(panels.size()))];
        return place;
    }
    place.kind = anyBelow(random, 2) == 0 ? Kind::Row : Kind::Column;
    while (!panels.isEmpty()) {
        const int count = 1 + anyBelow(random, static_cast<int>(panels.size()));
        place.parts.push_back(randomPlace(random, panels.first(count)));
        panels = panels.sliced(count);
    }
    return place;
}

Layout randomLayout(Random &random)
{
    QStringList panels = names();
    std::ranges::shuffle(panels, random);
    Layout layout;
    layout.root = randomPlace(random, panels);
    for (int i = anyBelow(random, 3); i > 0; --i) {
        const QString panel = names()[anyBelow(random, 8)];
        if (!floatOf(layout, panel))
            layout.floating.push_back(
                {QRect(anyBelow(random, 2000) - 500, anyBelow(random, 900) - 100, 200, 100), {panel}, panel});
    }
    if (anyBelow(random, 4) == 0)
        layout.maximised = names()[anyBelow(random, 8)];
    complete(layout, homes());
    return layout;
}

void changeSomehow(Random &random, Layout &layout)
{
    const QString panel = names()[anyBelow(random, 8)];
    const auto side = static_cast<Side>(anyBelow(random, 5));
    switch (anyBelow(random, 7)) {
    case 0:
        return movePanel(layout, panel, {anyBelow(random, 4) == 0 ? QString() : names()[anyBelow(random, 8)], side, {}});
    case 1:
        return movePanel(layout, panel, {names()[anyBelow(random, 8)], Side::Middle, names()[anyBelow(random, 8)]});
    case 2:
        return shiftPanel(layout, panel, side);
    case 3:
        return floatPanel(layout, panel, QRect(10, 20, 300, 200));
    case 4:
        return dockPanel(layout, panel);
    case 5:
        return anyBelow(random, 2) == 0 ? openPanel(layout, panel) : closePanel(layout, panel);
    default:
        return maximisePanel(layout, panel);
    }
}

Layout read(const QString &text)
{
    const ParsedLayout parsed = layoutOf(text);
    if (!parsed.layout)
        qFatal("%s: %s", qPrintable(text), qPrintable(parsed.error));
    return *parsed.layout;
}

} // namespace

class TestDockLayout : public QObject {
    Q_OBJECT

private slots:
    // The notation.

    void aLayoutIsReadAsItWasWritten()
    {
        for (unsigned seed = 0; seed < 500; ++seed) {
            Random random(seed);
            const Layout layout = randomLayout(random);
            const ParsedLayout parsed = layoutOf(textOf(layout));
            QVERIFY2(parsed.layout, qPrintable(textOf(layout) + '\n' + parsed.error));
            QVERIFY2(*parsed.layout == layout, qPrintable(textOf(layout) + '\n' + textOf(*parsed.layout)));
        }
    }

    void theNotationIsReadable()
    {
        const QString text =
            "row(360 column(400 program, 260 -inspector), 1000+ column(300+ graph, 170 messages|*timings|values)) "
            "float(100 -80 640x400 *values|code)";
        const Layout layout = read(text);
        QCOMPARE(textOf(layout), "row(360 column(400 program, 260 -inspector), 1000+ column(300+ graph, "
                                 "170 messages|*timings|values)) float(100 -80 640x400 values)"); // no place for code
        QCOMPARE(layout.root.kind, Kind::Row);
        QCOMPARE(layout.root.parts[1].grows, true);
        QCOMPARE(layout.root.parts[1].parts[1].front, "timings");
        QCOMPARE(isOpen(layout, "inspector"), false);
        QCOMPARE(floatOf(layout, "values")->geometry, QRect(100, -80, 640, 400));
        QCOMPARE(textOf(read("  row( 1   a ,2 row(2 b,4 column(7 c)) )maximised( c ) ")), "row(1 a, 1 b, 1 c) maximised(c)");
    }

    void wrongTextSaysWhere_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("error");
        QTest::newRow("nothing") << "" << "column 1: expected row, column or a panel, found the end";
        QTest::newRow("no size") << "row(a)" << "column 5: expected a size, found 'a'";
        QTest::newRow("size zero") << "row(0 a)" << "column 5: expected a size from 1 to 99999, found 0";
        QTest::newRow("huge size") << "row(123456789012 a)" << "column 5: expected a size from 1 to 99999, found 123456789012";
        QTest::newRow("not closed") << "row(1 a, 2 b" << "column 13: expected ')', found the end";
        QTest::newRow("no panel") << "row(1 a, 2 )" << "column 12: expected row, column or a panel, found ')'";
        QTest::newRow("no tab") << "a|" << "column 3: expected a panel, found the end";
        QTest::newRow("twice") << "row(1 a, 2 b|a)" << "column 14: expected every panel once, found a again";
        QTest::newRow("two in front") << "*a|*b" << "column 5: expected one panel in front, found b besides a";
        QTest::newRow("unknown word") << "stack(1 a)" << "column 1: expected row or column before '(', found 'stack'";
        QTest::newRow("afterwards") << "a b" << "column 3: expected float, maximised or the end, found 'b'";
        QTest::newRow("a sign") << "row(1 a; 2 b)" << "column 8: expected ')', found ';'";
        QTest::newRow("float") << "a float(1 2 3 a)" << "column 15: expected 'x', found 'a'";
        QTest::newRow("float twice") << "a float(1 2 3x4 a) float(1 2 3x4 a)"
                                     << "column 34: expected every panel once, found a again";
        QTest::newRow("deep") << QString("row(1 column(1 ").repeated(20)
                              << "column 241: expected at most 32 rows and columns in each other";
    }
    void wrongTextSaysWhere()
    {
        QFETCH(QString, text);
        QFETCH(QString, error);
        const ParsedLayout parsed = layoutOf(text);
        QVERIFY(!parsed.layout);
        QCOMPARE(parsed.error, error);
    }

    void noTextCrashesTheReader()
    {
        const QString letters = "row(column(float(maximised(123 a|*-b,x+)) ";
        for (unsigned seed = 0; seed < 3000; ++seed) {
            Random random(seed);
            QString text = textOf(randomLayout(random));
            for (int edits = 1 + anyBelow(random, 4); edits > 0; --edits) {
                const int at = anyBelow(random, static_cast<int>(text.size()) + 1);
                if (anyBelow(random, 2) == 0)
                    text.insert(at, letters[anyBelow(random, static_cast<int>(letters.size()))]);
                else
                    text.remove(at, 1 + anyBelow(random, 3));
            }
            const ParsedLayout parsed = layoutOf(text);
            QCOMPARE(parsed.error.isEmpty(), parsed.layout.has_value());
            QVERIFY(parsed.layout || parsed.error.startsWith("column "));
        }
    }

    // Layouts.

    void everyPanelAlwaysHasOnePlace()
    {
        for (unsigned seed = 0; seed < 300; ++seed) {
            Random random(seed);
            Layout layout = randomLayout(random);
            for (int step = 0; step < 30; ++step) {
                const QString before = textOf(layout);
                changeSomehow(random, layout);
                QStringList panels = allPanels(layout.root);
                panels.sort();
                QVERIFY2(panels == names(), qPrintable(before + '\n' + textOf(layout)));
                QVERIFY2(!dockedPanels(layout).isEmpty(), qPrintable(before + '\n' + textOf(layout)));
                QVERIFY2(read(textOf(layout)) == layout, qPrintable(before + '\n' + textOf(layout)));
            }
        }
    }

    void panelsThatALayoutDoesNotKnowComeHome()
    {
        const std::vector<PanelHome> panels{{"a", "left"}, {"b", "left"}, {"c", "right"}, {"d", "right"}, {"new", "right"}};
        Layout layout = read("row(100 a|*b, 200 *c|gone|d)");
        complete(layout, panels);
        QCOMPARE(textOf(layout), "row(100 a|*b, 200 *c|d|new)");
        // They are open where anything is open.
        layout = read("row(100 a|*b, 200 -c|-d)");
        complete(layout, panels);
        QCOMPARE(textOf(layout), "row(100 a|*b, 200 -c|-d|-new)");
        // They follow the panels of their home wherever those went.
        layout = read("row(100 a|*d|c, 200 b)");
        complete(layout, panels);
        QCOMPARE(textOf(layout), "row(100 a|*d|c|new, 200 b)");
        // A home that no panel has: the last stack.
        layout = read("row(100 a|*b, 200 *c|d)");
        complete(layout, {{"a", "left"}, {"b", "left"}, {"c", "right"}, {"d", "right"}, {"new", "nowhere"}});
        QCOMPARE(textOf(layout), "row(100 a|*b, 200 *c|d|new)");
        // Nothing that is known.
        layout = read("row(100 x|*y, 200 z)");
        complete(layout, panels);
        QCOMPARE(textOf(layout), "*a|b|c|d|new");
        // Everything closed.
        layout = read("row(100 -a|-b, 200 -c|-d|-new)");
        complete(layout, panels);
        QCOMPARE(textOf(layout), "row(100 *a|-b, 200 -c|-d|-new)");
    }

    void panelsMove_data()
    {
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("panel");
        QTest::addColumn<int>("side");
        QTest::addColumn<QString>("after");
        const auto row = [](const char *name, const char *before, const char *panel, Side side, const char *after) {
            QTest::newRow(name) << before << panel << static_cast<int>(side) << after;
        };
        row("from tabs", "row(100 *a|b, 200 c)", "a", Side::Right, "row(50 b, 50 a, 200 c)");
        row("from tabs down", "row(100 *a|b, 200 c)", "a", Side::Below, "row(100 column(100 b, 100 a), 200 c)");
        row("past the neighbour", "row(100 a, 200 b, 300 c)", "a", Side::Right, "row(100 b, 200 a, 300 c)");
        row("past what is closed", "row(100 a, 200 -b, 300 c)", "a", Side::Right, "row(100 c, 200 -b, 300 a)");
        row("into another row", "column(100 row(10 a, 20 b), 200 row(30 c, 40 d))", "b", Side::Below,
            "column(100 row(10 a, 20 c), 200 row(30 b, 40 d))");
        row("to the edge", "column(100 row(10 a, 20 b), 300 c)", "b", Side::Right, "row(23+ column(100 a, 300 c), 7 b)");
        row("already at the edge", "row(100 a, 200 b)", "b", Side::Right, "row(100 a, 200 b)");
        row("alone", "a", "a", Side::Left, "a");
        row("closed", "row(100 -a, 200 b)", "a", Side::Right, "row(100 -a, 200 b)");
    }
    void panelsMove()
    {
        QFETCH(QString, before);
        QFETCH(QString, panel);
        QFETCH(int, side);
        QFETCH(QString, after);
        Layout layout = read(before);
        shiftPanel(layout, panel, static_cast<Side>(side));
        QCOMPARE(textOf(layout), after);
    }

    void windowsAreBroughtOnScreen()
    {
        const std::vector<QRect> screens{{0, 0, 1366, 768}, {1366, 0, 1920, 1080}};
        QCOMPARE(broughtOnScreen({100, 100, 400, 300}, screens), QRect(100, 100, 400, 300));
        QCOMPARE(broughtOnScreen({1400, 100, 400, 300}, screens), QRect(1400, 100, 400, 300));
        QCOMPARE(broughtOnScreen({9000, -500, 400, 300}, screens), QRect(966, 0, 400, 300));
        QCOMPARE(broughtOnScreen({3200, 900, 400, 300}, screens), QRect(2886, 780, 400, 300));
        QCOMPARE(broughtOnScreen({-50, -50, 9000, 9000}, screens), QRect(1366, 0, 1920, 1080));
    }
};

QTEST_GUILESS_MAIN(TestDockLayout)
#include "tst_dock_layout.moc"
