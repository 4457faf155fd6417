#include "ui/text_view/text_view.h"

#include "ui/text_view/overview_ruler.h"
#include "ui/text_view/row_marks.h"

#include <QApplication>
#include <QClipboard>
#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace stepwell::ui {

namespace {

constexpr int kLeastPoints = 5;
constexpr int kMostPoints = 40;
constexpr int kStripeWidth = 4;
constexpr int kGutterGap = 8;

} // namespace

TextView::TextView(std::optional<sw::StageKind> stage, const Appearance &appearance, Selection &selection, QWidget *parent)
    : QAbstractScrollArea(parent),
      m_stage(stage),
      m_appearance(appearance),
      m_selection(selection),
      m_ruler(new OverviewRuler(appearance, this))
{
    setVerticalScrollBar(m_ruler);
    setFrameShape(QFrame::NoFrame);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
    viewport()->setMouseTracking(true);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setCursor(Qt::ArrowCursor);
    measure();
    connect(&appearance, &Appearance::changed, this, [this] {
        measure();
        viewport()->update();
    });
    if (!m_stage)
        return;
    connect(&selection, &Selection::hoverChanged, viewport(), qOverload<>(&QWidget::update));
    connect(&selection, &Selection::selectionChanged, this, &TextView::onSelectionChanged);
}

void TextView::setBefore(Selection &before)
{
    m_before = &before;
    connect(&before, &Selection::hoverChanged, viewport(), qOverload<>(&QWidget::update));
    connect(&before, &Selection::selectionChanged, this, &TextView::onSelectionChanged);
}

Selection &TextView::selectionAt(int row) const
{
    return m_before && row >= 0 && m_rows.isBefore(row) ? *m_before : m_selection;
}

void TextView::setRows(TextRows rows, const std::vector<KernelIdentity> &kernels)
{
    const bool isSame = rows.document() && rows.document() == m_rows.document() && rows.before() == m_rows.before() &&
                        rows.count() == m_rows.count();
    m_kernels = kernels;
    m_rows = std::move(rows);
    if (m_rows.document())
        m_language = languageOf(*m_rows.document());
    if (!isSame)
        m_cursorRow = -1;
    measure();
    search(m_pattern);
    reveal();
    viewport()->update();
}

void TextView::setTouched(const sw::StageMarks &touched)
{
    const bool isNew = touched.made != m_touched.made || touched.matched != m_touched.matched;
    m_touched = touched;
    updateRuler();
    viewport()->update();
    if (!isNew || touched.isEmpty())
        return;
    for (int row = 0; row < m_rows.count(); ++row) {
        if (markOf(row) == RowMark::None)
            continue;
        scrollToRow(row);
        return;
    }
}

RowMark TextView::markOf(int row) const
{
    const sw::ItemIndex item = m_touched.isEmpty() ? sw::kNoIndex : m_rows.itemAt(row);
    if (item == sw::kNoIndex)
        return m_rows.markAt(row);
    if (std::ranges::binary_search(m_touched.matched, item))
        return RowMark::Removed;
    return std::ranges::binary_search(m_touched.made, item) ? RowMark::Added : m_rows.markAt(row);
}

void TextView::setHint(const QString &hint)
{
    m_hint = hint;
    viewport()->update();
}

void TextView::setDimmed(bool isDimmed)
{
    m_isDimmed = isDimmed;
    viewport()->update();
}

void TextView::setKernelsBefore(const std::vector<KernelIdentity> &kernels)
{
    m_kernelsBefore = kernels;
    measure();
}

void TextView::measure()
{
    m_font = m_appearance.codeFont();
    m_font.setPointSize(std::clamp(m_font.pointSize() + m_zoomPoints, kLeastPoints, kMostPoints));
    const QFontMetricsF metrics(m_font);
    m_charWidth = metrics.horizontalAdvance(QLatin1Char('0'));
    m_lineHeight = static_cast<int>(std::ceil(metrics.height())) + 2;
    m_ascent = static_cast<int>(std::ceil(metrics.ascent()));
    const int digits =
        std::max(2, static_cast<int>(QString::number(std::max<std::size_t>(static_cast<std::size_t>(m_rows.count()),
                                                                           m_rows.lineNear(m_rows.count()) + std::size_t{1}))
                                         .size()));
    const bool hasKernels = !m_kernels.empty() && m_rows.document() && m_rows.document()->kind != sw::StageKind::Program;
    qsizetype longestTag = 3; // of few kernels as of dozens: the numbers stay where they are
    for (const std::vector<KernelIdentity> *kernels : {&m_kernels, &m_kernelsBefore})
        for (const KernelIdentity &kernel : *kernels)
            longestTag = std::max(longestTag, kernel.tag.size());
    m_tagWidth = hasKernels ? static_cast<int>(static_cast<double>(longestTag + 1) * m_charWidth) + kStripeWidth : 0;
    m_signWidth = m_showsRun ? m_lineHeight + 4 : 0;
    m_gutterWidth = m_tagWidth + m_signWidth + static_cast<int>(digits * m_charWidth) + 2 * kGutterGap;
    m_numberWidth = 0;
    if (m_rows.hasBothSides()) { // two numbers and a glyph
        const std::size_t lines = std::max(m_rows.document()->lines.size(), m_rows.before()->lines.size());
        m_numberWidth =
            static_cast<int>(std::max<double>(2, static_cast<double>(QString::number(lines).size())) * m_charWidth) + kGutterGap;
        m_gutterWidth = m_tagWidth + 2 * m_numberWidth + static_cast<int>(m_charWidth) + 2 * kGutterGap;
    }
    m_marginWidth = m_margin == nullptr ? 0 : m_margin->width({m_charWidth, m_lineHeight, m_ascent});
    m_gutterWidth += m_marginWidth;
    updateScrollBars();
}

void TextView::updateScrollBars()
{
    const int page = visibleRows();
    verticalScrollBar()->setPageStep(page);
    verticalScrollBar()->setSingleStep(1);
    verticalScrollBar()->setRange(0, std::max(0, m_rows.count() - page));
    const int textWidth = static_cast<int>(m_rows.longestLine() * m_charWidth) + m_gutterWidth + kGutterGap;
    horizontalScrollBar()->setPageStep(viewport()->width());
    horizontalScrollBar()->setSingleStep(static_cast<int>(4 * m_charWidth));
    horizontalScrollBar()->setRange(0, std::max(0, textWidth - viewport()->width()));
}

void TextView::updateRuler()
{
    std::vector<RulerMark> marks;
    for (int row = 0; row < m_rows.count(); ++row)
        if (const std::optional<Role> color = roleOf(markOf(row)))
            marks.push_back({row, *color});
    if (stage())
        for (const int row : rowsOf(m_selection.selected(*stage()), m_before ? &m_before->selected(*stage()) : nullptr))
            marks.push_back({row, Role::Accent});
    for (const auto &[row, stop] : m_run.stops)
        marks.push_back({row, Role::Error});
    if (m_run.next >= 0)
        marks.push_back({m_run.next, Role::Halo});
    for (const int row : m_found)
        marks.push_back({row, Role::Warning});
    std::ranges::stable_sort(marks, {}, &RulerMark::row);
    m_ruler->setMarks(std::move(marks), m_rows.count());
}

int TextView::firstVisibleRow() const
{
    return verticalScrollBar()->value();
}
int TextView::visibleRows() const
{
    return std::max(1, viewport()->height() / m_lineHeight);
}

QRect TextView::rowRect(int row) const
{
    return {0, (row - firstVisibleRow()) * m_lineHeight, viewport()->width(), m_lineHeight};
}

int TextView::rowAt(int y) const
{
    const int row = firstVisibleRow() + y / m_lineHeight;
    return y >= 0 && row < m_rows.count() ? row : -1;
}

void TextView::scrollToRow(int row)
{
    if (row < firstVisibleRow() || row >= firstVisibleRow() + visibleRows())
        verticalScrollBar()->setValue(row - visibleRows() / 2);
}

void TextView::chooseRow(int row)
{
    m_cursorRow = row < m_rows.count() ? row : -1;
    scrollToRow(row);
    viewport()->update();
}

void TextView::scrollContentsBy(int, int)
{
    viewport()->update();
}

void TextView::resizeEvent(QResizeEvent *event)
{
    QAbstractScrollArea::resizeEvent(event);
    updateScrollBars();
}

void TextView::onSelectionChanged()
{
    updateRuler();
    viewport()->update();
    reveal();
}

void TextView::reveal()
{
    if (!stage() || m_revealed == m_selection.number())
        return;
    const std::vector<int> rows = rowsOf(m_selection.selected(*stage()), m_before ? &m_before->selected(*stage()) : nullptr);
    if (rows.empty())
        return;
    m_revealed = m_selection.number();
    scrollToRow(rows.front());
}

// Where the closest lines of the sets stand, those of the later document first.
std::vector<int> TextView::rowsOf(const PartnerSet &now, const PartnerSet *before) const
{
    std::vector<int> rows;
    for (const std::uint32_t line : now.firstLines())
        if (const int row = m_rows.rowOfLine(line); row >= 0)
            rows.push_back(row);
    if (before != nullptr)
        for (const std::uint32_t line : before->firstLines())
            if (const int row = m_rows.rowOfLineBefore(line); row >= 0)
                rows.push_back(row);
    return rows;
}

QString TextView::chosenText() const
{
    QString text;
    for (int row = 0; row < m_rows.count(); ++row) {
        const bool isChosen = stage() && selectionAt(row).selected(*stage()).hasLine(m_rows.lineAt(row));
        if (isChosen)
            text += m_rows.textAt(row) + u'\n';
    }
    return text;
}

QString TextView::wholeText() const
{
    QString text;
    for (int row = 0; row < m_rows.count(); ++row)
        if (m_rows.lineAt(row) != sw::kNoIndex)
            text += m_rows.textAt(row) + u'\n';
    return text;
}

void TextView::copy()
{
    const QString chosen = chosenText();
    QApplication::clipboard()->setText(chosen.isEmpty() ? wholeText() : chosen);
}

void TextView::zoomBy(int points)
{
    m_zoomPoints = std::clamp(m_zoomPoints + points, kLeastPoints - m_appearance.codeFont().pointSize(),
                              kMostPoints - m_appearance.codeFont().pointSize());
    measure();
    viewport()->update();
}

void TextView::resetZoom()
{
    m_zoomPoints = 0;
    measure();
    viewport()->update();
}

void TextView::search(const QRegularExpression &pattern)
{
    m_pattern = pattern;
    m_found.clear();
    m_foundAt = -1;
    if (!pattern.pattern().isEmpty()) {
        for (int row = 0; row < m_rows.count(); ++row) {
            if (m_rows.textAt(row).contains(pattern))
                m_found.push_back(row);
        }
    }
    updateRuler();
    viewport()->update();
    emit searchChanged();
}

void TextView::step(int direction)
{
    if (m_found.empty())
        return;
    const int count = foundCount();
    if (m_foundAt < 0) {
        const auto next = std::ranges::lower_bound(m_found, firstVisibleRow());
        m_foundAt = next == m_found.end() ? 0 : static_cast<int>(next - m_found.begin());
    } else {
        m_foundAt = (m_foundAt + direction + count) % count;
    }
    scrollToRow(m_found[static_cast<std::size_t>(m_foundAt)]);
    viewport()->update();
    emit searchChanged();
}

} // namespace stepwell::ui
