#pragma once
// What a text view draws between the line numbers and the text, given by whoever knows more about the lines than their text.

#include <QColor>
#include <QRect>
#include <QString>

class QPainter;

namespace stepwell::ui {

class TextRows;

// Sizes of the view's characters, in pixels.
struct LineMetrics {
    double charWidth = 1;
    int lineHeight = 1;
    int ascent = 0;
};

class LineMargin {
public:
    virtual ~LineMargin() = default;
    [[nodiscard]] virtual int width(const LineMetrics &metrics) const = 0;
    // place: the margin's part of the row. The background is painted.
    virtual void paint(QPainter &painter, const TextRows &rows, int row, const QRect &place,
                       const LineMetrics &metrics) const = 0;
    // x counts from the margin's left edge. Empty: the row's own tip is shown.
    [[nodiscard]] virtual QString tip(const TextRows &rows, int row, int x, const LineMetrics &metrics) const = 0;
};

} // namespace stepwell::ui
