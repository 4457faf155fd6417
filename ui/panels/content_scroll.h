#pragma once
// The content of a panel: it fills the pane, and scrolls when the pane is smaller than the content can be.

#include <QScrollArea>

namespace stepwell::ui {

class ContentScroll : public QScrollArea {
    Q_OBJECT

public:
    ContentScroll(QWidget *content, QWidget *parent);

    [[nodiscard]] QSize minimumSizeHint() const override { return {1, 1}; }
    [[nodiscard]] QSize sizeHint() const override { return widget()->sizeHint(); }

protected:
    void resizeEvent(QResizeEvent *event) override;
    bool eventFilter(QObject *object, QEvent *event) override;

private:
    void fit();
};

} // namespace stepwell::ui
