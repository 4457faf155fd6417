#include "ui/sharing/picture_file.h"

#include "ui/session/disk_file.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QFileInfo>
#include <QGuiApplication>
#include <QImage>
#include <QPageSize>
#include <QPdfWriter>
#include <QScreen>
#include <QSvgGenerator>

#include <algorithm>
#include <array>
#include <cmath>

namespace stepwell::ui {

namespace {

constexpr double kMostPagePoints = 14'400; // of a side; readers open no longer page (PDF 1.7, annex C)
constexpr double kPointsPerInch = 72;

QString tr(const char *english)
{
    return QCoreApplication::translate("Pictures", english);
}

// Fonts are measured for the screen, so that a device of the same resolution sets texts where they have room.
int dotsPerInch()
{
    const QScreen *screen = QGuiApplication::primaryScreen();
    return screen ? static_cast<int>(std::lround(screen->logicalDotsPerInchY())) : 96;
}

Theme paper()
{
    return Theme::load(QStringLiteral("light"));
}

bool fits(const QSizeF &size)
{
    return std::max(size.width(), size.height()) <= kMostPictureSide && size.width() * size.height() <= kMostPicturePixels;
}

Picture pngOf(PaintedView &view, const QSizeF &size)
{
    const double scale = fits(2 * size) ? 2 : 1;
    if (!fits(scale * size))
        return {
            {},
            tr("The picture would have %1 \u00d7 %2 pixels, and a PNG here has at most %3 along a side and %4 million in all. "
               "Save it as SVG or PDF, which have no pixels.")
                .arg(std::llround(std::ceil(size.width())))
                .arg(std::llround(std::ceil(size.height())))
                .arg(std::llround(kMostPictureSide))
                .arg(std::llround(kMostPicturePixels / 1e6))};
    QImage image((size * scale).toSize().expandedTo({1, 1}), QImage::Format_RGB32);
    if (image.isNull())
        return {{}, tr("There is not enough memory for the picture.")};
    image.fill(Qt::white);
    {
        QPainter painter(&image);
        painter.scale(scale, scale);
        view.paintPicture(painter, paper());
    }
    Picture picture;
    QBuffer buffer(&picture.bytes);
    if (!buffer.open(QIODevice::WriteOnly) || !image.save(&buffer, "png"))
        return {{}, tr("The picture cannot be made.")};
    return picture;
}

Picture svgOf(PaintedView &view, const QSizeF &size, const QString &title)
{
    Picture picture;
    QBuffer buffer(&picture.bytes);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setResolution(dotsPerInch());
    generator.setSize(QSizeF(std::ceil(size.width()), std::ceil(size.height())).toSize());
    generator.setViewBox(QRectF(QPointF(0, 0), size));
    generator.setTitle(title);
    generator.setDescription(tr("Made with Stepwell"));
    QPainter painter;
    if (!painter.begin(&generator))
        return {{}, tr("The picture cannot be made.")};
    view.paintPicture(painter, paper());
    painter.end();
    return picture;
}

Picture pdfOf(PaintedView &view, const QSizeF &size, const QString &title)
{
    const double pointsPerPixel = kPointsPerInch / dotsPerInch();
    const double scale = std::min(1.0, kMostPagePoints / (std::max(size.width(), size.height()) * pointsPerPixel));
    Picture picture;
    QBuffer buffer(&picture.bytes);
    if (!buffer.open(QIODevice::WriteOnly))
        return {{}, tr("The picture cannot be made.")};
    QPdfWriter writer(&buffer);
    writer.setResolution(dotsPerInch());
    writer.setTitle(title);
    writer.setCreator(QStringLiteral("Stepwell"));
    writer.setPageSize(QPageSize(size * scale * pointsPerPixel, QPageSize::Point, title, QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF());
    QPainter painter;
    if (!painter.begin(&writer))
        return {{}, tr("The picture cannot be made.")};
    painter.scale(scale, scale);
    view.paintPicture(painter, paper());
    painter.end();
    return picture;
}

struct FormatRow {
    PictureFormat format;
    const char *ending;
};
constexpr std::array<FormatRow, 3> kFormats{
    {{PictureFormat::Svg, "svg"}, {PictureFormat::Pdf, "pdf"}, {PictureFormat::Png, "png"}}};

} // namespace

std::optional<PictureFormat> pictureFormatOf(const QString &path)
{
    const QString ending = QFileInfo(path).suffix().toLower();
    const auto found = std::ranges::find_if(kFormats, [&](const FormatRow &row) { return ending == QLatin1String(row.ending); });
    return found == kFormats.end() ? std::nullopt : std::optional(found->format);
}

QString pictureFilters()
{
    QStringList filters;
    for (const FormatRow &row : kFormats)
        filters << QStringLiteral("%1 (*.%2)").arg(QString::fromLatin1(row.ending).toUpper(), QLatin1String(row.ending));
    return filters.join(QStringLiteral(";;"));
}

Picture pictureOf(PaintedView &view, PictureFormat format, const QString &title)
{
    const QSizeF size = view.pictureSize();
    if (size.isEmpty())
        return {{}, tr("There is nothing to see in it yet.")};
    switch (format) {
    case PictureFormat::Png:
        return pngOf(view, size);
    case PictureFormat::Svg:
        return svgOf(view, size, title);
    case PictureFormat::Pdf:
        return pdfOf(view, size, title);
    }
    Q_UNREACHABLE();
}

QString savePicture(PaintedView &view, const QString &path, const QString &title)
{
    const std::optional<PictureFormat> format = pictureFormatOf(path);
    if (!format)
        return tr("A picture is saved as .svg, .pdf or .png, not as \u201c%1\u201d.").arg(QFileInfo(path).fileName());
    const Picture picture = pictureOf(view, *format, title);
    return picture.problem.isEmpty() ? writeFile(path, picture.bytes, sw::Durability::Cached) : picture.problem;
}

} // namespace stepwell::ui
