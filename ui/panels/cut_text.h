#pragma once
// Text that has no room is cut with an ellipsis, and a tool tip says it all.

#include <QLabel>

class QAbstractItemView;

namespace stepwell::ui {

// Plain text on one line. The tool tip is the text while it is cut, and else what was set.
class CutLabel : public QLabel {
    Q_OBJECT

public:
    explicit CutLabel(QWidget *parent = nullptr);

    [[nodiscard]] bool isCut() const;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
};

// Cells of the view whose text is cut say it in their tool tip, before what the model says there.
void tellWhatIsCut(QAbstractItemView &view);

} // namespace stepwell::ui
