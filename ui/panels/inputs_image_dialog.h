#pragma once

#include "ui/models/image_tensor.h"

#include <QDialog>

class QComboBox;
class QDialogButtonBox;
class QLabel;

namespace stepwell::ui {

// Asks how a picture becomes the numbers of an input.
class InputsImageDialog : public QDialog {
    Q_OBJECT

public:
    InputsImageDialog(const QImage &image, const sw::InputEntry &entry, QWidget *parent);

    [[nodiscard]] ImageLayout layoutChoice() const;
    [[nodiscard]] ImageScale scale() const;

private:
    void explain();

    QImage m_image;
    sw::InputEntry m_entry;
    QComboBox *m_layout;
    QComboBox *m_scale;
    QLabel *m_plan;
    QDialogButtonBox *m_buttons;
};

} // namespace stepwell::ui
