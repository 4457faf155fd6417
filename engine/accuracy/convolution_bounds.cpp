#include "engine/accuracy/convolution_bounds.h"

#include "engine/accuracy/error_rules.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sw {

namespace {

using Place = std::array<std::int64_t, kConvolutionRank>;

// The magnitude of an element of a factor, which may have one index along an axis that the products have more of, with what it
// may be off.
class Magnitudes {
public:
    explicit Magnitudes(const ConvolutionFactor &factor) : m_factor(factor), m_strides(rowMajorStrides(factor.value->shape()))
    {
        for (std::size_t axis = 0; axis < kConvolutionRank; ++axis)
            if (factor.value->shape()[axis] == 1)
                m_strides[axis] = 0;
    }

    [[nodiscard]] double at(const Place &place) const
    {
        std::int64_t flat = 0;
        for (std::size_t axis = 0; axis < kConvolutionRank; ++axis)
            flat += place.at(axis) * m_strides[axis];
        const double magnitude = std::abs(m_factor.value->at(flat).asDouble()) + m_factor.bounds->at(flat).asDouble();
        return std::isnan(magnitude) ? kAnything : magnitude;
    }

private:
    const ConvolutionFactor &m_factor;
    std::vector<std::int64_t> m_strides;
};

// Calls body(place) for each channel and element of a window.
template <class Body>
void forWindow(const Convolution &made, Place place, Body body)
{
    for (place[kChannel] = 0; place[kChannel] < made.channels; ++place[kChannel])
        for (place[kKernelRow] = 0; place[kKernelRow] < kConvolutionWindow; ++place[kKernelRow])
            for (place[kKernelColumn] = 0; place[kKernelColumn] < kConvolutionWindow; ++place[kKernelColumn])
                body(place);
}

// The largest magnitude in the windows of each tile.
class TileMaxima {
public:
    TileMaxima(const Convolution &made, const ConvolutionFactor &windows)
        : m_shape({made.images, made.groups, made.tileRows(), made.tileColumns()}),
          m_largest(static_cast<std::size_t>(m_shape.elements()), 0.0)
    {
        const Magnitudes magnitudes(windows);
        Place at{};
        for (at[kImage] = 0; at[kImage] < made.images; ++at[kImage])
            for (at[kGroup] = 0; at[kGroup] < made.groups; ++at[kGroup])
                for (at[kRow] = 0; at[kRow] < made.rows; ++at[kRow])
                    for (at[kColumn] = 0; at[kColumn] < made.columns; ++at[kColumn]) {
                        double &largest = m_largest[tileOf(at)];
                        forWindow(made, at, [&](const Place &place) { largest = std::max(largest, magnitudes.at(place)); });
                    }
    }

    [[nodiscard]] double at(const Place &place) const { return m_largest[tileOf(place)]; }

private:
    [[nodiscard]] std::size_t tileOf(const Place &at) const
    {
        return static_cast<std::size_t>(((at[kImage] * m_shape[1] + at[kGroup]) * m_shape[2] + at[kRow] / 2) * m_shape[3] +
                                        at[kColumn] / 2);
    }

    Shape m_shape;
    std::vector<double> m_largest;
};

// The sum of the magnitudes of the kernels of each output.
std::vector<double> kernelSums(const Convolution &made, const ConvolutionFactor &kernels)
{
    const Magnitudes magnitudes(kernels);
    std::vector<double> sums;
    Place at{};
    for (at[kGroup] = 0; at[kGroup] < made.groups; ++at[kGroup])
        for (at[kOutput] = 0; at[kOutput] < made.outputs; ++at[kOutput]) {
            sums.push_back(0);
            forWindow(made, at, [&](const Place &place) { sums.back() += magnitudes.at(place); });
        }
    return sums;
}

} // namespace

void widenToTiles(HostTensor &bounds, const Convolution &made, const ConvolutionFactor &windows, const ConvolutionFactor &kernels,
                  ErrorModel model)
{
    // 16 (C + 20) u S D, where u is half of epsilon. Independent roundings make a part of it, as in a sum of so many terms.
    constexpr double kRoundings = 20;
    constexpr double kGrowth = 16;
    constexpr double kTypicalGrowth = 2;
    const double terms = static_cast<double>(made.channels) + kRoundings;
    const double epsilon = limitsOf(windows.value->dtype()).epsilon;
    const double factor = epsilon * (model == ErrorModel::Typical ? kTypicalGrowth * std::sqrt(terms) / 6 : kGrowth * terms / 2);
    const TileMaxima largest(made, windows);
    const std::vector<double> sums = kernelSums(made, kernels);
    std::int64_t flat = 0;
    Place at{};
    for (at[kImage] = 0; at[kImage] < made.images; ++at[kImage])
        for (at[kGroup] = 0; at[kGroup] < made.groups; ++at[kGroup])
            for (at[kOutput] = 0; at[kOutput] < made.outputs; ++at[kOutput])
                for (at[kRow] = 0; at[kRow] < made.rows; ++at[kRow])
                    for (at[kColumn] = 0; at[kColumn] < made.columns; ++at[kColumn], ++flat) {
                        const double size = sums[static_cast<std::size_t>(at[kGroup] * made.outputs + at[kOutput])];
                        const double tile = largest.at(at);
                        // Not 0 times infinity: what is infinite reaches all results of its tile.
                        const double error = std::isfinite(tile) && std::isfinite(size) ? factor * size * tile : kAnything;
                        bounds.set(flat, Scalar::of(DType::F64, std::max(bounds.at(flat).asDouble(), error)));
                    }
}

} // namespace sw
