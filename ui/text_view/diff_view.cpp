#include "ui/text_view/diff_view.h"

#include "engine/api/compare/text_difference.h"
#include "ui/text_view/row_marks.h"

#include <QHBoxLayout>
#include <QScrollBar>
#include <QSplitter>

#include <memory>
#include <utility>

namespace stepwell::ui {

namespace {

void link(QScrollBar *a, QScrollBar *b)
{
    QObject::connect(a, &QScrollBar::valueChanged, b, &QScrollBar::setValue);
    QObject::connect(b, &QScrollBar::valueChanged, a, &QScrollBar::setValue);
}

// How the two sides of the row are marked.
std::pair<RowMark, RowMark> marksOf(const sw::RowPair &row)
{
    switch (row.kind) {
    case sw::RowKind::Same:
    case sw::RowKind::Shifted:
        return {RowMark::None, RowMark::None};
    case sw::RowKind::Renamed:
        return {RowMark::Renamed, RowMark::Renamed};
    case sw::RowKind::Moved:
        return row.before == sw::kNoIndex ? std::pair(RowMark::Gap, RowMark::MovedTo)
                                          : std::pair(RowMark::MovedFrom, RowMark::Gap);
    case sw::RowKind::Changed:
        return {RowMark::ChangedFrom, RowMark::ChangedTo};
    case sw::RowKind::Removed:
        return {RowMark::Removed, RowMark::Gap};
    case sw::RowKind::Added:
        return {RowMark::Gap, RowMark::Added};
    }
    Q_UNREACHABLE();
}

} // namespace

DiffView::DiffView(const Appearance &appearance, Selection &selection, QWidget *parent)
    : QWidget(parent),
      m_before(new TextView(std::nullopt, appearance, selection, this)),
      m_after(new TextView(std::nullopt, appearance, selection, this))
{
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    auto *splitter = new QSplitter(this);
    splitter->setHandleWidth(3);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(m_before);
    splitter->addWidget(m_after);
    row->addWidget(splitter);
    m_before->setObjectName(QStringLiteral("before"));
    m_after->setObjectName(QStringLiteral("after"));
    m_before->setAccessibleName(tr("Before the pass"));
    m_after->setAccessibleName(tr("After the pass"));
    m_before->hide();
    link(m_before->verticalScrollBar(), m_after->verticalScrollBar());
    link(m_before->horizontalScrollBar(), m_after->horizontalScrollBar());
}

void DiffView::setDocuments(const sw::StageDocumentPtr &before, const sw::StageDocumentPtr &after,
                            const std::vector<KernelIdentity> &kernels)
{
    m_added = 0;
    m_removed = 0;
    m_firstChange = -1;
    m_before->setVisible(before || after); // one hint is enough
    if (!before || !after) {
        m_before->setRows(TextRows(before), kernels);
        m_after->setRows(TextRows(after), kernels);
        return;
    }
    const auto difference = std::make_shared<const sw::TextDifference>(sw::differenceOf(*before, *after));
    std::vector<ComparedRow> left;
    std::vector<ComparedRow> right;
    for (const sw::RowPair &row : difference->rows) {
        const auto [from, to] = marksOf(row);
        if (sw::isDifference(row.kind) && m_firstChange < 0)
            m_firstChange = static_cast<int>(left.size());
        m_removed += isDifference(from) ? 1 : 0;
        m_added += isDifference(to) ? 1 : 0;
        // Each side has a document of its own.
        left.push_back({from, sw::kNoIndex, row.before, false, 0, difference->before(row)});
        right.push_back({to, sw::kNoIndex, row.after, false, 0, difference->after(row)});
    }
    m_before->setRows(TextRows(before, std::move(left), difference), kernels);
    m_after->setRows(TextRows(after, std::move(right), difference), kernels);
}

void DiffView::setHint(const QString &hint)
{
    m_before->setHint({});
    m_after->setHint(hint);
}

void DiffView::scrollToFirstChange()
{
    if (m_firstChange >= 0)
        m_after->scrollToRow(m_firstChange);
}

} // namespace stepwell::ui
