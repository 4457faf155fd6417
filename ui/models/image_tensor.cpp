#include "ui/models/image_tensor.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>

namespace stepwell::ui {

namespace {

constexpr std::int64_t kMostPixels = 1 << 15; // of a side: what QImage holds

bool isChannels(std::int64_t extent)
{
    return extent == 1 || extent == 3 || extent == 4;
}

// The axes that a picture fills.
std::vector<std::int64_t> pictureAxes(const sw::InputEntry &entry)
{
    std::vector<std::int64_t> shape = entry.shape;
    while (shape.size() > 2 && shape.front() == 1)
        shape.erase(shape.begin());
    if (shape.size() == 1) {
        const auto side = static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<double>(shape[0]))));
        if (side > 0 && side * side == shape[0])
            return {side, side};
    }
    return shape;
}

double scaled(int intensity, ImageScale scale)
{
    constexpr double kFull = 255;
    switch (scale) {
    case ImageScale::ZeroTo255:
        return intensity;
    case ImageScale::ZeroToOne:
        return intensity / kFull;
    case ImageScale::MinusOneToOne:
        return intensity / kFull * 2 - 1;
    }
    Q_UNREACHABLE();
}

} // namespace

ImagePlan imagePlan(const sw::InputEntry &entry, ImageLayout layout)
{
    std::vector<std::int64_t> shape = pictureAxes(entry);
    if (shape.size() == 2)
        shape.insert(layout == ImageLayout::ChannelsFirst ? shape.begin() : shape.end(), 1);
    const bool isFirst = layout == ImageLayout::ChannelsFirst;
    ImagePlan plan;
    if (shape.size() != 3 || !isChannels(isFirst ? shape[0] : shape[2]) || std::ranges::max(shape) > kMostPixels ||
        std::ranges::min(shape) < 1) {
        plan.error =
            QCoreApplication::translate("ImagePlan", "%1 is %2; a picture fills %3, with 1, 3 or 4 channels")
                .arg(QString::fromStdString(entry.name), QString::fromStdString(entry.type),
                     isFirst ? QStringLiteral("[channels, height, width]") : QStringLiteral("[height, width, channels]"));
        return plan;
    }
    plan.channels = static_cast<int>(isFirst ? shape[0] : shape[2]);
    plan.height = static_cast<int>(isFirst ? shape[1] : shape[0]);
    plan.width = static_cast<int>(isFirst ? shape[2] : shape[1]);
    return plan;
}

ImageLayout likelyLayout(const sw::InputEntry &entry)
{
    return imagePlan(entry, ImageLayout::ChannelsFirst).error.isEmpty() ? ImageLayout::ChannelsFirst : ImageLayout::ChannelsLast;
}

std::vector<double> imageNumbers(const QImage &image, const ImagePlan &plan, ImageLayout layout, ImageScale scale)
{
    const QImage fitted = image.scaled(plan.width, plan.height, Qt::IgnoreAspectRatio, Qt::SmoothTransformation)
                              .convertToFormat(QImage::Format_ARGB32);
    const auto width = static_cast<std::size_t>(plan.width);
    const auto height = static_cast<std::size_t>(plan.height);
    const auto channels = static_cast<std::size_t>(plan.channels);
    std::vector<double> numbers(width * height * channels);
    for (std::size_t y = 0; y < height; ++y)
        for (std::size_t x = 0; x < width; ++x) {
            const QRgb pixel = fitted.pixel(static_cast<int>(x), static_cast<int>(y));
            const std::array<int, 4> parts{channels == 1 ? qGray(pixel) : qRed(pixel), qGreen(pixel), qBlue(pixel),
                                           qAlpha(pixel)};
            for (std::size_t channel = 0; channel < channels; ++channel)
                numbers[layout == ImageLayout::ChannelsFirst ? (channel * height + y) * width + x
                                                             : (y * width + x) * channels + channel] =
                    scaled(parts[channel], scale);
        }
    return numbers;
}

} // namespace stepwell::ui
