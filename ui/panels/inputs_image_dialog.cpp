#include "ui/panels/inputs_image_dialog.h"

#include "ui/session/counted.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPixmap>
#include <QPushButton>

namespace stepwell::ui {

namespace {

constexpr int kPreviewSide = 160;

} // namespace

InputsImageDialog::InputsImageDialog(const QImage &image, const sw::InputEntry &entry, QWidget *parent)
    : QDialog(parent),
      m_image(image),
      m_entry(entry),
      m_layout(new QComboBox(this)),
      m_scale(new QComboBox(this)),
      m_plan(new QLabel(this)),
      m_buttons(new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this))
{
    setObjectName(QStringLiteral("imageDialog"));
    setWindowTitle(tr("A picture for %1").arg(QString::fromStdString(entry.name)));
    m_layout->setObjectName(QStringLiteral("imageLayout"));
    m_layout->addItem(tr("Channels, height, width (CHW)"), static_cast<int>(ImageLayout::ChannelsFirst));
    m_layout->addItem(tr("Height, width, channels (HWC)"), static_cast<int>(ImageLayout::ChannelsLast));
    m_layout->setCurrentIndex(m_layout->findData(static_cast<int>(likelyLayout(entry))));
    m_scale->setObjectName(QStringLiteral("imageScale"));
    m_scale->addItem(tr("0 to 1"), static_cast<int>(ImageScale::ZeroToOne));
    m_scale->addItem(tr("\u22121 to 1"), static_cast<int>(ImageScale::MinusOneToOne));
    m_scale->addItem(tr("0 to 255"), static_cast<int>(ImageScale::ZeroTo255));
    const bool isFloat = entry.elementType.starts_with('f') || entry.elementType.starts_with('b');
    m_scale->setCurrentIndex(isFloat ? 0 : 2);
    m_plan->setWordWrap(true);
    auto *preview = new QLabel(this);
    preview->setPixmap(
        QPixmap::fromImage(image.scaled(kPreviewSide, kPreviewSide, Qt::KeepAspectRatio, Qt::SmoothTransformation)));
    preview->setAlignment(Qt::AlignCenter);
    auto *form = new QFormLayout(this);
    form->addRow(preview);
    form->addRow(tr("Layout"), m_layout);
    form->addRow(tr("Scale"), m_scale);
    form->addRow(m_plan);
    form->addRow(m_buttons);
    connect(m_layout, &QComboBox::currentIndexChanged, this, &InputsImageDialog::explain);
    connect(m_buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    explain();
}

ImageLayout InputsImageDialog::layoutChoice() const
{
    return static_cast<ImageLayout>(m_layout->currentData().toInt());
}
ImageScale InputsImageDialog::scale() const
{
    return static_cast<ImageScale>(m_scale->currentData().toInt());
}

void InputsImageDialog::explain()
{
    const ImagePlan plan = imagePlan(m_entry, layoutChoice());
    m_buttons->button(QDialogButtonBox::Ok)->setEnabled(plan.error.isEmpty());
    m_plan->setText(plan.error.isEmpty() ? tr("%1 \u00d7 %2 becomes %3 \u00d7 %4 with %5.")
                                               .arg(m_image.width())
                                               .arg(m_image.height())
                                               .arg(plan.width)
                                               .arg(plan.height)
                                               .arg(counted(plan.channels, tr("%1 channel"), tr("%1 channels")))
                                         : plan.error + u'.');
}

} // namespace stepwell::ui
