#pragma once
// A picture of access grids: of one run, or of two beside each other. It knows no window, so that it can be painted for a file on
// any thread.

#include "ui/panels/access_scene.h"

#include <QImage>
#include <QSize>
#include <QString>

#include <span>

namespace stepwell::ui {

// Pixels between the edge of a picture and its grids.
inline constexpr int kAccessMargin = 6;

struct AccessPictureSide {
    AccessScene scene;
    QSize size;    // of the grids with their margin
    QString title; // above the grids; only where there are two sides
};

// From left to right; not empty.
[[nodiscard]] QSize sizeOf(std::span<const AccessPictureSide> sides);
void paintSides(QPainter &painter, std::span<const AccessPictureSide> sides);
// The picture has `scale` pixels for each of a side's.
[[nodiscard]] QImage pictureOf(std::span<const AccessPictureSide> sides, double scale);

} // namespace stepwell::ui
