#include "engine/onnx/op_regions.h"

#include <algorithm>
#include <cmath>

namespace sw::onnx {

namespace {

// The most points that a cell reads down or across.
constexpr std::int64_t kMostPoints = 256;

struct Cells {
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    double scale = 1;
    bool isHalfPixel = false;
};

// How many points of its cells a region reads, down and across: one for each element that a cell spans. [regions, 2]
Result<HostTensor> pointsOf(NodeCall &call, const Cells &cells)
{
    SW_TRY(const HostTensor regions, call.constant(1, "the list of regions, which decides how many points are read,"));
    if (regions.shape().rank() != 2 || regions.shape()[1] != 4)
        return call.error(Code::ShapeMismatch, "the regions are {}, expected [regions, 4]", toText(regions.shape()));
    HostTensor points(DType::I64, Shape{regions.shape()[0], 2});
    const auto side = [&](std::int64_t region, std::int64_t corner, std::int64_t count) {
        const auto at = [&](std::int64_t i) { return regions.at(region * 4 + i).asDouble() * cells.scale; };
        const double reach = at(corner + 2) - at(corner);
        return std::ceil((cells.isHalfPixel ? reach : std::max(reach, 1.0)) / static_cast<double>(count));
    };
    for (std::int64_t i = 0; i < regions.shape()[0]; ++i) {
        const double down = side(i, 1, cells.rows);
        const double across = side(i, 0, cells.columns);
        constexpr auto kMost = static_cast<double>(kMostPoints);
        if (!(down <= kMost && across <= kMost))
            return call.unsupported("region {} reads {} by {} points of a cell; the limit is {}", i, down, across, kMostPoints);
        points.set(2 * i, Scalar::of(DType::I64, std::max(0.0, down)));
        points.set(2 * i + 1, Scalar::of(DType::I64, std::max(0.0, across)));
    }
    return points;
}

Result<bool> isHalfPixel(NodeCall &call)
{
    if (call.opset() < 16)
        return false;
    const std::string transform = call.text("coordinate_transformation_mode", "half_pixel");
    if (transform != "half_pixel" && transform != "output_half_pixel")
        return call.error(Code::Argument, "coordinate_transformation_mode must be half_pixel or output_half_pixel, found '{}'",
                          transform.substr(0, 20));
    return transform == "half_pixel";
}

} // namespace

// Where the number of points follows from the regions, these must be known while importing.
Result<Outputs> importRoiAlign(NodeCall &call)
{
    Cells cells{.rows = call.integer("output_height", 1),
                .columns = call.integer("output_width", 1),
                .scale = call.number("spatial_scale", 1)};
    SW_TRY(cells.isHalfPixel, isHalfPixel(call));
    const std::int64_t ratio = call.integer("sampling_ratio", 0);
    if (cells.rows < 1 || cells.columns < 1 || ratio < 0 || ratio > kMostPoints)
        return call.error(Code::Argument, "output_height {}, output_width {} or sampling_ratio {} is out of range", cells.rows,
                          cells.columns, ratio);
    std::vector<std::int64_t> samples{ratio, ratio};
    language::Value counts;
    if (ratio == 0) {
        SW_TRY(HostTensor points, pointsOf(call, cells));
        samples = {1, 1};
        for (std::int64_t i = 0; i < points.elements(); ++i)
            samples[static_cast<std::size_t>(i % 2)] = std::max(samples[static_cast<std::size_t>(i % 2)], points.at(i).asInt());
        counts = language::TensorValue{call.tensorConstant(std::move(points))};
    }
    SW_TRY(const NodeId result, call.callTensor("roi_align", {{language::TensorValue{call.input(0)}},
                                                              {language::TensorValue{call.input(1)}},
                                                              {language::TensorValue{call.input(2)}},
                                                              {cells.rows},
                                                              {cells.columns},
                                                              {language::listOf(samples)},
                                                              {cells.scale},
                                                              {call.text("mode", "avg")},
                                                              {cells.isHalfPixel},
                                                              {counts}}));
    return Outputs{result};
}

} // namespace sw::onnx
