#pragma once

#include "engine/api/compare/matrix.h"
#include "ui/session/session.h"

#include <QWidget>

#include <vector>

class QCheckBox;
class QToolButton;

namespace stepwell::ui {

// Chooses the columns of a matrix: devices, and with which options each of them runs beside those of the window.
class MatrixColumns : public QWidget {
    Q_OBJECT

public:
    explicit MatrixColumns(Session &session, QWidget *parent = nullptr);

    // In order; empty: no device is chosen.
    [[nodiscard]] std::vector<sw::MatrixColumn> columns() const;
    void addWidget(QWidget *widget); // behind the choices

signals:
    void changed();

private:
    void setDevices(const std::vector<sw::DeviceEntry> &devices);
    QCheckBox *addVariant(const QString &name, const QString &text, const QString &toolTip);

    Session &m_session;
    QWidget *m_deviceRow;
    std::vector<QCheckBox *> m_devices; // their ids are their texts
    QCheckBox *m_unfused;
    QCheckBox *m_plain;
    QCheckBox *m_untuned;
    QCheckBox *m_single;
    QCheckBox *m_own; // without the window's overrides
};

} // namespace stepwell::ui
