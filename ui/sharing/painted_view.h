#pragma once
// A view that paints itself and can be taken away as a picture: all of what it shows, on any device, in the colours of paper.

#include "ui/theme/appearance.h"

#include <QPainter>
#include <QSizeF>

namespace stepwell::ui {

class PaintedView {
public:
    virtual ~PaintedView() = default;
    PaintedView(const PaintedView &) = delete;
    PaintedView &operator=(const PaintedView &) = delete;

    // Of a picture of everything that it shows, in pixels of the screen; empty: it shows nothing.
    [[nodiscard]] virtual QSizeF pictureSize() const = 0;
    // Paints that picture, from (0, 0) on, in the theme's colours. What shows where the pointer and the focus are is left out.
    void paintPicture(QPainter &painter, const Theme &theme);

protected:
    explicit PaintedView(const Appearance &appearance) : m_appearance(appearance) {}

    // The theme of the window, or that of the picture while one is painted.
    [[nodiscard]] const Theme &usedTheme() const { return m_pictureTheme ? *m_pictureTheme : m_appearance.theme(); }
    [[nodiscard]] QColor roleColor(Role role) const { return usedTheme().color(role); }
    [[nodiscard]] const Appearance &appearance() const { return m_appearance; }
    // Of the picture while one is painted.
    [[nodiscard]] QSizeF sizeOr(const QSizeF &screen) const { return m_pictureTheme ? m_pictureSize : screen; }
    [[nodiscard]] bool isPainting() const { return m_pictureTheme != nullptr; }
    virtual void drawPicture(QPainter &painter) = 0;

private:
    const Appearance &m_appearance;
    const Theme *m_pictureTheme = nullptr; // not null while a picture is painted
    QSizeF m_pictureSize;
};

} // namespace stepwell::ui
