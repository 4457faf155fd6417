#include "tests/benchmarks/plain_references.h"

#include "engine/types/host_tensor.h"
#include "tests/benchmarks/range_threads.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>
#include <vector>

namespace sw::benchmark {

namespace {

constexpr double kNormEpsilon = 1e-5; // of both norms

double largestIn(const float *x, std::size_t count)
{
    return static_cast<double>(*std::max_element(x, x + count));
}

// The sum of what `term` makes of the elements.
template <class Term>
double sumOver(const float *x, std::size_t count, Term term)
{
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i)
        sum += term(static_cast<double>(x[i]));
    return sum;
}

} // namespace

void softmaxOf(const float *x, float *y, std::size_t count)
{
    const double largest = largestIn(x, count);
    const double sum = sumOver(x, count, [&](double element) { return std::exp(element - largest); });
    for (std::size_t i = 0; i < count; ++i)
        y[i] = static_cast<float>(std::exp(static_cast<double>(x[i]) - largest) / sum);
}

void logSoftmaxOf(const float *x, float *y, std::size_t count)
{
    const double largest = largestIn(x, count);
    const double logarithm = std::log(sumOver(x, count, [&](double element) { return std::exp(element - largest); }));
    for (std::size_t i = 0; i < count; ++i)
        y[i] = static_cast<float>(static_cast<double>(x[i]) - largest - logarithm);
}

void layerNormOf(const float *x, float *y, std::size_t count)
{
    const auto elements = static_cast<double>(count);
    const double mean = sumOver(x, count, [](double element) { return element; }) / elements;
    const double variance = sumOver(x, count, [&](double element) { return (element - mean) * (element - mean); }) / elements;
    for (std::size_t i = 0; i < count; ++i)
        y[i] = static_cast<float>((static_cast<double>(x[i]) - mean) / std::sqrt(variance + kNormEpsilon));
}

void rmsNormOf(const float *x, float *y, std::size_t count)
{
    const double squares = sumOver(x, count, [](double element) { return element * element; });
    const double size = std::sqrt(squares / static_cast<double>(count) + kNormEpsilon);
    for (std::size_t i = 0; i < count; ++i)
        y[i] = static_cast<float>(static_cast<double>(x[i]) / size);
}

Computation alongRows(std::size_t rows, std::size_t columns, OfRow body)
{
    return [=](const std::vector<HostTensor> &inputs, float *out, std::uint32_t threads) {
        const float *x = floatsOf(inputs[0]);
        inParallel(threads, rows, [&](std::size_t begin, std::size_t end) {
            for (std::size_t row = begin; row < end; ++row)
                body(x + row * columns, out + row * columns, columns);
        });
    };
}

double geluOf(double x)
{
    return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2));
}

double chainOf(double x)
{
    const double a = x * 2 + 1;
    const double b = std::max(a, x) - 0.5;
    const double c = b * a + x;
    const double d = std::min(c, 100.0) * 0.25;
    const double e = std::abs(d - b) + d;
    return e * e - 3;
}

Computation ofEach(std::size_t elements, OfElement body)
{
    return [=](const std::vector<HostTensor> &inputs, float *out, std::uint32_t threads) {
        const float *x = floatsOf(inputs[0]);
        inParallel(threads, elements, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                out[i] = static_cast<float>(body(static_cast<double>(x[i])));
        });
    };
}

float sumOf(const float *x, std::size_t count, std::size_t step)
{
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i)
        sum += static_cast<double>(x[i * step]);
    return static_cast<float>(sum);
}

float largestOf(const float *x, std::size_t count, std::size_t step)
{
    float largest = x[0];
    for (std::size_t i = 1; i < count; ++i)
        largest = std::max(largest, x[i * step]);
    return largest;
}

float varianceOf(const float *x, std::size_t count, std::size_t step)
{
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < count; ++i)
        sum += static_cast<double>(x[i * step]);
    const double mean = sum / static_cast<double>(count);
    for (std::size_t i = 0; i < count; ++i)
        squares += (static_cast<double>(x[i * step]) - mean) * (static_cast<double>(x[i * step]) - mean);
    return static_cast<float>(squares / static_cast<double>(count));
}

float placeOfLargest(const float *x, std::size_t count, std::size_t step)
{
    std::size_t best = 0;
    for (std::size_t i = 1; i < count; ++i)
        best = x[i * step] > x[best * step] ? i : best;
    return static_cast<float>(best);
}

Computation reducing(std::size_t side, Reduced reduced, OfElements body)
{
    return [=](const std::vector<HostTensor> &inputs, float *out, std::uint32_t threads) {
        const float *x = floatsOf(inputs[0]);
        if (reduced == Reduced::All) {
            out[0] = body(x, side * side, 1);
            return;
        }
        const bool isAlongRows = reduced == Reduced::Columns;
        inParallel(threads, side, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                out[i] = body(x + i * (isAlongRows ? side : 1), side, isAlongRows ? 1 : side);
        });
    };
}

namespace {

// Adds one tap of the window, for all places of the result, to their sums.
void addTap(const ConvolutionSize &size, const float *image, double weight, std::int64_t tapRow, std::int64_t tapColumn,
            std::vector<double> &sums)
{
    const std::int64_t side = size.outputSize();
    for (std::int64_t row = 0; row < side; ++row) {
        const std::int64_t fromRow = row * size.stride + tapRow - size.padding;
        if (fromRow < 0 || fromRow >= size.size)
            continue;
        for (std::int64_t column = 0; column < side; ++column) {
            const std::int64_t from = column * size.stride + tapColumn - size.padding;
            if (from >= 0 && from < size.size)
                sums[static_cast<std::size_t>(row * side + column)] +=
                    weight * static_cast<double>(image[fromRow * size.size + from]);
        }
    }
}

void convolveOutput(const ConvolutionSize &size, const float *x, const float *w, std::int64_t output, float *out)
{
    const std::int64_t depth = size.channels / size.groups;
    const std::int64_t group = output / (size.outputs / size.groups);
    const std::int64_t places = size.outputSize() * size.outputSize();
    std::vector<double> sums(static_cast<std::size_t>(places), 0.0);
    for (std::int64_t channel = 0; channel < depth; ++channel)
        for (std::int64_t row = 0; row < size.window; ++row)
            for (std::int64_t column = 0; column < size.window; ++column)
                addTap(size, x + (group * depth + channel) * size.size * size.size,
                       static_cast<double>(w[((output * depth + channel) * size.window + row) * size.window + column]), row,
                       column, sums);
    for (std::int64_t place = 0; place < places; ++place)
        out[output * places + place] = static_cast<float>(sums[static_cast<std::size_t>(place)]);
}

} // namespace

Computation plainConvolution(const ConvolutionSize &size)
{
    return [size](const std::vector<HostTensor> &inputs, float *out, std::uint32_t threads) {
        inParallel(threads, static_cast<std::size_t>(size.outputs), [&](std::size_t begin, std::size_t end) {
            for (std::size_t output = begin; output < end; ++output)
                convolveOutput(size, floatsOf(inputs[0]), floatsOf(inputs[1]), static_cast<std::int64_t>(output), out);
        });
    };
}

namespace {

using Words = std::array<std::uint32_t, 4>;

// One counter's four numbers.
void cipher(const Words &key, std::uint32_t counter, float *out)
{
    constexpr std::array<std::array<int, 2>, 4> kRotations{{{13, 15}, {26, 6}, {17, 29}, {16, 24}}};
    const std::uint32_t last = key[0] ^ key[1] ^ key[2] ^ key[3] ^ 0x1bd11bdaU;
    // A number becomes four words that are unlike.
    Words x{counter, counter ^ 0x9e3779b9U, counter ^ 0x6c078965U, counter ^ std::rotl(counter, 16)};
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] += key[i];
    for (std::size_t round = 0; round < kRotations.size(); ++round) {
        const std::size_t first = round % 2 == 0 ? 1 : 3;
        const std::size_t second = 4 - first;
        x[0] += x[first];
        x[first] = std::rotl(x[first], kRotations[round][0]) ^ x[0];
        x[2] += x[second];
        x[second] = std::rotl(x[second], kRotations[round][1]) ^ x[2];
    }
    // The key once more, moved on by one word, and the number of times that it was added.
    x[0] += key[1];
    x[1] += key[2];
    x[2] += key[3];
    x[3] += last + 1;
    for (std::size_t i = 0; i < x.size(); ++i)
        out[i] = static_cast<float>(x[i] >> 8U) * 0x1p-24F;
}

} // namespace

Computation threefryUniforms(std::size_t counters)
{
    return [counters](const std::vector<HostTensor> &inputs, float *out, std::uint32_t threads) {
        Words key{};
        std::memcpy(key.data(), inputs[0].bytes().data(), sizeof(key));
        inParallel(threads, counters, [&](std::size_t begin, std::size_t end) {
            for (std::size_t counter = begin; counter < end; ++counter)
                cipher(key, static_cast<std::uint32_t>(counter), out + 4 * counter);
        });
    };
}

} // namespace sw::benchmark
