#pragma once
// A picture as the numbers of an input.

#include "engine/api/inputs.h"

#include <QImage>
#include <QString>

#include <vector>

namespace stepwell::ui {

// Where the channels stand: before the height and the width, or after them.
enum class ImageLayout : unsigned char { ChannelsFirst, ChannelsLast };
// What black and full intensity become.
enum class ImageScale : unsigned char { ZeroTo255, ZeroToOne, MinusOneToOne };

struct ImagePlan {
    int width = 0;
    int height = 0;
    int channels = 0; // 1: grey, 3: red, green, blue, 4: with opacity
    QString error;    // why the input cannot take a picture; empty: it can
};

// How a picture fills an input. Leading axes of extent 1 do not count. [height, width] is grey; so is a vector of a square number
// of elements.
[[nodiscard]] ImagePlan imagePlan(const sw::InputEntry &entry, ImageLayout layout);
// The layout that the input's shape suggests.
[[nodiscard]] ImageLayout likelyLayout(const sw::InputEntry &entry);
// The picture, resized, as the numbers of the input in row-major order.
[[nodiscard]] std::vector<double> imageNumbers(const QImage &image, const ImagePlan &plan, ImageLayout layout, ImageScale scale);

} // namespace stepwell::ui
