#include "engine/accuracy/first_difference.h"

#include "engine/accuracy/agreement.h"
#include "engine/accuracy/error_rules.h"
#include "engine/base/assert.h"

#include <cmath>

namespace sw {

namespace {

bool isWithin(const Scalar &expected, const Scalar &actual, double bound, const ComparisonLimits &limits)
{
    if (bound == kAnything)
        return true;
    if (limits.zeroSigns && bound == 0 && isFloat(expected.dtype()) && expected.asDouble() == 0 && actual.asDouble() == 0)
        return expected == actual;
    const double size = isFloat(expected.dtype()) && std::isfinite(expected.asDouble()) ? std::abs(expected.asDouble()) : 0;
    return agrees(expected, actual, bound + limits.absolute + limits.relative * size);
}

} // namespace

std::optional<std::int64_t> firstDifferenceAt(const HostTensor &expected, const HostTensor &actual, const HostTensor &bounds,
                                              const ComparisonLimits &limits)
{
    SW_ASSERT(expected.dtype() == actual.dtype() && expected.shape() == actual.shape(), "results of one program");
    for (std::int64_t i = 0; i < expected.elements(); ++i)
        if (!isWithin(expected.at(i), actual.at(i), bounds.at(i).asDouble(), limits))
            return i;
    return std::nullopt;
}

std::optional<std::string> firstDifference(const HostTensor &expected, const HostTensor &actual, const HostTensor &bounds,
                                           const ComparisonLimits &limits)
{
    if (expected.dtype() != actual.dtype() || expected.shape() != actual.shape())
        return format("expected {}, not {}", typeText(expected.dtype(), expected.shape()),
                      typeText(actual.dtype(), actual.shape()));
    const std::optional<std::int64_t> at = firstDifferenceAt(expected, actual, bounds, limits);
    if (!at)
        return std::nullopt;
    return format("element {} of {}: expected {}, not {}; bound {}", *at, typeText(expected.dtype(), expected.shape()),
                  toText(expected.at(*at)), toText(actual.at(*at)), bounds.at(*at).asDouble());
}

} // namespace sw
