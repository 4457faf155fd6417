#include "ui/sharing/painted_view.h"

namespace stepwell::ui {

void PaintedView::paintPicture(QPainter &painter, const Theme &theme)
{
    m_pictureSize = pictureSize();
    m_pictureTheme = &theme;
    painter.save();
    painter.setFont(m_appearance.textFont());
    painter.fillRect(QRectF({0, 0}, m_pictureSize), theme.color(Role::Base));
    drawPicture(painter);
    painter.restore();
    m_pictureTheme = nullptr;
}

} // namespace stepwell::ui
