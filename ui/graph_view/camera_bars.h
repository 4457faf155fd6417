#pragma once
// Scroll bars over the edges of a canvas, there only while something lies outside of it: they say where in the picture one is.

#include <QObject>
#include <QRectF>

class QScrollBar;
class QWidget;

namespace stepwell::ui {

class CameraBars : public QObject {
    Q_OBJECT

public:
    explicit CameraBars(QWidget *canvas);

    // `content` is where the picture lies, in coordinates of the canvas; null: nowhere.
    void show(const QRectF &content);
    [[nodiscard]] QRect room() const; // what they leave of the canvas

signals:
    void scrolled(const QPointF &away); // what the picture is to be moved by

private:
    static void setRange(QScrollBar &bar, double from, double to, int page);
    void place();

    QWidget *m_canvas;
    QScrollBar *m_across;
    QScrollBar *m_down;
    QPoint m_values;
};

} // namespace stepwell::ui
