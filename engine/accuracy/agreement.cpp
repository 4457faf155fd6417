#include "engine/accuracy/agreement.h"

#include <cmath>

namespace sw {

bool agrees(const Scalar &expected, const Scalar &actual, double limit)
{
    if (!isFloat(expected.dtype()))
        return expected == actual;
    const double e = expected.asDouble();
    const double a = actual.asDouble();
    if (std::isnan(e) || std::isnan(a))
        return std::isnan(e) && std::isnan(a);
    if (std::isinf(e) || std::isinf(a))
        return e == a;
    return std::abs(e - a) <= limit;
}

} // namespace sw
