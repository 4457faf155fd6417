#include "ui/panels/access_picture.h"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>

namespace stepwell::ui {

namespace {

constexpr int kGap = 12; // between two sides, in pixels

} // namespace

namespace {

int titleHeightOf(std::span<const AccessPictureSide> sides)
{
    return sides.size() > 1 ? QFontMetrics(sides.front().scene.look().text).height() + kAccessMargin : 0;
}

} // namespace

QSize sizeOf(std::span<const AccessPictureSide> sides)
{
    QSize size(-kGap, 0);
    for (const AccessPictureSide &side : sides)
        size = {size.width() + kGap + side.size.width(), std::max(size.height(), titleHeightOf(sides) + side.size.height())};
    return size;
}

void paintSides(QPainter &painter, std::span<const AccessPictureSide> sides)
{
    const AccessLook &look = sides.front().scene.look();
    const QFontMetrics metrics(look.text);
    const int titleHeight = titleHeightOf(sides);
    const QSize size = sizeOf(sides);
    painter.fillRect(QRect({0, 0}, size), look.theme.color(Role::Base));
    painter.setFont(look.text);
    int left = 0;
    for (const AccessPictureSide &side : sides) {
        if (left > 0)
            painter.fillRect(QRectF(left - kGap / 2.0, 0, 1, size.height()), look.theme.color(Role::Border));
        if (titleHeight > 0) {
            const QRect place(left + kAccessMargin, kAccessMargin, side.size.width() - 2 * kAccessMargin, metrics.height());
            painter.setPen(look.theme.color(Role::Text));
            painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter,
                             metrics.elidedText(side.title, Qt::ElideRight, place.width()));
        }
        painter.save();
        painter.translate(left + kAccessMargin, titleHeight + kAccessMargin);
        side.scene.paint(painter);
        painter.restore();
        left += side.size.width() + kGap;
    }
}

QImage pictureOf(std::span<const AccessPictureSide> sides, double scale)
{
    QImage image(sizeOf(sides) * scale, QImage::Format_RGB32);
    image.setDevicePixelRatio(scale);
    QPainter painter(&image);
    paintSides(painter, sides);
    return image;
}

} // namespace stepwell::ui
