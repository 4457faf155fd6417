#include "ui/text_view/difference_view.h"

#include "ui/text_view/row_marks.h"

#include <QVBoxLayout>

#include <algorithm>

namespace stepwell::ui {

namespace {

constexpr std::size_t kContext = 3;      // lines around a difference
constexpr std::size_t kShortestFold = 4; // fewer lines take no more room than what stands for them

void addRow(std::vector<ComparedRow> &rows, const sw::TextDifference &difference, const sw::RowPair &row)
{
    const ComparedRow before{RowMark::None, row.before, row.after, true, 0, difference.before(row)};
    const ComparedRow after{RowMark::None, row.before, row.after, false, 0, difference.after(row)};
    const auto add = [&rows](ComparedRow made, RowMark mark) {
        made.mark = mark;
        rows.push_back(made);
    };
    switch (row.kind) {
    case sw::RowKind::Same:
    case sw::RowKind::Shifted:
        rows.push_back({RowMark::None, row.before, row.after});
        return;
    case sw::RowKind::Renamed:
        add(after, RowMark::Renamed);
        return;
    case sw::RowKind::Moved:
        if (row.before != sw::kNoIndex)
            add(before, RowMark::MovedFrom);
        else
            add(after, RowMark::MovedTo);
        return;
    case sw::RowKind::Changed:
        add(before, RowMark::ChangedFrom);
        add(after, RowMark::ChangedTo);
        return;
    case sw::RowKind::Removed:
        add(before, RowMark::Removed);
        return;
    case sw::RowKind::Added:
        add(after, RowMark::Added);
        return;
    }
    Q_UNREACHABLE();
}

} // namespace

std::vector<ComparedRow> comparedRows(const sw::TextDifference &difference, const std::set<std::uint32_t> &unfolded)
{
    std::vector<ComparedRow> rows;
    const std::vector<sw::RowPair> &all = difference.rows;
    const auto isOther = [](const sw::RowPair &row) { return sw::isDifference(row.kind); };
    for (std::size_t at = 0; at < all.size();) {
        if (isOther(all[at])) {
            addRow(rows, difference, all[at++]);
            continue;
        }
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(at);
        const auto end = static_cast<std::size_t>(std::find_if(first, all.end(), isOther) - all.begin());
        const std::size_t head = at == 0 ? at : std::min(at + kContext, end);
        const std::size_t tail = end == all.size() ? end : std::max(head, end - std::min(end - at, kContext));
        const bool isFolded = tail - head >= kShortestFold && !unfolded.contains(static_cast<std::uint32_t>(head));
        for (; at < (isFolded ? head : end); ++at)
            addRow(rows, difference, all[at]);
        if (!isFolded)
            continue;
        ComparedRow fold{RowMark::Folded, all[head].before, all[head].after};
        fold.folded = static_cast<std::uint32_t>(tail - head);
        rows.push_back(fold);
        for (at = tail; at < end; ++at)
            addRow(rows, difference, all[at]);
    }
    return rows;
}

DifferenceView::DifferenceView(sw::StageKind stage, const Appearance &appearance, Selection &now, Selection &before,
                               QWidget *parent)
    : QWidget(parent), m_view(new TextView(stage, appearance, now, this))
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_view);
    setFocusProxy(m_view);
    m_view->setBefore(before);
    connect(m_view, &TextView::foldClicked, this, &DifferenceView::unfold);
}

void DifferenceView::setHint(const QString &hint)
{
    m_view->setHint(hint);
}

void DifferenceView::setDifference(const StageDifferencePtr &difference, const std::vector<KernelIdentity> &kernels,
                                   const std::vector<KernelIdentity> &kernelsBefore)
{
    m_kernels = kernels;
    m_view->setKernelsBefore(kernelsBefore);
    if (difference == m_difference)
        return;
    const bool isFirst = !m_difference; // a newer one leaves the view where it is
    m_difference = difference;
    m_unfolded.clear();
    showRows();
    if (isFirst)
        step(1);
}

void DifferenceView::showRows()
{
    if (!m_difference) {
        m_view->setRows({}, {});
        return;
    }
    m_view->setRows(
        TextRows(m_difference->after, comparedRows(m_difference->text, m_unfolded), m_difference, m_difference->before),
        m_kernels);
}

// The row that stands for others is replaced by them; what is above it stays where it is.
void DifferenceView::unfold(int row)
{
    const ComparedRow fold = m_view->rows().comparedAt(row);
    const auto &rows = m_difference->text.rows;
    const auto isFirst = [&](const sw::RowPair &pair) { return pair.before == fold.before && pair.after == fold.after; };
    const auto first = std::ranges::find_if(rows, isFirst);
    if (first == rows.end())
        return;
    m_unfolded.insert(static_cast<std::uint32_t>(first - rows.begin()));
    showRows();
    m_view->chooseRow(row);
}

void DifferenceView::unfoldAll()
{
    if (!m_difference)
        return;
    for (std::uint32_t row = 0; row < m_difference->text.rows.size(); ++row)
        m_unfolded.insert(row);
    showRows();
}

void DifferenceView::foldAll()
{
    m_unfolded.clear();
    showRows();
}

// A block of rows that differ counts once.
bool DifferenceView::step(int direction)
{
    const TextRows &rows = m_view->rows();
    const auto isOther = [&](int row) { return row >= 0 && row < rows.count() && isDifference(rows.markAt(row)); };
    const auto isStart = [&](int row) { return isOther(row) && !isOther(row - 1); };
    const int from = m_view->chosenRow() >= 0 ? m_view->chosenRow() : direction > 0 ? -1 : rows.count();
    for (int row = from + direction; row >= 0 && row < rows.count(); row += direction) {
        if (!isStart(row))
            continue;
        m_view->chooseRow(row);
        return true;
    }
    return false;
}

} // namespace stepwell::ui
