#include "engine/execute/compare.h"

#include "engine/accuracy/agreement.h"
#include "engine/base/assert.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sw {

namespace {

constexpr double kF16Epsilon = 0x1p-10;
constexpr double kBf16Epsilon = 0x1p-7;
constexpr double kF8e5m2Epsilon = 0x1p-2;
constexpr double kF8e4m3Epsilon = 0x1p-3;

// Maps floats to integers in the same order: neighbours differ by one, -0 and +0 are equal.
std::int64_t orderOf(const Scalar &value)
{
    const std::uint32_t bits = infoOf(value.dtype()).bits;
    const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
    const auto magnitude = static_cast<std::int64_t>(value.bits() & (sign - 1));
    return (value.bits() & sign) != 0 ? -magnitude : magnitude;
}

std::uint64_t distance(std::int64_t a, std::int64_t b)
{
    return a > b ? static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b)
                 : static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a);
}

std::uint64_t ulpDistance(const Scalar &a, const Scalar &b)
{
    if (isFloat(a.dtype()))
        return distance(orderOf(a), orderOf(b));
    if (isSigned(a.dtype()))
        return distance(a.asInt(), b.asInt());
    return std::max(a.asUnsigned(), b.asUnsigned()) - std::min(a.asUnsigned(), b.asUnsigned());
}

double largestMagnitude(const HostTensor &tensor)
{
    double largest = 0;
    for (std::int64_t i = 0; i < tensor.elements(); ++i)
        if (const double magnitude = std::fabs(tensor.at(i).asDouble()); std::isfinite(magnitude))
            largest = std::max(largest, magnitude);
    return largest;
}

// Updates the maxima with a pair of unequal values.
void addDifference(Comparison &comparison, const Scalar &expected, const Scalar &actual)
{
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    if (expected.dtype() == DType::U32x4) { // bits have no distance
        comparison.maxUlp = std::numeric_limits<std::uint64_t>::max();
        return;
    }
    const double e = expected.asDouble();
    const double a = actual.asDouble();
    if (!std::isfinite(e) || !std::isfinite(a)) {
        comparison.maxAbsolute = kInfinite;
        comparison.maxRelative = kInfinite;
        comparison.maxUlp = std::numeric_limits<std::uint64_t>::max();
        return;
    }
    const double difference = std::fabs(a - e);
    comparison.maxAbsolute = std::max(comparison.maxAbsolute, difference);
    if (e != 0)
        comparison.maxRelative = std::max(comparison.maxRelative, difference / std::fabs(e));
    comparison.maxUlp = std::max(comparison.maxUlp, ulpDistance(expected, actual));
}

// The difference of the two as a multiple of what is allowed.
double excessOf(const Divergence &pair)
{
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    if (!isFloat(pair.expected.dtype()))
        return kInfinite;
    const double difference = std::fabs(pair.actual.asDouble() - pair.expected.asDouble());
    if (std::isnan(difference))
        return kInfinite;
    return difference == 0 ? 0 : difference / pair.allowed;
}

bool isSame(const Scalar &expected, const Scalar &actual)
{
    return expected == actual || (isFloat(expected.dtype()) && expected.isNan() && actual.isNan());
}

class Judge {
public:
    Judge(const HostTensor &expected, const HostTensor *limits) : m_limits(limits), m_tolerance(toleranceOf(expected.dtype()))
    {
        if (isFloat(expected.dtype()))
            m_scale = largestMagnitude(expected);
    }

    [[nodiscard]] Divergence of(std::int64_t flatIndex, const Scalar &expected, const Scalar &actual) const
    {
        Divergence pair{flatIndex, expected, actual, 0, JudgedBy::Limit};
        if (!isFloat(expected.dtype()))
            return pair;
        if (m_limits != nullptr)
            pair.allowed = m_limits->at(flatIndex).asDouble();
        if (m_limits == nullptr || std::isinf(pair.allowed)) {
            pair.by = JudgedBy::Tolerance;
            pair.allowed = m_tolerance.absolute * m_scale + m_tolerance.relative * std::fabs(expected.asDouble());
        }
        return pair;
    }

private:
    const HostTensor *m_limits;
    Tolerance m_tolerance;
    double m_scale = 0;
};

} // namespace

Tolerance toleranceOf(DType dtype)
{
    switch (dtype) {
    case DType::F32:
        return {.relative = 1e-4, .absolute = 1e-5};
    case DType::F64:
        return {.relative = 1e-10, .absolute = 1e-12};
    case DType::F16:
        return {.relative = 4 * kF16Epsilon, .absolute = kF16Epsilon};
    case DType::BF16:
        return {.relative = 2 * kBf16Epsilon, .absolute = kBf16Epsilon};
    case DType::F8E5M2:
        return {.relative = kF8e5m2Epsilon, .absolute = kF8e5m2Epsilon};
    case DType::F8E4M3:
        return {.relative = kF8e4m3Epsilon, .absolute = kF8e4m3Epsilon};
    case DType::Unit:
    case DType::U32x4:
    case DType::Bool:
    case DType::U8:
    case DType::I8:
    case DType::U16:
    case DType::I16:
    case DType::U32:
    case DType::I32:
    case DType::U64:
    case DType::I64:
        return {};
    }
    SW_UNREACHABLE();
}

std::vector<Divergence> divergencesOf(const HostTensor &expected, const HostTensor &actual, const HostTensor *limits)
{
    SW_ASSERT(expected.dtype() == actual.dtype() && expected.shape() == actual.shape(), "results of one program");
    SW_ASSERT(limits == nullptr || limits->shape() == expected.shape(), "a limit per element");
    std::vector<Divergence> divergences;
    const Judge judge(expected, limits);
    for (std::int64_t i = 0; i < expected.elements(); ++i) {
        const Scalar e = expected.at(i);
        const Scalar a = actual.at(i);
        if (isSame(e, a))
            continue;
        const Divergence pair = judge.of(i, e, a);
        if (!agrees(e, a, pair.allowed))
            divergences.push_back(pair);
    }
    return divergences;
}

Comparison compareTensors(const HostTensor &expected, const HostTensor &actual, const HostTensor *limits)
{
    SW_ASSERT(expected.dtype() == actual.dtype(), "results of one program");
    Comparison comparison;
    if (expected.shape() != actual.shape()) {
        comparison.equal = false;
        comparison.otherShape = format("{} instead of {}", toText(actual.shape()), toText(expected.shape()));
        return comparison;
    }
    const Judge judge(expected, limits != nullptr && limits->shape() == expected.shape() ? limits : nullptr);
    double excess = -1;
    for (std::int64_t i = 0; i < expected.elements(); ++i) {
        const Scalar e = expected.at(i);
        const Scalar a = actual.at(i);
        if (isSame(e, a))
            continue;
        addDifference(comparison, e, a);
        const Divergence pair = judge.of(i, e, a);
        comparison.byTolerance += pair.by == JudgedBy::Tolerance ? 1 : 0;
        if (const double of = excessOf(pair); of > excess) {
            excess = of;
            comparison.worst = pair;
        }
        if (agrees(e, a, pair.allowed))
            continue;
        comparison.equal = false;
        ++comparison.divergences;
        if (!comparison.first)
            comparison.first = pair;
    }
    return comparison;
}

} // namespace sw
