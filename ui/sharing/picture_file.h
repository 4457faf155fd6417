#pragma once
// Pictures of painted views as files: PNG, SVG and PDF. All are light, as paper is, whatever the window looks like.

#include "ui/sharing/painted_view.h"

#include <QByteArray>
#include <QString>

#include <optional>

namespace stepwell::ui {

enum class PictureFormat : unsigned char { Png, Svg, Pdf };

// By the ending of the path; nothing: it is none of the three.
[[nodiscard]] std::optional<PictureFormat> pictureFormatOf(const QString &path);
// What a file dialog offers.
[[nodiscard]] QString pictureFilters();

// The most pixels of a PNG, and the most along a side: more than programs that show pictures open.
inline constexpr double kMostPictureSide = 32'000;
inline constexpr double kMostPicturePixels = 64e6;

struct Picture {
    QByteArray bytes;
    QString problem; // why there are none
};

// SVG and PDF: texts stay texts, and a pixel of the view is 1/96 inch; a PDF page that would be longer than 200 inches is scaled
// down to that. PNG: two pixels for each of the view's, or one where that would be too large.
[[nodiscard]] Picture pictureOf(PaintedView &view, PictureFormat format, const QString &title);
// Writes the whole file or nothing, in the format of its ending. Returns the reason for a failure; empty: it was written.
[[nodiscard]] QString savePicture(PaintedView &view, const QString &path, const QString &title);

} // namespace stepwell::ui
