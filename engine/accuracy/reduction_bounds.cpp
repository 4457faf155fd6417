#include "engine/accuracy/reduction_bounds.h"

#include "engine/accuracy/error_rules.h"
#include "engine/types/elements.h"

#include <algorithm>
#include <cmath>

namespace sw {

namespace {

// The sums that determine the error of a reduction, for one element of the result.
struct Tally {
    double error = 0;      // sum of the elements' errors
    double squares = 0;    // sum of the squares of their errors
    double largest = 0;    // the largest of their errors
    double magnitude = 0;  // sum of their magnitudes
    double logarithms = 0; // sum of |log2| of the finite, nonzero ones
    double relative = 0;   // sum of their relative errors
    std::int64_t count = 0;
};

// Calls body(element, result) for each element of the shape, in row-major order, with the flat index that it combines into.
template <class Body>
void forElements(const Shape &shape, std::span<const std::int64_t> strides, Body body)
{
    std::vector<std::int64_t> at(shape.rank(), 0);
    std::int64_t result = 0;
    for (std::int64_t i = 0; i < shape.elements(); ++i) {
        body(i, result);
        for (std::size_t axis = shape.rank(); axis-- > 0;) {
            result += strides[axis];
            if (++at[axis] < shape[axis])
                break;
            result -= strides[axis] * shape[axis];
            at[axis] = 0;
        }
    }
}

void tally(Tally &tally, double size, double error, Op op)
{
    ++tally.count;
    tally.error += error;
    tally.squares += error * error;
    tally.largest = std::max(tally.largest, error);
    if (!std::isfinite(size))
        return;
    tally.magnitude += size;
    if (op != Op::Mul)
        return;
    if (size > 0)
        tally.logarithms += std::abs(std::log2(size));
    if (error > 0)
        tally.relative += size > error ? error / (size - error) : kAnything;
}

// own: the error of the additions themselves.
double sumError(const Node &node, const Scalar &result, const Tally &tally, double carried, double own)
{
    if (tally.magnitude >= limitsOf(node.dtype).largest / 2)
        return kAnything;
    return std::isfinite(result.asDouble()) || tally.error > 0 ? rounded(result, carried + own) : 0;
}

double productError(const Node &node, const Scalar &result, const Tally &tally, double roundings)
{
    // A product may overflow or underflow on the way, depending on the order.
    constexpr double kSafeExponents = 12;
    if (tally.logarithms > kSafeExponents)
        return kAnything;
    const double relative = std::expm1(tally.relative + roundings * limitsOf(computeType(node.dtype)).epsilon);
    const double error = relative * std::abs(result.asDouble());
    return std::isfinite(result.asDouble()) || tally.error > 0 ? rounded(result, error) : 0;
}

// The standard deviation of a sum of `terms` terms added one by one. Independent roundings, each of at most half the distance
// between values near the partial sum, give sqrt(n/36) such distances of the sum of the magnitudes (after Higham and Mary, A
// New Approach to Probabilistic Rounding Error Analysis, 2019). Terms that are all alike round in the same direction:
// measurements found at most n/9 distances for up to 10^7 terms; n/128 is n/8 in 16 deviations, which is how far two devices
// may be apart.
double typicalSumError(double terms, double magnitude, double result)
{
    return std::sqrt(terms) / 6 * magnitude + terms / 128 * std::abs(result);
}

double elementError(const Node &node, const Scalar &result, const Tally &tally, bool mayFuse, ErrorModel model)
{
    if (!isFloat(node.dtype))
        return rounded(result, tally.error);
    if (node.op == Op::Max || node.op == Op::Min)
        return rounded(result, tally.largest);
    // Accumulated in f32 or f64, in any order.
    const auto roundings = static_cast<double>(tally.count > 1 || mayFuse ? tally.count : 0);
    if (node.op == Op::Mul)
        return productError(node, result, tally, roundings);
    const double epsilon = limitsOf(computeType(node.dtype)).epsilon;
    if (model == ErrorModel::Typical)
        return sumError(node, result, tally, std::sqrt(tally.squares),
                        epsilon * typicalSumError(roundings, tally.magnitude, result.asDouble()));
    return sumError(node, result, tally, tally.error, epsilon * roundings * tally.magnitude);
}

} // namespace

HostTensor reductionBounds(const Node &node, const HostTensor &result, const ReducedInput &input, ErrorModel model)
{
    HostTensor out(DType::F64, node.shape);
    std::vector<Tally> tallies(static_cast<std::size_t>(out.elements()));
    std::vector<std::int64_t> strides = rowMajorStrides(node.shape);
    for (const std::size_t axis : attributesOf<AxesAttributes>(node).axes)
        strides[axis] = 0;
    const std::span<const double> errors = elementsOf<double>(*input.bounds);
    const auto addAll = [&](auto valueOf) {
        forElements(input.value->shape(), strides, [&](std::int64_t element, std::int64_t into) {
            tally(tallies[static_cast<std::size_t>(into)], std::abs(valueOf(element)), errors[static_cast<std::size_t>(element)],
                  node.op);
        });
    };
    if (input.value->dtype() == DType::F32)
        addAll(
            [floats = elementsOf<float>(*input.value)](std::int64_t i) -> double { return floats[static_cast<std::size_t>(i)]; });
    else
        addAll([&](std::int64_t i) { return input.value->at(i).asDouble(); });
    const std::span<double> bounds = mutableElementsOf<double>(out);
    for (std::size_t i = 0; i < tallies.size(); ++i)
        bounds[i] = elementError(node, result.at(static_cast<std::int64_t>(i)), tallies[i], input.mayFuse, model);
    return out;
}

} // namespace sw
