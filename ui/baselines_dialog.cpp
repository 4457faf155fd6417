#include "ui/baselines_dialog.h"

#include "ui/models/quantity.h"
#include "ui/models/stage_name.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLocale>
#include <QPainter>
#include <QPushButton>
#include <QSignalBlocker>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace stepwell::ui {

namespace {

enum Column { Name, Kind, Made, Time, Changes, ColumnCount };

constexpr QSize kThumbnail(38, 12);
constexpr int kIdRole = Qt::UserRole;

// "the loops, the source": what its boxes mark.
QString changedStagesOf(const BaselineEntry &entry)
{
    QStringList names;
    for (const sw::StageKind stage : kStages)
        if (entry.changed[indexOf(stage)])
            names << stageName(stage);
    return names.isEmpty() ? BaselinesDialog::tr("No stage is another")
                           : BaselinesDialog::tr("Changed: %1").arg(names.join(", "));
}

} // namespace

QString runTimeOf(const BaselineEntry &entry)
{
    return entry.report && entry.report->totalMedianNanoseconds ? timeText(*entry.report->totalMedianNanoseconds) : QString();
}

QPixmap thumbnailOf(const BaselineEntry &entry, const Theme &theme)
{
    constexpr int kScale = 2; // for dense screens
    QPixmap picture(kThumbnail * kScale);
    picture.setDevicePixelRatio(kScale);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    const double width = static_cast<double>(kThumbnail.width()) / static_cast<double>(kStageCount);
    for (std::size_t stage = 0; stage < kStageCount; ++stage) {
        const QRectF field(static_cast<double>(stage) * width + 0.5, 1.5, width - 1.5, kThumbnail.height() - 3);
        painter.setPen(QPen(theme.color(entry.changed[stage] ? Role::Warning : Role::Disabled), 1));
        painter.setBrush(entry.changed[stage] ? QBrush(theme.color(Role::Warning)) : QBrush(Qt::NoBrush));
        painter.drawRect(field);
    }
    return picture;
}

QString nameOf(BaselineKind kind)
{
    switch (kind) {
    case BaselineKind::Earlier:
        return BaselinesDialog::tr("earlier");
    case BaselineKind::Pinned:
        return BaselinesDialog::tr("pinned");
    case BaselineKind::Variant:
        return BaselinesDialog::tr("variant");
    case BaselineKind::File:
        return BaselinesDialog::tr("file");
    }
    Q_UNREACHABLE();
}

BaselinesDialog::BaselinesDialog(const Appearance &appearance, Baseline &baseline, QWidget *parent)
    : QDialog(parent), m_appearance(appearance), m_baseline(baseline), m_list(new QTreeWidget(this))
{
    setObjectName(QStringLiteral("baselinesDialog"));
    setWindowTitle(tr("Baselines"));
    setAttribute(Qt::WA_DeleteOnClose);
    resize(800, 380);
    m_list->setObjectName(QStringLiteral("baselinesList"));
    m_list->setAccessibleName(tr("Baselines"));
    m_list->setColumnCount(ColumnCount);
    m_list->setHeaderLabels({tr("Name"), tr("Kind"), tr("Made"), tr("Run"), tr("It changed")});
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setIconSize(kThumbnail);
    m_list->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    m_compare = buttons->addButton(tr("&Compare with it"), QDialogButtonBox::ActionRole);
    m_rename = buttons->addButton(tr("Re&name"), QDialogButtonBox::ActionRole);
    m_remove = buttons->addButton(tr("&Remove"), QDialogButtonBox::ActionRole);
    auto *column = new QVBoxLayout(this);
    column->addWidget(m_list);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_compare, &QPushButton::clicked, this, [this] { m_baseline.choose(chosen()); });
    connect(m_rename, &QPushButton::clicked, this, [this] { m_list->editItem(m_list->currentItem(), Name); });
    connect(m_remove, &QPushButton::clicked, this, [this] { m_baseline.remove(chosen()); });
    connect(m_list, &QTreeWidget::itemDoubleClicked, this, [this] { m_baseline.choose(chosen()); });
    connect(m_list, &QTreeWidget::currentItemChanged, this, &BaselinesDialog::updateButtons);
    connect(m_list, &QTreeWidget::itemChanged, this, &BaselinesDialog::onEdited);
    connect(&baseline, &Baseline::changed, this, &BaselinesDialog::fill);
    fill();
}

std::uint64_t BaselinesDialog::chosen() const
{
    const QTreeWidgetItem *item = m_list->currentItem();
    return item ? item->data(Name, kIdRole).toULongLong() : 0;
}

// The newest first.
void BaselinesDialog::fill()
{
    const std::uint64_t kept = chosen();
    const QSignalBlocker blocker(m_list);
    m_list->clear();
    for (auto entry = m_baseline.entries().rbegin(); entry != m_baseline.entries().rend(); ++entry) {
        auto *item = new QTreeWidgetItem({entry->name, nameOf(entry->kind), QLocale().toString(entry->made, QLocale::ShortFormat),
                                          runTimeOf(*entry), entry->changes});
        item->setTextAlignment(Time, Qt::AlignRight | Qt::AlignVCenter);
        item->setToolTip(Time, tr("The median of its last run; empty: it was not run"));
        item->setToolTip(Changes, entry->changes.isEmpty() ? QString() : changedStagesOf(*entry));
        item->setData(Name, kIdRole, QVariant::fromValue<qulonglong>(entry->id));
        item->setFlags(item->flags() | Qt::ItemIsEditable);
        item->setIcon(Changes, QIcon(thumbnailOf(*entry, m_appearance.theme())));
        QFont font = item->font(Name);
        font.setBold(m_baseline.current() == &*entry);
        item->setFont(Name, font);
        m_list->addTopLevelItem(item);
        if (entry->id == kept)
            m_list->setCurrentItem(item);
    }
    if (!m_list->currentItem() && m_list->topLevelItemCount() > 0)
        m_list->setCurrentItem(m_list->topLevelItem(0));
    updateButtons();
}

void BaselinesDialog::updateButtons()
{
    for (QPushButton *button : {m_compare, m_rename, m_remove})
        button->setEnabled(chosen() != 0);
}

// An empty name is no name: the old one comes back. Later, because the list is filled anew.
void BaselinesDialog::onEdited(QTreeWidgetItem *item)
{
    const auto id = item->data(Name, kIdRole).toULongLong();
    QMetaObject::invokeMethod(
        this,
        [this, id, name = item->text(Name)] {
            m_baseline.rename(id, name);
            fill();
        },
        Qt::QueuedConnection);
}

} // namespace stepwell::ui
