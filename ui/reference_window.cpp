#include "ui/reference_window.h"

#include <QHeaderView>
#include <QLineEdit>
#include <QSplitter>
#include <QTextBrowser>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace stepwell::ui {

namespace {

constexpr int kEntryRole = Qt::UserRole; // the entry's place in the catalog
constexpr QSize kFirstSize(860, 560);

QString escaped(const std::string &text)
{
    return QString::fromStdString(text).toHtmlEscaped();
}

// `code` in the texts of the tables.
QString withCode(const std::string &text)
{
    const QStringList parts = escaped(text).split(u'`');
    QString html;
    for (qsizetype i = 0; i < parts.size(); ++i)
        html += i % 2 == 1 ? QStringLiteral("<code>%1</code>").arg(parts[i]) : parts[i];
    return html;
}

} // namespace

ReferenceWindow::ReferenceWindow(QWidget *parent)
    : QDialog(parent), m_search(new QLineEdit(this)), m_list(new QTreeWidget(this)), m_text(new QTextBrowser(this))
{
    setObjectName(QStringLiteral("referenceWindow"));
    setWindowTitle(tr("Reference"));
    m_search->setObjectName(QStringLiteral("referenceSearch"));
    m_search->setPlaceholderText(tr("Search names and descriptions"));
    m_search->setAccessibleName(tr("Search the reference"));
    m_search->setClearButtonEnabled(true);
    m_list->setObjectName(QStringLiteral("referenceList"));
    m_list->setAccessibleName(tr("Entries of the reference"));
    m_list->setHeaderHidden(true);
    m_list->setUniformRowHeights(true);
    m_text->setObjectName(QStringLiteral("referenceText"));
    m_text->setAccessibleName(tr("Entry of the reference"));
    m_text->document()->setDocumentMargin(12);

    auto *splitter = new QSplitter(Qt::Horizontal, this);
    splitter->addWidget(m_list);
    splitter->addWidget(m_text);
    splitter->setStretchFactor(0, 2);
    splitter->setStretchFactor(1, 3);
    splitter->setChildrenCollapsible(false);
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(m_search);
    layout->addWidget(splitter, 1);
    resize(kFirstSize);

    connect(m_search, &QLineEdit::textChanged, this, &ReferenceWindow::filter);
    connect(m_list, &QTreeWidget::currentItemChanged, this, &ReferenceWindow::showCurrent);
    m_search->setFocus();
    showCurrent();
}

void ReferenceWindow::setEntries(std::vector<sw::CatalogEntry> entries)
{
    m_entries = std::move(entries);
    m_list->clear();
    fill();
    filter(m_search->text());
}

void ReferenceWindow::fill()
{
    QTreeWidgetItem *section = nullptr;
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        if (i == 0 || m_entries[i].section != m_entries[i - 1].section) {
            section = new QTreeWidgetItem(m_list, {QString::fromStdString(m_entries[i].section)});
            section->setFlags(Qt::ItemIsEnabled);
            section->setExpanded(true);
        }
        auto *item = new QTreeWidgetItem(section, {QString::fromStdString(m_entries[i].name)});
        item->setData(0, kEntryRole, static_cast<int>(i));
        item->setToolTip(0, QString::fromStdString(m_entries[i].summary));
    }
}

void ReferenceWindow::filter(const QString &text)
{
    QTreeWidgetItem *first = nullptr;
    for (int s = 0; s < m_list->topLevelItemCount(); ++s) {
        QTreeWidgetItem *section = m_list->topLevelItem(s);
        bool hasAny = false;
        for (int i = 0; i < section->childCount(); ++i) {
            QTreeWidgetItem *item = section->child(i);
            const bool isShown =
                item->text(0).contains(text, Qt::CaseInsensitive) || item->toolTip(0).contains(text, Qt::CaseInsensitive);
            item->setHidden(!isShown);
            hasAny = hasAny || isShown;
            // A name that is the text itself is what was meant.
            const bool isBetter = first == nullptr || item->text(0).compare(text, Qt::CaseInsensitive) == 0;
            if (isShown && isBetter)
                first = item;
        }
        section->setHidden(!hasAny);
    }
    m_list->setCurrentItem(first);
}

void ReferenceWindow::showEntry(const QString &name)
{
    m_search->clear();
    const QList<QTreeWidgetItem *> found = m_list->findItems(name, Qt::MatchExactly | Qt::MatchRecursive);
    if (!found.isEmpty())
        m_list->setCurrentItem(found.front());
}

void ReferenceWindow::showCurrent()
{
    const QTreeWidgetItem *item = m_list->currentItem();
    if (item == nullptr || !item->data(0, kEntryRole).isValid()) {
        m_text->setHtml(QStringLiteral("<p>%1</p>").arg(tr("Nothing of this name or description.")));
        return;
    }
    const sw::CatalogEntry &entry = m_entries[static_cast<std::size_t>(item->data(0, kEntryRole).toInt())];
    QString html = QStringLiteral("<h2>%1</h2><p>%2</p><table cellspacing='0' cellpadding='4'>")
                       .arg(escaped(entry.name), withCode(entry.summary));
    for (const auto &[name, value] : entry.details)
        html += QStringLiteral("<tr><td><b>%1</b></td><td>%2</td></tr>").arg(escaped(name), withCode(value));
    m_text->setHtml(html + QStringLiteral("</table>"));
}

} // namespace stepwell::ui
