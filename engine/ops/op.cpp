#include "engine/ops/op.h"

#include "engine/ops/op_eval.h"

#include <array>

namespace sw {

namespace {

constexpr std::array kInfos = {
#define SW_OP(name, ...) OpInfo{__VA_ARGS__},
#include "engine/ops/ops.def"
#undef SW_OP
};

constexpr std::array kAll = {
#define SW_OP(name, ...) Op::name,
#include "engine/ops/ops.def"
#undef SW_OP
};

constexpr bool everyRowIsComplete()
{
    for (const OpInfo &info : kInfos) {
        if (info.name.empty() || info.doc.empty() || info.evaluate == nullptr)
            return false;
        if (info.arity < 1 || info.arity > 3 || info.accepts == Accepts::None)
            return false;
        if (has(info.traits, Trait::ReduceOp) && (info.identity == OpIdentity::None || !has(info.traits, Trait::Associative)))
            return false;
    }
    return true;
}
static_assert(everyRowIsComplete(), "a row of ops.def lacks a name, documentation, evaluation, operands or an identity");

constexpr bool namesAreUnique()
{
    for (std::size_t i = 0; i < kInfos.size(); ++i)
        for (std::size_t j = i + 1; j < kInfos.size(); ++j)
            if (kInfos[i].name == kInfos[j].name)
                return false;
    return true;
}
static_assert(namesAreUnique(), "two rows of ops.def have the same name");

const Spelling &spellingTable(Op op, TargetLanguage language)
{
    switch (language) {
    case TargetLanguage::C:
        return infoOf(op).c;
    case TargetLanguage::OpenCl:
        return infoOf(op).opencl;
    case TargetLanguage::Llvm:
        return infoOf(op).llvm;
    case TargetLanguage::Lowered:
        break;
    }
    SW_UNREACHABLE();
}

std::string_view ofFamily(const Spelling &spelling, DTypeFamily family)
{
    switch (family) {
    case DTypeFamily::Bool:
        return spelling.boolean;
    case DTypeFamily::Signed:
        return spelling.sint;
    case DTypeFamily::Unsigned:
        return spelling.uint;
    case DTypeFamily::Float:
        return spelling.flt;
    case DTypeFamily::None:
    case DTypeFamily::Words: // no kernel has these: a graph pass takes them apart
        return {};
    }
    SW_UNREACHABLE();
}

Accepts acceptanceOf(DTypeFamily family)
{
    switch (family) {
    case DTypeFamily::None:
        return Accepts::None;
    case DTypeFamily::Bool:
        return Accepts::Bool;
    case DTypeFamily::Unsigned:
    case DTypeFamily::Signed:
        return Accepts::Integer;
    case DTypeFamily::Float:
        return Accepts::Float;
    case DTypeFamily::Words:
        return Accepts::Words;
    }
    SW_UNREACHABLE();
}

} // namespace

const OpInfo &infoOf(Op op)
{
    return kInfos.at(static_cast<std::size_t>(op));
}

std::span<const Op> allOps()
{
    return kAll;
}

std::optional<Op> opNamed(std::string_view name)
{
    for (const Op op : kAll)
        if (infoOf(op).name == name)
            return op;
    return std::nullopt;
}

bool roundsEachStep(Op op, DType dtype)
{
    return isFloat(dtype) && !has(infoOf(op).traits, Trait::Idempotent);
}

bool accepts(Op op, DType operandType)
{
    const auto families = static_cast<std::uint8_t>(infoOf(op).accepts);
    return (families & static_cast<std::uint8_t>(acceptanceOf(infoOf(operandType).family))) != 0;
}

std::size_t firstTypedOperand(Op op)
{
    return op == Op::Where ? 1 : 0;
}

DType resultType(Op op, DType operandType)
{
    switch (infoOf(op).result) {
    case OpResult::SameAsInputs:
        return operandType;
    case OpResult::Bool:
        return DType::Bool;
    }
    SW_UNREACHABLE();
}

namespace {

std::optional<Scalar> valueOf(OpIdentity identity, DType dtype)
{
    switch (identity) {
    case OpIdentity::Zero:
        return Scalar::of(dtype, std::int64_t{0});
    case OpIdentity::One:
        return Scalar::of(dtype, std::int64_t{1});
    case OpIdentity::Half:
        return isFloat(dtype) ? std::optional(Scalar::of(dtype, 0.5)) : std::nullopt;
    case OpIdentity::IntegerOne:
        return isInteger(dtype) ? std::optional(Scalar::of(dtype, std::int64_t{1})) : std::nullopt;
    case OpIdentity::Lowest:
        return lowestOf(dtype);
    case OpIdentity::Highest:
        return highestOf(dtype);
    case OpIdentity::AllOnes:
        return Scalar::fromBits(dtype, ~std::uint64_t{0});
    case OpIdentity::None:
        return std::nullopt;
    }
    SW_UNREACHABLE();
}

} // namespace

Scalar identityOf(Op op, DType dtype)
{
    const std::optional<Scalar> identity = valueOf(infoOf(op).identity, dtype);
    SW_ASSERT(identity.has_value(), "an operation with an identity");
    return *identity;
}

std::optional<Scalar> neutralOf(Op op, Side side, DType operandType)
{
    const OpInfo &info = infoOf(op);
    if (!accepts(op, operandType) || operandType == DType::U32x4)
        return std::nullopt;
    if (info.identity == OpIdentity::None)
        return valueOf(side == Side::Left ? info.leftNeutral : info.rightNeutral, operandType);
    if (info.identity == OpIdentity::Zero && isFloat(operandType))
        return Scalar::of(operandType, -0.0);
    return identityOf(op, operandType);
}

Scalar evaluate(Op op, DType operandType, std::span<const Scalar> operands)
{
    SW_ASSERT(operands.size() == arityOf(op), "as many operands as the operation takes");
    return infoOf(op).evaluate(operandType, operands);
}

std::string_view spellingOf(Op op, TargetLanguage language, DType operandType)
{
    if (language == TargetLanguage::Lowered)
        return nameOf(op);
    const Spelling &spelling = spellingTable(op, language);
    const std::string_view own = ofFamily(spelling, infoOf(operandType).family);
    return own.empty() ? spelling.any : own;
}

std::string_view plainDivisorSpellingOf(Op op, TargetLanguage language, DType operandType)
{
    if (language == TargetLanguage::Lowered)
        return {};
    const Spelling &spelling = spellingTable(op, language);
    if (isSigned(operandType))
        return spelling.plainDivisorSint;
    return isUnsigned(operandType) ? spelling.plainDivisorUint : std::string_view();
}

std::string_view nameOf(TargetLanguage language)
{
    switch (language) {
    case TargetLanguage::C:
        return "c";
    case TargetLanguage::OpenCl:
        return "opencl";
    case TargetLanguage::Llvm:
        return "llvm";
    case TargetLanguage::Lowered:
        return "lowered";
    }
    SW_UNREACHABLE();
}

} // namespace sw
