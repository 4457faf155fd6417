#include "ui/docking/perspective_dialogs.h"

#include "ui/docking/perspectives.h"

#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

namespace stepwell::ui {

namespace {

constexpr int kLongestName = 60;
constexpr int kPreviousName = Qt::UserRole; // of an item, while its text is edited

QString tr(const char *text)
{
    return QCoreApplication::translate("Perspectives", text);
}

} // namespace

QString problemOfName(const QString &name)
{
    const QString wanted = name.trimmed();
    if (wanted.isEmpty())
        return tr("A perspective needs a name.");
    if (wanted.size() > kLongestName)
        return tr("The name has %1 characters, at most %2 are possible.").arg(wanted.size()).arg(kLongestName);
    for (const Perspective &perspective : builtInPerspectives())
        for (const QString &taken : {QString::fromLatin1(perspective.id), tr(perspective.title)})
            if (wanted.compare(taken, Qt::CaseInsensitive) == 0)
                return tr("%1 is a perspective that comes with Stepwell.").arg(taken);
    return {};
}

PerspectiveNameDialog::PerspectiveNameDialog(const QStringList &existing, const QString &suggested, QWidget *parent)
    : QDialog(parent), m_existing(existing), m_name(new QLineEdit(suggested, this)), m_problem(new QLabel(this))
{
    setObjectName(QStringLiteral("perspectiveNameDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Save this perspective"));
    m_name->setObjectName(QStringLiteral("perspectiveName"));
    m_problem->setObjectName(QStringLiteral("perspectiveProblem"));
    m_problem->setMinimumWidth(360);
    m_problem->setWordWrap(true);
    auto *label = new QLabel(tr("&Name of the perspective"), this);
    label->setBuddy(m_name);
    m_name->setAccessibleName(tr("Name of the perspective"));
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel, this);
    m_save = buttons->button(QDialogButtonBox::Save);
    auto *column = new QVBoxLayout(this);
    column->addWidget(label);
    column->addWidget(m_name);
    column->addWidget(m_problem);
    column->addWidget(buttons);
    connect(m_name, &QLineEdit::textChanged, this, &PerspectiveNameDialog::check);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    m_name->selectAll();
    check();
}

QString PerspectiveNameDialog::name() const
{
    return m_name->text().trimmed();
}

void PerspectiveNameDialog::check()
{
    const QString problem = problemOfName(name());
    const bool isReplaced = m_existing.contains(name());
    m_save->setEnabled(problem.isEmpty());
    m_save->setText(isReplaced ? tr("&Replace") : tr("&Save"));
    m_problem->setText(!problem.isEmpty() ? problem
                       : isReplaced       ? tr("There is one of this name; it will be replaced.")
                                          : QString());
}

PerspectivesDialog::PerspectivesDialog(const QStringList &names, QWidget *parent)
    : QDialog(parent),
      m_list(new QListWidget(this)),
      m_problem(new QLabel(this)),
      m_rename(new QPushButton(tr("&Rename"), this)),
      m_delete(new QPushButton(tr("&Delete"), this))
{
    setObjectName(QStringLiteral("perspectivesDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Your perspectives"));
    m_list->setObjectName(QStringLiteral("perspectiveList"));
    m_list->setAccessibleName(tr("Your perspectives"));
    m_list->setEditTriggers(QAbstractItemView::EditKeyPressed | QAbstractItemView::DoubleClicked);
    m_rename->setObjectName(QStringLiteral("renamePerspective"));
    m_delete->setObjectName(QStringLiteral("deletePerspective"));
    m_problem->setObjectName(QStringLiteral("perspectiveProblem"));
    m_problem->setWordWrap(true);
    for (const QString &name : names) {
        auto *item = new QListWidgetItem(name, m_list);
        item->setFlags(item->flags() | Qt::ItemIsEditable);
        item->setData(kPreviousName, name);
    }
    m_list->setCurrentRow(0);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    buttons->addButton(m_rename, QDialogButtonBox::ActionRole);
    buttons->addButton(m_delete, QDialogButtonBox::ActionRole);
    auto *column = new QVBoxLayout(this);
    column->addWidget(m_list);
    column->addWidget(m_problem);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_rename, &QPushButton::clicked, this, [this] { m_list->editItem(m_list->currentItem()); });
    connect(m_delete, &QPushButton::clicked, this, &PerspectivesDialog::deleteCurrent);
    connect(m_list, &QListWidget::itemChanged, this, &PerspectivesDialog::rename);
    connect(m_list, &QListWidget::currentRowChanged, this, &PerspectivesDialog::updateButtons);
    updateButtons();
}

void PerspectivesDialog::updateButtons()
{
    m_rename->setEnabled(m_list->currentItem());
    m_delete->setEnabled(m_list->currentItem());
}

void PerspectivesDialog::rename(QListWidgetItem *item)
{
    const QString from = item->data(kPreviousName).toString();
    const QString to = item->text().trimmed();
    if (to == from)
        return;
    QString problem = problemOfName(to);
    for (int row = 0; row < m_list->count(); ++row)
        if (m_list->item(row) != item && m_list->item(row)->text() == to)
            problem = tr("There is another one of this name.");
    m_problem->setText(problem);
    const QSignalBlocker blocker(m_list);
    item->setText(problem.isEmpty() ? to : from);
    if (!problem.isEmpty())
        return;
    item->setData(kPreviousName, to);
    emit renamed(from, to);
}

void PerspectivesDialog::deleteCurrent()
{
    const QListWidgetItem *item = m_list->currentItem();
    if (!item)
        return;
    const QString name = item->data(kPreviousName).toString();
    delete item;
    m_problem->clear();
    emit deleted(name);
    updateButtons();
}

} // namespace stepwell::ui
