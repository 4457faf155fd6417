#include "engine/accuracy/error_rules.h"

#include <algorithm>
#include <cmath>

namespace sw {

namespace {

// A device may be 2 ULP from the f64 value, and the reference half an ULP.
constexpr double kTranscendentalUlps = 3;

bool isExact(std::span<const Approximate> operands)
{
    return std::ranges::all_of(operands, [](const Approximate &operand) { return operand.error == 0; });
}

// The largest change of a monotonic function when its argument moves by its error.
template <class F>
double monotonicError(const Approximate &x, F function)
{
    const double at = function(x.value.asDouble());
    const double below = function(x.value.asDouble() - x.error);
    const double above = function(x.value.asDouble() + x.error);
    const double error = std::max(std::abs(at - below), std::abs(above - at));
    return std::isnan(error) ? kAnything : error;
}

// Returns 0 as long as a step function stays on the same step.
template <class F>
double steppedError(const Approximate &x, F function)
{
    const bool isFlat = function(x.value.asDouble() - x.error) == function(x.value.asDouble() + x.error);
    return isFlat ? 0 : kAnything;
}

double productError(const Approximate &a, const Approximate &b)
{
    return std::abs(a.value.asDouble()) * b.error + std::abs(b.value.asDouble()) * a.error + a.error * b.error;
}

double quotientError(double a, double errorOfA, const Approximate &b)
{
    const double size = std::abs(b.value.asDouble());
    if (b.error >= size)
        return errorOfA == 0 && b.error == 0 ? 0 : kAnything;
    return (size * errorOfA + std::abs(a) * b.error) / (size * (size - b.error));
}

double comparisonError(const Approximate &a, const Approximate &b)
{
    const double margin = a.error + b.error;
    const bool isClear = margin == 0 || std::abs(a.value.asDouble() - b.value.asDouble()) > margin;
    return isClear ? 0 : kAnything;
}

double powerError(const Approximate &base, const Approximate &exponent)
{
    if (base.value.asDouble() - base.error <= 0)
        return kAnything;
    double error = 0;
    const double at = std::pow(base.value.asDouble(), exponent.value.asDouble());
    for (const double x : {base.value.asDouble() - base.error, base.value.asDouble() + base.error})
        for (const double y : {exponent.value.asDouble() - exponent.error, exponent.value.asDouble() + exponent.error})
            error = std::max(error, std::abs(std::pow(x, y) - at));
    return error;
}

// The error in the exact result that comes from the operands' errors. At least one operand has an error.
double carriedError(Op op, std::span<const Approximate> x)
{
    switch (op) {
    case Op::Add:
    case Op::Sub:
        return x[0].error + x[1].error;
    case Op::Mul:
        return productError(x[0], x[1]);
    case Op::Div:
    case Op::Fdiv:
        return quotientError(x[0].value.asDouble(), x[0].error, x[1]);
    case Op::Pow:
        return powerError(x[0], x[1]);
    case Op::Max:
    case Op::Min:
        return std::max(x[0].error, x[1].error);
    case Op::Cmplt:
    case Op::Cmple:
    case Op::Cmpeq:
    case Op::Cmpne:
        return comparisonError(x[0], x[1]);
    case Op::Neg:
    case Op::Abs:
        return x[0].error;
    case Op::Not:
        return std::abs(x[0].value.asDouble()) > x[0].error ? 0 : kAnything;
    case Op::Sign:
        return std::abs(x[0].value.asDouble()) > x[0].error ? 0 : kAnything;
    case Op::Floor:
        return steppedError(x[0], [](double v) { return std::floor(v); });
    case Op::Ceil:
        return steppedError(x[0], [](double v) { return std::ceil(v); });
    case Op::Round:
        return steppedError(x[0], [](double v) { return std::nearbyint(v); });
    case Op::Trunc:
        return steppedError(x[0], [](double v) { return std::trunc(v); });
    case Op::Sqrt:
        return monotonicError(x[0], [](double v) { return std::sqrt(v); });
    case Op::Recip:
        return quotientError(1, 0, x[0]);
    case Op::Exp:
        return monotonicError(x[0], [](double v) { return std::exp(v); });
    case Op::Exp2:
        return monotonicError(x[0], [](double v) { return std::exp2(v); });
    case Op::Log:
        return monotonicError(x[0], [](double v) { return std::log(v); });
    case Op::Log2:
        return monotonicError(x[0], [](double v) { return std::log2(v); });
    case Op::Sin:
    case Op::Cos:
        return std::min(x[0].error, 2.0);
    case Op::Tanh:
        return monotonicError(x[0], [](double v) { return std::tanh(v); });
    case Op::Erf:
        return monotonicError(x[0], [](double v) { return std::erf(v); });
    case Op::Where:
        return x[0].error != 0 ? kAnything : (x[0].value.asBool() ? x[1].error : x[2].error);
    case Op::TanhApprox:
        return monotonicError(x[0], [](double v) { return std::tanh(v); });
    case Op::RecipSqrt:
        return x[0].value.asDouble() <= x[0].error ? kAnything : monotonicError(x[0], [](double v) { return 1 / std::sqrt(v); });
    case Op::Arg1:
    case Op::Relu:
    case Op::Satur01:
        return x[0].error;
    case Op::Arg2:
        return x[1].error;
    case Op::ReluGate:
        return std::abs(x[0].value.asDouble()) > x[0].error ? x[1].error : kAnything;
    case Op::Satur01Gate: {
        const double gate = x[0].value.asDouble();
        return std::abs(gate) > x[0].error && std::abs(gate - 1) > x[0].error ? x[1].error : kAnything;
    }
    case Op::Mul3: {
        const Approximate product{Scalar::of(DType::F64, x[0].value.asDouble() * x[1].value.asDouble()),
                                  productError(x[0], x[1])};
        return productError(product, x[2]);
    }
    case Op::Mulacc:
    case Op::Fma:
        return productError(x[0], x[1]) + x[2].error;
    case Op::Idiv:
    case Op::Mod:
    case Op::FloorDiv:
    case Op::FloorMod:
    case Op::And:
    case Op::Or:
    case Op::Xor:
    case Op::Shl:
    case Op::Shr:
        return kAnything;
    }
    SW_UNREACHABLE();
}

// An infinity stays one when the other operand is a finite number on every device.
bool isFixedInfinity(Op op, const Scalar &result, std::span<const Approximate> x)
{
    if ((op != Op::Add && op != Op::Sub) || !std::isinf(result.asDouble()))
        return false;
    const auto isInfinity = [](const Approximate &v) { return std::isinf(v.value.asDouble()) && v.error == 0; };
    const auto isNumber = [](const Approximate &v) {
        return std::abs(v.value.asDouble()) + v.error < limitsOf(v.value.dtype()).largest;
    };
    return (isInfinity(x[0]) && isNumber(x[1])) || (isNumber(x[0]) && isInfinity(x[1]));
}

// The rounding of the product, which a fused multiply-add skips.
double fusionError(Op op, std::span<const Approximate> x, bool mayFuse)
{
    const double epsilon = limitsOf(x[0].value.dtype()).epsilon;
    if (op == Op::Mulacc)
        return epsilon * std::abs(x[0].value.asDouble() * x[1].value.asDouble());
    if (mayFuse && (op == Op::Add || op == Op::Sub))
        return epsilon * std::max(std::abs(x[0].value.asDouble()), std::abs(x[1].value.asDouble()));
    return 0;
}

} // namespace

FloatLimits limitsOf(DType dtype)
{
    if (dtype == DType::F8E5M2)
        return {0x1p-2, 57344, 0x1p-16};
    if (dtype == DType::F8E4M3)
        return {0x1p-3, 448, 0x1p-9};
    if (dtype == DType::F16)
        return {0x1p-10, 65504, 0x1p-24};
    if (dtype == DType::BF16)
        return {0x1p-7, 0x1.fep127, 0x1p-133};
    if (dtype == DType::F32)
        return {0x1p-23, 0x1.fffffep127, 0x1p-149};
    return {0x1p-52, std::numeric_limits<double>::max(), 0x1p-1074};
}

double rounded(const Scalar &result, double error)
{
    if (error == 0)
        return 0;
    if (!isFloat(result.dtype()) || std::isnan(error))
        return kAnything;
    const FloatLimits format = limitsOf(result.dtype());
    const double size = std::abs(result.asDouble());
    // A NaN or an infinity next to inexact values could be something else on a device.
    if (!std::isfinite(size) || size + error >= format.largest * (1 - format.epsilon))
        return kAnything;
    return error + format.epsilon * (size + error) + format.smallest;
}

double errorOf(Op op, const Scalar &result, std::span<const Approximate> operands, bool mayFuse)
{
    // If an operand can be anything, even a bounded function can give NaN; only `where` may leave an operand unread.
    if (op != Op::Where && std::ranges::any_of(operands, [](const Approximate &x) { return x.error == kAnything; }))
        return kAnything;
    if (isFloat(result.dtype()) && isFixedInfinity(op, result, operands))
        return 0;
    double error = isExact(operands) ? 0 : carriedError(op, operands);
    if (isFloat(result.dtype()) && std::isfinite(result.asDouble())) {
        error += fusionError(op, operands, mayFuse);
        if (has(infoOf(op).traits, Trait::Transcendental)) {
            const FloatLimits format = limitsOf(result.dtype());
            error += kTranscendentalUlps * (format.epsilon * std::abs(result.asDouble()) + format.smallest);
        }
    }
    // The result of a step or comparison is either exact or anything; rounding matters only for the others.
    return isFloat(result.dtype()) ? rounded(result, error) : (error == 0 ? 0 : kAnything);
}

double errorOfCast(const Scalar &result, const Approximate &operand)
{
    // An operation may give any NaN, and here its bits are visible.
    if (result.dtype() == DType::U32x4 || operand.value.dtype() == DType::U32x4)
        return operand.error == 0 && !operand.value.isNan() ? 0 : kAnything;
    if (operand.error == 0)
        return 0;
    if (isFloat(result.dtype()))
        return rounded(result, operand.error);
    if (result.dtype() == DType::Bool)
        return std::abs(operand.value.asDouble()) > operand.error ? 0 : kAnything;
    return steppedError(operand, [&result](double v) { return Scalar::of(result.dtype(), v).asDouble(); });
}

double errorOfBitcast(const Scalar &result, const Approximate &operand)
{
    // An operation may give any NaN. So the bits of a NaN as another float or as an integer are open too.
    const bool isOpen = operand.error != 0 || operand.value.isNan();
    return isOpen && result.dtype() != operand.value.dtype() ? kAnything : operand.error;
}

} // namespace sw
