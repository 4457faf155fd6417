#pragma once
// Scroll bars over the edges of a canvas. They appear only when part of the picture is out of view, and show where the view is.

#include <QObject>
#include <QRectF>

class QScrollBar;
class QWidget;

namespace stepwell::ui {

class CameraBars : public QObject {
    Q_OBJECT

public:
    explicit CameraBars(QWidget *canvas);

    // `content` is the picture's area in canvas coordinates; null: there is no picture.
    void show(const QRectF &content);
    [[nodiscard]] QRect room() const; // the part of the canvas that the bars leave free

signals:
    void scrolled(const QPointF &away); // how far to move the picture

private:
    static void setRange(QScrollBar &bar, double from, double to, int page);
    void place();

    QWidget *m_canvas;
    QScrollBar *m_across;
    QScrollBar *m_down;
    QPoint m_values;
};

} // namespace stepwell::ui
