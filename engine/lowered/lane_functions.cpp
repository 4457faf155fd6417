#include "engine/lowered/lane_functions.h"

#include "engine/base/assert.h"
#include "engine/ops/op_eval.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

namespace sw {

namespace {

template <class T>
T *lanesAt(std::byte *frame, std::uint32_t place)
{
    return reinterpret_cast<T *>(frame + place);
}

template <class T, auto Function>
void unary(const LaneStep &step, std::byte *frame)
{
    auto *const result = lanesAt<T>(frame, step.result);
    const auto *const a = lanesAt<T>(frame, step.operands[0]);
    for (std::uint32_t lane = 0; lane < step.lanes; ++lane)
        result[lane] = static_cast<T>(Function(a[lane]));
}

template <class T, auto Function>
void binary(const LaneStep &step, std::byte *frame)
{
    auto *const result = lanesAt<T>(frame, step.result);
    const auto *const a = lanesAt<T>(frame, step.operands[0]);
    const auto *const b = lanesAt<T>(frame, step.operands[1]);
    for (std::uint32_t lane = 0; lane < step.lanes; ++lane)
        result[lane] = Function(a[lane], b[lane]);
}

template <class T, auto Function>
void compare(const LaneStep &step, std::byte *frame)
{
    auto *const result = lanesAt<bool>(frame, step.result);
    const auto *const a = lanesAt<T>(frame, step.operands[0]);
    const auto *const b = lanesAt<T>(frame, step.operands[1]);
    for (std::uint32_t lane = 0; lane < step.lanes; ++lane)
        result[lane] = Function(a[lane], b[lane]);
}

template <class T, auto Function>
void ternary(const LaneStep &step, std::byte *frame)
{
    auto *const result = lanesAt<T>(frame, step.result);
    const auto *const a = lanesAt<T>(frame, step.operands[0]);
    const auto *const b = lanesAt<T>(frame, step.operands[1]);
    const auto *const c = lanesAt<T>(frame, step.operands[2]);
    for (std::uint32_t lane = 0; lane < step.lanes; ++lane)
        result[lane] = Function(a[lane], b[lane], c[lane]);
}

template <class T>
void select(const LaneStep &step, std::byte *frame)
{
    auto *const result = lanesAt<T>(frame, step.result);
    const auto *const condition = lanesAt<bool>(frame, step.operands[0]);
    const auto *const a = lanesAt<T>(frame, step.operands[1]);
    const auto *const b = lanesAt<T>(frame, step.operands[2]);
    for (std::uint32_t lane = 0; lane < step.lanes; ++lane)
        result[lane] = condition[lane] ? a[lane] : b[lane];
}

template <class T>
T multiplyThenAdd(T a, T b, T c)
{
    return eval::add(eval::multiply(a, b), c);
}

template <class T>
T bitwiseAnd(T a, T b)
{
    return static_cast<T>(a & b);
}

template <class T>
T bitwiseOr(T a, T b)
{
    return static_cast<T>(a | b);
}

template <class T>
T bitwiseXor(T a, T b)
{
    return static_cast<T>(a ^ b);
}

template <class T>
bool isLess(T a, T b)
{
    return a < b;
}

template <class T>
bool isLessOrEqual(T a, T b)
{
    return a <= b;
}

template <class T>
bool isEqual(T a, T b)
{
    return a == b;
}

template <class T>
bool isDifferent(T a, T b)
{
    return a != b;
}

struct Row {
    Op op;
    LaneFunction function;
};

template <class T>
constexpr std::array kComparisons = {
    Row{Op::Cmplt, &compare<T, &isLess<T>>},
    Row{Op::Cmple, &compare<T, &isLessOrEqual<T>>},
    Row{Op::Cmpeq, &compare<T, &isEqual<T>>},
    Row{Op::Cmpne, &compare<T, &isDifferent<T>>},
};

template <class T>
constexpr std::array kArithmetic = {
    Row{Op::Add, &binary<T, &eval::add<T>>},           Row{Op::Sub, &binary<T, &eval::subtract<T>>},
    Row{Op::Mul, &binary<T, &eval::multiply<T>>},      Row{Op::Div, &binary<T, &eval::divide<T>>},
    Row{Op::Max, &binary<T, &eval::maximum<T>>},       Row{Op::Min, &binary<T, &eval::minimum<T>>},
    Row{Op::Neg, &unary<T, &eval::negate<T>>},         Row{Op::Abs, &unary<T, &eval::magnitude<T>>},
    Row{Op::Mulacc, &ternary<T, &multiplyThenAdd<T>>},
};

template <class T>
constexpr std::array kIntegers = {
    Row{Op::Idiv, &binary<T, &eval::divide<T>>},
    Row{Op::Mod, &binary<T, &eval::truncatedRemainder<T>>},
    Row{Op::FloorDiv, &binary<T, &eval::floorQuotient<T>>},
    Row{Op::FloorMod, &binary<T, &eval::floorRemainder<T>>},
    Row{Op::And, &binary<T, &bitwiseAnd<T>>},
    Row{Op::Or, &binary<T, &bitwiseOr<T>>},
    Row{Op::Xor, &binary<T, &bitwiseXor<T>>},
    Row{Op::Shl, &binary<T, &eval::shiftLeft<T>>},
    Row{Op::Shr, &binary<T, &eval::shiftRight<T>>},
};

template <class T>
constexpr std::array kFloats = {
    Row{Op::Fdiv, &binary<T, &eval::divide<T>>},
    Row{Op::Fma, &ternary<T, &eval::fusedMultiplyAdd<T>>},
    Row{Op::Floor, &unary<T, [](double a) { return std::floor(a); }>},
    Row{Op::Ceil, &unary<T, [](double a) { return std::ceil(a); }>},
    Row{Op::Round, &unary<T, [](double a) { return std::nearbyint(a); }>},
    Row{Op::Trunc, &unary<T, [](double a) { return std::trunc(a); }>},
    Row{Op::Sqrt, &unary<T, [](T a) { return std::sqrt(a); }>},
    Row{Op::Recip, &unary<T, [](T a) { return 1 / a; }>},
    Row{Op::Exp, &unary<T, [](double a) { return std::exp(a); }>},
    Row{Op::Exp2, &unary<T, [](double a) { return std::exp2(a); }>},
    Row{Op::Log, &unary<T, [](double a) { return std::log(a); }>},
    Row{Op::Log2, &unary<T, [](double a) { return std::log2(a); }>},
    Row{Op::Sin, &unary<T, [](double a) { return std::sin(a); }>},
    Row{Op::Cos, &unary<T, [](double a) { return std::cos(a); }>},
    Row{Op::Tanh, &unary<T, [](double a) { return std::tanh(a); }>},
    Row{Op::Erf, &unary<T, [](double a) { return std::erf(a); }>},
};

constexpr std::array kBooleans = {
    Row{Op::Add, &binary<bool, &eval::add<bool>>},   Row{Op::Mul, &binary<bool, &eval::multiply<bool>>},
    Row{Op::And, &binary<bool, &bitwiseAnd<bool>>},  Row{Op::Or, &binary<bool, &bitwiseOr<bool>>},
    Row{Op::Xor, &binary<bool, &bitwiseXor<bool>>},  Row{Op::Neg, &unary<bool, &eval::negate<bool>>},
    Row{Op::Not, &unary<bool, &eval::negate<bool>>},
};

LaneFunction inRows(std::span<const Row> rows, Op op)
{
    for (const Row &row : rows)
        if (row.op == op)
            return row.function;
    return nullptr;
}

LaneFunction firstOf(std::initializer_list<std::span<const Row>> tables, Op op)
{
    for (const auto rows : tables)
        if (const LaneFunction function = inRows(rows, op))
            return function;
    return &evaluateLanes;
}

template <class T>
LaneFunction integerFunction(Op op)
{
    return firstOf({kArithmetic<T>, kIntegers<T>, kComparisons<T>}, op);
}

template <class T>
LaneFunction floatFunction(Op op)
{
    return firstOf({kArithmetic<T>, kFloats<T>, kComparisons<T>}, op);
}

LaneFunction selectFunction(std::uint32_t bytes)
{
    switch (bytes) {
    case 1:
        return &select<std::uint8_t>;
    case 2:
        return &select<std::uint16_t>;
    case 4:
        return &select<std::uint32_t>;
    default:
        return &select<std::uint64_t>;
    }
}

// Conversions that C++ does the same way; floats to integers saturate and go through the table.
template <class From, class To>
void convert(const LaneStep &step, std::byte *frame)
{
    auto *const result = lanesAt<To>(frame, step.result);
    const auto *const a = lanesAt<From>(frame, step.operands[0]);
    for (std::uint32_t lane = 0; lane < step.lanes; ++lane) {
        if constexpr (std::same_as<To, bool>)
            result[lane] = a[lane] != From(0);
        else
            result[lane] = static_cast<To>(a[lane]);
    }
}

template <class From>
LaneFunction castFrom(DType to)
{
    switch (to) {
    case DType::F32:
        return &convert<From, float>;
    case DType::F64:
        return &convert<From, double>;
    case DType::Bool:
        return &convert<From, bool>;
    case DType::I64:
        return std::floating_point<From> ? &convertLanes : &convert<From, std::int64_t>;
    case DType::I32:
        return std::floating_point<From> ? &convertLanes : &convert<From, std::int32_t>;
    case DType::U32:
        return std::floating_point<From> ? &convertLanes : &convert<From, std::uint32_t>;
    case DType::U8:
    case DType::I8:
    case DType::U16:
    case DType::I16:
    case DType::U64:
    case DType::F8E5M2:
    case DType::F8E4M3:
    case DType::F16:
    case DType::BF16:
        return &convertLanes;
    case DType::Unit:
    case DType::U32x4:
        break;
    }
    SW_UNREACHABLE();
}

void copyLanes(const LaneStep &step, std::byte *frame)
{
    std::memcpy(frame + step.result, frame + step.operands[0], std::size_t{step.lanes} * bytesOf(step.dtype));
}

template <class T>
void broadcast(const LaneStep &step, std::byte *frame)
{
    std::fill_n(lanesAt<T>(frame, step.result), step.lanes, *lanesAt<T>(frame, step.operands[0]));
}

void bitsToBool(const LaneStep &step, std::byte *frame)
{
    const auto *const bits = lanesAt<std::uint8_t>(frame, step.operands[0]);
    for (std::uint32_t lane = 0; lane < step.lanes; ++lane)
        *lanesAt<bool>(frame, step.result + lane) = bits[lane] != 0;
}

} // namespace

LaneFunction aluFunction(Op op, DType operandType)
{
    if (op == Op::Where)
        return selectFunction(bytesOf(operandType));
    switch (operandType) {
    case DType::Bool:
        return firstOf({kBooleans, kComparisons<bool>}, op);
    case DType::U8:
        return integerFunction<std::uint8_t>(op);
    case DType::I32:
        return integerFunction<std::int32_t>(op);
    case DType::U32:
        return integerFunction<std::uint32_t>(op);
    case DType::I64:
        return integerFunction<std::int64_t>(op);
    case DType::U64:
        return integerFunction<std::uint64_t>(op);
    case DType::F32:
        return floatFunction<float>(op);
    case DType::F64:
        return floatFunction<double>(op);
    case DType::I8:
    case DType::U16:
    case DType::I16:
    case DType::F8E5M2:
    case DType::F8E4M3:
    case DType::F16:
    case DType::BF16:
        return &evaluateLanes;
    case DType::Unit:
    case DType::U32x4:
        break;
    }
    SW_UNREACHABLE();
}

LaneFunction castFunction(DType from, DType to)
{
    switch (from) {
    case DType::Bool:
        return castFrom<bool>(to);
    case DType::I32:
        return castFrom<std::int32_t>(to);
    case DType::U32:
        return castFrom<std::uint32_t>(to);
    case DType::I64:
        return castFrom<std::int64_t>(to);
    case DType::F32:
        return castFrom<float>(to);
    case DType::F64:
        return castFrom<double>(to);
    case DType::U8:
        return castFrom<std::uint8_t>(to);
    case DType::I8:
    case DType::U16:
    case DType::I16:
    case DType::U64:
    case DType::F8E5M2:
    case DType::F8E4M3:
    case DType::F16:
    case DType::BF16:
        return &convertLanes;
    case DType::Unit:
    case DType::U32x4:
        break;
    }
    SW_UNREACHABLE();
}

LaneFunction bitcastFunction(DType to)
{
    return to == DType::Bool ? &bitsToBool : &copyLanes;
}

LaneFunction copyFunction()
{
    return &copyLanes;
}

LaneFunction broadcastFunction(DType dtype)
{
    const std::uint32_t bytes = bytesOf(dtype);
    if (bytes == 1)
        return &broadcast<std::uint8_t>;
    if (bytes == 2)
        return &broadcast<std::uint16_t>;
    return bytes == 4 ? &broadcast<std::uint32_t> : &broadcast<std::uint64_t>;
}

void evaluateLanes(const LaneStep &step, std::byte *frame)
{
    const std::size_t arity = arityOf(step.op);
    const std::size_t first = firstTypedOperand(step.op);
    std::array<Scalar, 3> operands;
    for (std::uint32_t lane = 0; lane < step.lanes; ++lane) {
        for (std::size_t i = 0; i < arity; ++i) {
            const DType type = i < first ? DType::Bool : step.operandType;
            operands[i] = Scalar::load(type, frame + step.operands[i] + std::size_t{lane} * bytesOf(type));
        }
        evaluate(step.op, step.operandType, std::span(operands).first(arity))
            .store(frame + step.result + std::size_t{lane} * bytesOf(step.dtype));
    }
}

void convertLanes(const LaneStep &step, std::byte *frame)
{
    for (std::uint32_t lane = 0; lane < step.lanes; ++lane)
        Scalar::load(step.operandType, frame + step.operands[0] + std::size_t{lane} * bytesOf(step.operandType))
            .castTo(step.dtype)
            .store(frame + step.result + std::size_t{lane} * bytesOf(step.dtype));
}

} // namespace sw
