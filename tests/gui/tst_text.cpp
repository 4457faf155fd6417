// Differences of texts, syntax colours, and the virtual text view.

#include "tests/gui/fake_engine.h"
#include "ui/text_view/syntax.h"
#include "ui/text_view/text_view.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QScrollBar>
#include <QTest>

using namespace stepwell::ui;
using sw::StageKind;

namespace {

// "keyword:for plain..." for the spans that are not plain.
QString styled(const QString &line, Language language)
{
    static const char *const kNames[] = {"plain",    "keyword",  "type",  "number",    "string",     "comment",
                                         "function", "register", "label", "operation", "punctuation"};
    QStringList parts;
    for (const SyntaxSpan &span : tokenize(line, language)) {
        if (span.style != Syntax::Punctuation)
            parts << QString("%1:%2").arg(kNames[static_cast<int>(span.style)], line.mid(span.start, span.length));
    }
    return parts.join(' ');
}

sw::StageDocumentPtr manyLines(std::uint32_t count)
{
    auto document = std::make_shared<sw::StageDocument>();
    document->kind = StageKind::Lowered;
    for (std::uint32_t i = 0; i < count; ++i) {
        sw::DocumentItem item;
        item.label = "%" + std::to_string(i);
        item.sources = {i / 4};
        document->items.push_back(std::move(item));
        document->lines.push_back({"  %" + std::to_string(i) + " = add f32 %1, 2.5", i, {}});
    }
    return document;
}

SnapshotPtr snapshotOf(const sw::StageDocumentPtr &lowered)
{
    auto report = std::make_shared<sw::Report>();
    report->lowered = lowered;
    report->succeeded = true;
    return makeSnapshot(nullptr, report, 1, true);
}

} // namespace

class TestText : public QObject {
    Q_OBJECT

private slots:
    void coloursOfEveryLanguage()
    {
        QCOMPARE(styled("input x: f32[2, n] # data", Language::Program), "keyword:input type:f32 number:2 comment:# data");
        QCOMPARE(styled("  %3 = fadd <8 x float> %1, %2 ; sum", Language::Llvm),
                 "register:%3 keyword:fadd number:8 type:x type:float register:%1 register:%2 comment:; sum");
        QCOMPARE(styled("__kernel void k0(__global float *a) // body", Language::C),
                 "keyword:__kernel type:void function:k0 keyword:__global type:float comment:// body");
        QCOMPARE(
            styled("1a0: c5 fc 58  vaddps ymm0, ymm1, [rdi+0x20]", Language::Assembly),
            "comment:1a0 comment:c5 comment:fc comment:58 keyword:vaddps register:ymm0 register:ymm1 register:rdi number:0x20");
        QCOMPARE(styled("x = 1.5e-3", Language::Program), "number:1.5e-3");
    }

    void pointingAtALineLightsItsPartners()
    {
        Appearance appearance("dark");
        Selection selection;
        TextView view(StageKind::Lowered, appearance, selection);
        const auto document = manyLines(100);
        selection.setSnapshot(snapshotOf(document));
        view.setRows(TextRows(document), {});
        view.resize(400, 300);
        view.show();
        QTest::mouseMove(view.viewport(), view.rowRect(2).center());
        QCOMPARE(selection.hovered(StageKind::Lowered).items, (std::vector<sw::ItemIndex>{2}));
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, view.rowRect(5).center());
        QCOMPARE(selection.selected(StageKind::Lowered).items, (std::vector<sw::ItemIndex>{5}));
        QTest::mouseClick(view.viewport(), Qt::LeftButton, Qt::ControlModifier, view.rowRect(7).center());
        QCOMPARE(selection.selected(StageKind::Lowered).items, (std::vector<sw::ItemIndex>{5, 7}));
        view.copy();
        QCOMPARE(QGuiApplication::clipboard()->text(), "  %5 = add f32 %1, 2.5\n  %7 = add f32 %1, 2.5\n");
    }

    // A model has hundreds of kernels, and tags as "K1034" stand before the numbers of their lines.
    void longTagsLeaveTheNumbersAlone()
    {
        struct Margin : LineMargin {
            [[nodiscard]] int width(const LineMetrics & /*metrics*/) const override { return 10; }
            void paint(QPainter & /*painter*/, const TextRows & /*rows*/, int /*row*/, const QRect & /*place*/,
                       const LineMetrics & /*metrics*/) const override
            {
            }
            [[nodiscard]] QString tip(const TextRows & /*rows*/, int /*row*/, int /*x*/,
                                      const LineMetrics & /*metrics*/) const override
            {
                return {};
            }
        } margin;
        Appearance appearance("dark");
        Selection selection;
        TextView view(StageKind::Lowered, appearance, selection);
        view.setMargin(&margin);
        const auto document = manyLines(100);
        const auto leftWith = [&](const QString &tag) {
            view.setRows(TextRows(document), {{.tag = tag}});
            return view.marginRect(0).left();
        };
        const int two = leftWith("K3");
        QCOMPARE(leftWith("K42"), two);
        QVERIFY(leftWith("K1034") >= two + static_cast<int>(2 * view.metrics().charWidth));
        view.setRows(TextRows(document), {{.tag = "K3"}});
        view.setKernelsBefore({{.tag = "K1034"}});
        QVERIFY(view.marginRect(0).left() > two);
    }

    void hundredThousandLines()
    {
        Appearance appearance("dark");
        Selection selection;
        TextView view(StageKind::Lowered, appearance, selection);
        view.resize(600, 400);
        const auto document = manyLines(100'000);
        selection.setSnapshot(snapshotOf(document));
        view.setRows(TextRows(document), {});
        view.show();
        view.scrollToRow(90'000);
        QVERIFY(view.firstVisibleRow() <= 90'000 && view.firstVisibleRow() + view.visibleRows() > 90'000);
        QPixmap picture(view.size());
        QBENCHMARK
        {
            view.render(&picture);
        }
        view.search(QRegularExpression("%99999\\b"));
        QCOMPARE(view.foundRows(), (std::vector<int>{99'999}));
        view.step(1);
        QVERIFY(view.firstVisibleRow() + view.visibleRows() >= 99'999);
    }

    void arrowsMoveTheSelection()
    {
        Appearance appearance("dark");
        Selection selection;
        TextView view(StageKind::Lowered, appearance, selection);
        const auto document = manyLines(50);
        selection.setSnapshot(snapshotOf(document));
        view.setRows(TextRows(document), {});
        view.resize(400, 200);
        view.show();
        QTest::keyClick(&view, Qt::Key_Down);
        QTest::keyClick(&view, Qt::Key_Down);
        QCOMPARE(selection.selected(StageKind::Lowered).items, (std::vector<sw::ItemIndex>{2}));
        QTest::keyClick(&view, Qt::Key_End);
        QCOMPARE(selection.selected(StageKind::Lowered).items, (std::vector<sw::ItemIndex>{49}));
        QVERIFY(view.rowRect(49).bottom() <= view.viewport()->height());
        QTest::keyClick(&view, Qt::Key_Escape);
        QVERIFY(!selection.hasSelection());
    }

    void zoomChangesTheLines()
    {
        Appearance appearance("light");
        Selection selection;
        TextView view(StageKind::Lowered, appearance, selection);
        view.setRows(TextRows(manyLines(50)), {});
        const int height = view.rowRect(0).height();
        view.zoomBy(3);
        QVERIFY(view.rowRect(0).height() > height);
        view.resetZoom();
        QCOMPARE(view.rowRect(0).height(), height);
    }
};

QTEST_MAIN(TestText)
#include "tst_text.moc"
