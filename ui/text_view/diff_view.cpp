#include "ui/text_view/diff_view.h"

#include "ui/text_view/comparable_text.h"
#include "ui/text_view/line_diff.h"

#include <QHBoxLayout>
#include <QScrollBar>
#include <QSplitter>

namespace stepwell::ui {

namespace {

void link(QScrollBar *a, QScrollBar *b)
{
    QObject::connect(a, &QScrollBar::valueChanged, b, &QScrollBar::setValue);
    QObject::connect(b, &QScrollBar::valueChanged, a, &QScrollBar::setValue);
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
    std::vector<std::uint32_t> left;
    std::vector<std::uint32_t> right;
    std::vector<RowMark> leftMarks;
    std::vector<RowMark> rightMarks;
    for (const DiffRow &row : diffLines(comparableTexts(*before), comparableTexts(*after))) {
        const bool isRemoved = !row.isSame && row.before != DiffRow::kNoLine;
        const bool isAdded = !row.isSame && row.after != DiffRow::kNoLine;
        if (!row.isSame && m_firstChange < 0)
            m_firstChange = static_cast<int>(left.size());
        m_removed += isRemoved ? 1 : 0;
        m_added += isAdded ? 1 : 0;
        left.push_back(row.before);
        right.push_back(row.after);
        leftMarks.push_back(row.isSame ? RowMark::None : isRemoved ? RowMark::Removed : RowMark::Gap);
        rightMarks.push_back(row.isSame ? RowMark::None : isAdded ? RowMark::Added : RowMark::Gap);
    }
    m_before->setRows(TextRows(before, std::move(left), std::move(leftMarks)), kernels);
    m_after->setRows(TextRows(after, std::move(right), std::move(rightMarks)), kernels);
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
