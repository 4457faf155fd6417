#pragma once
// Text that does not fit is cut with an ellipsis, and a tool tip shows it in full.

#include <QComboBox>
#include <QLabel>

class QAbstractItemView;

namespace stepwell::ui {

// Plain text on one line. The tool tip shows the full text while it is cut, otherwise the tool tip that was set.
class CutLabel : public QLabel {
    Q_OBJECT

public:
    explicit CutLabel(QWidget *parent = nullptr);

    [[nodiscard]] bool isCut() const;
    // What is painted: the text, its beginning with an ellipsis, or the ellipsis alone where a letter or two would remain.
    [[nodiscard]] QString shownText() const;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
};

// A box whose chosen text is cut likewise.
class CutComboBox : public QComboBox {
    Q_OBJECT

public:
    using QComboBox::QComboBox;

protected:
    void paintEvent(QPaintEvent *event) override;
};

// Cells of the view whose text is cut show it in full in their tool tip, before the model's own tool tip.
void tellWhatIsCut(QAbstractItemView &view);

} // namespace stepwell::ui
