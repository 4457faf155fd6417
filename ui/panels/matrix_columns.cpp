#include "ui/panels/matrix_columns.h"

#include "ui/panels/flow_layout.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>

namespace stepwell::ui {

MatrixColumns::MatrixColumns(Session &session, QWidget *parent) : QWidget(parent), m_session(session)
{
    auto *flow = new FlowLayout(6, 10, this);
    m_deviceRow = new QWidget(this);
    auto *row = new QHBoxLayout(m_deviceRow);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(10);
    flow->addWidget(m_deviceRow);
    flow->addWidget(new QLabel(tr("also"), this));
    m_unfused =
        addVariant(QStringLiteral("matrixUnfused"), tr("not fused"), tr("One more column per device: one kernel per operation"));
    m_plain = addVariant(QStringLiteral("matrixPlain"), tr("plain loops"),
                         tr("One more column per device: no vectors, no tiles, no threads"));
    m_untuned = addVariant(QStringLiteral("matrixUntuned"), tr("no tunings"),
                           tr("One more column per device, with the loops that the compiler's model chooses for tuned kernels"));
    m_single = addVariant(QStringLiteral("matrixSingle"), tr("one thread"), tr("One more column per device, on one thread"));
    m_own = addVariant(QStringLiteral("matrixOwn"), tr("without overrides"),
                       tr("One more column per device, as the compiler decides, where the window has overrides"));
    connect(&session, &Session::devicesChanged, this, &MatrixColumns::setDevices);
    setDevices(session.devices());
}

QCheckBox *MatrixColumns::addVariant(const QString &name, const QString &text, const QString &toolTip)
{
    auto *box = new QCheckBox(text, this);
    box->setObjectName(name);
    box->setToolTip(toolTip);
    layout()->addWidget(box);
    connect(box, &QCheckBox::toggled, this, &MatrixColumns::changed);
    return box;
}

void MatrixColumns::addWidget(QWidget *widget)
{
    layout()->addWidget(widget);
}

void MatrixColumns::setDevices(const std::vector<sw::DeviceEntry> &devices)
{
    for (QCheckBox *box : m_devices)
        delete box;
    m_devices.clear();
    for (const sw::DeviceEntry &device : devices) {
        const QString id = QString::fromStdString(device.id);
        auto *box = new QCheckBox(id, m_deviceRow);
        box->setObjectName(QStringLiteral("matrixDevice-") + id);
        box->setEnabled(device.isAvailable);
        box->setChecked(device.isAvailable);
        box->setToolTip(QString::fromStdString(device.isAvailable ? device.description : device.reason));
        m_deviceRow->layout()->addWidget(box);
        connect(box, &QCheckBox::toggled, this, &MatrixColumns::changed);
        m_devices.push_back(box);
    }
    layout()->invalidate();
    emit changed();
}

std::vector<sw::MatrixColumn> MatrixColumns::columns() const
{
    const sw::ExploreRequest request = m_session.request();
    std::vector<sw::MatrixColumn> made;
    for (const QCheckBox *device : m_devices) {
        if (!device->isChecked() || !device->isEnabled())
            continue;
        sw::MatrixColumn column;
        column.device = device->text().toStdString();
        column.overrides = request.overrides;
        column.overridesName = request.overridesName;
        static_cast<sw::CompileSwitches &>(column) = request;
        made.push_back(column);
        const auto addIf = [&](const QCheckBox *box, sw::MatrixColumn variant) {
            if (box->isChecked() && variant != column)
                made.push_back(std::move(variant));
        };
        sw::MatrixColumn variant = column;
        variant.fuse = false;
        addIf(m_unfused, variant);
        variant = column;
        variant.optimize = false;
        addIf(m_plain, variant);
        variant = column;
        variant.tunings = false;
        addIf(m_untuned, variant);
        variant = column;
        variant.threads = 1;
        addIf(m_single, variant);
        variant = column;
        variant.overrides.clear();
        variant.overridesName.clear();
        addIf(m_own, variant);
    }
    return made;
}

} // namespace stepwell::ui
