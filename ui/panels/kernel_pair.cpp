#include "ui/panels/kernel_pair.h"

#include "engine/api/compare/text_difference.h"
#include "ui/text_view/text_view.h"

#include <QGridLayout>
#include <QLabel>
#include <QScrollBar>
#include <QTabWidget>
#include <QVBoxLayout>

namespace stepwell::ui {

namespace {

void link(QScrollBar *a, QScrollBar *b)
{
    QObject::connect(a, &QScrollBar::valueChanged, b, &QScrollBar::setValue);
    QObject::connect(b, &QScrollBar::valueChanged, a, &QScrollBar::setValue);
}

} // namespace

KernelPair::KernelPair(const Appearance &appearance, QWidget *parent)
    : QDialog(parent), m_appearance(appearance), m_tabs(new QTabWidget(this))
{
    setObjectName(QStringLiteral("kernelPair"));
    setWindowTitle(tr("Side by side"));
    m_tabs->setDocumentMode(true);
    m_tabs->setObjectName(QStringLiteral("kernelPairTabs"));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_tabs);
    m_code = addPage(QStringLiteral("code"), tr("Source"));
    m_machine = addPage(QStringLiteral("machine"), tr("Machine code"));
    resize(1100, 640);
}

KernelPair::Page KernelPair::addPage(const QString &name, const QString &title)
{
    Page page;
    page.widget = new QWidget(m_tabs);
    page.beforeTitle = new QLabel(page.widget);
    page.afterTitle = new QLabel(page.widget);
    page.note = new QLabel(page.widget);
    page.note->setObjectName(name + QStringLiteral("Note"));
    page.before = new TextView(std::nullopt, m_appearance, m_selection, page.widget);
    page.after = new TextView(std::nullopt, m_appearance, m_selection, page.widget);
    page.before->setObjectName(name + QStringLiteral("Before"));
    page.after->setObjectName(name + QStringLiteral("After"));
    page.before->setAccessibleName(tr("%1 on the left").arg(title));
    page.after->setAccessibleName(tr("%1 on the right").arg(title));
    link(page.before->verticalScrollBar(), page.after->verticalScrollBar());
    link(page.before->horizontalScrollBar(), page.after->horizontalScrollBar());
    auto *grid = new QGridLayout(page.widget);
    grid->setContentsMargins(8, 6, 8, 6);
    grid->setSpacing(4);
    grid->addWidget(page.beforeTitle, 0, 0);
    grid->addWidget(page.afterTitle, 0, 1);
    grid->addWidget(page.before, 1, 0);
    grid->addWidget(page.after, 1, 1);
    grid->addWidget(page.note, 2, 0, 1, 2);
    grid->setRowStretch(1, 1);
    m_tabs->addTab(page.widget, title);
    return page;
}

int KernelPair::fill(const Page &page, const Side &before, const Side &after, sw::StageDocumentPtr sw::KernelTexts::*document)
{
    const sw::StageDocumentPtr &left = before.texts.*document;
    const sw::StageDocumentPtr &right = after.texts.*document;
    page.beforeTitle->setText(before.title);
    page.afterTitle->setText(after.title);
    page.before->setHint(QString::fromStdString(before.texts.error));
    page.after->setHint(QString::fromStdString(after.texts.error));
    if (!left || !right) {
        page.before->setRows(TextRows(left), {});
        page.after->setRows(TextRows(right), {});
        page.note->clear();
        return 0;
    }
    const sw::TextDifference difference = sw::differenceOf(*left, *right);
    std::vector<std::uint32_t> leftLines;
    std::vector<std::uint32_t> rightLines;
    std::vector<RowMark> leftMarks;
    std::vector<RowMark> rightMarks;
    int first = -1;
    int different = 0;
    for (const sw::RowPair &row : difference.rows) {
        const bool isDifferent = sw::isDifference(row.kind);
        const auto markOf = [&](std::uint32_t line, RowMark mark) {
            return line == sw::kNoIndex ? RowMark::Gap : isDifferent ? mark : RowMark::None;
        };
        if (isDifferent && first < 0)
            first = static_cast<int>(leftLines.size());
        different += isDifferent ? 1 : 0;
        leftLines.push_back(row.before);
        rightLines.push_back(row.after);
        leftMarks.push_back(markOf(row.before, RowMark::Removed));
        rightMarks.push_back(markOf(row.after, RowMark::Added));
    }
    page.before->setRows(TextRows(left, std::move(leftLines), std::move(leftMarks)), {});
    page.after->setRows(TextRows(right, std::move(rightLines), std::move(rightMarks)), {});
    if (first >= 0)
        page.after->scrollToRow(first);
    page.note->setText(different == 0 ? tr("No difference but names and numbers that count.")
                                      : tr("%1 of %2 lines differ. Names and numbers that only count are no difference.")
                                            .arg(different)
                                            .arg(difference.rows.size()));
    return different;
}

void KernelPair::show(const Side &before, const Side &after)
{
    m_different = fill(m_code, before, after, &sw::KernelTexts::code);
    fill(m_machine, before, after, &sw::KernelTexts::machine);
    QDialog::show();
    raise();
}

} // namespace stepwell::ui
