#pragma once
// The elementwise operations. ops.def is the only table; the parser, printer, builder checks, constant folder, simplifier, reduce
// identities, interpreters, renderers, operation reference and test generators all read it.
//
// Semantics are ours and the same on every device:
//   integers      wrap; x / 0 and x mod 0 are 0; INT_MIN / -1 is INT_MIN with remainder 0
//   shifts        by width or more (or a negative amount) give 0; an arithmetic right shift of a negative gives -1
//   max, min      NaN if either operand is NaN; max(-0, +0) is +0, min(-0, +0) is -0 (IEEE 754-2019 maximum, minimum)
//   mod           has the sign of the dividend (C); floor_mod that of the divisor (Python)
//   comparisons   give bool, operands compared in their common type; with NaN only cmpne is true
//   f8, f16, bf16 each operation is done in f32 and rounded to nearest even
//   log2, exp2    exact for exact powers of two; the transcendentals are within 2 ULP of the f64 result for f32

#include "engine/types/scalar.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace sw {

enum class Op : std::uint8_t {
#define SW_OP(name, ...) name,
#include "engine/ops/ops.def"
#undef SW_OP
};

// The type of an operation's result: the type of its inputs (for where, of the two choices), or bool.
enum class OpResult : std::uint8_t { SameAsInputs, Bool };

enum class OpIdentity : std::uint8_t { None, Zero, One, Half, IntegerOne, Lowest, Highest, AllOnes };
// Selects one of two operands.
enum class Side : std::uint8_t { Left, Right };

// Families of element types that an operation can accept.
enum class Accepts : std::uint8_t {
    None = 0,
    Bool = 1,
    Integer = 2,
    Float = 4,
    Words = 8, // u32x4
    BoolInteger = 3,
    Number = 6,
    Any = 7,
    Anything = 15
};

enum class Trait : std::uint8_t {
    None = 0,
    Commutative = 1,
    Associative = 2, // for floats: up to rounding
    Idempotent = 4,
    ReduceOp = 8,         // may reduce an axis; needs an identity
    Transcendental = 16,  // results may differ from the f64 value by up to 2 ULP
    FloatOnlyResult = 32, // integer operands are converted to f32 by the front ends
    // Of floats: the exact result, rounded once to the type. The result in f32 of f16 and bf16, rounded again, is then the same:
    // f32 has at least 2 p + 2 digits for their p (Figueroa, "When is double rounding innocuous?", 1995).
    RoundedOnce = 64,
};
[[nodiscard]] constexpr Trait operator|(Trait a, Trait b)
{
    return static_cast<Trait>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}
[[nodiscard]] constexpr bool has(Trait set, Trait trait)
{
    return (static_cast<std::uint8_t>(set) & static_cast<std::uint8_t>(trait)) != 0;
}

// How a target language writes the operation, by family of the operands; "any" covers the families that are left empty. In the
// text, {0} {1} {2} are operands, {T} is the language's type of the operands with its lanes, {t} is the short name of that type
// (f32, i32x8). If all are empty, the target lacks the operation and the decomposition pass must rewrite it. If the second
// operand is a known constant other than 0 and -1, "plainDivisor" is used instead.
struct Spelling {
    std::string_view any = {};
    std::string_view boolean = {};
    std::string_view sint = {};
    std::string_view uint = {};
    std::string_view flt = {};
    std::string_view plainDivisorSint = {};
    std::string_view plainDivisorUint = {};
};

// Lowered: the lowered text itself, which the interpreter runs; it supports every operation.
enum class TargetLanguage : std::uint8_t { C, OpenCl, Llvm, Lowered };

[[nodiscard]] std::string_view nameOf(TargetLanguage language); // "c", "opencl", "llvm", "lowered"
// The languages that device compilers read.
inline constexpr TargetLanguage kSourceLanguages[] = {TargetLanguage::C, TargetLanguage::OpenCl, TargetLanguage::Llvm};

using EvaluateOp = Scalar (*)(DType operandType, std::span<const Scalar> operands);

struct OpInfo {
    std::string_view name = {}; // in all text forms and in the program language
    std::uint8_t arity = 0;
    OpResult result = OpResult::SameAsInputs;
    Accepts accepts = Accepts::None;
    Trait traits = Trait::None;
    OpIdentity identity = OpIdentity::None;     // on both sides
    OpIdentity leftNeutral = OpIdentity::None;  // if none works on both sides
    OpIdentity rightNeutral = OpIdentity::None; // likewise
    std::string_view symbol = {};               // infix or prefix in the program language; may be empty
    Spelling c = {};
    Spelling opencl = {};
    Spelling llvm = {};
    EvaluateOp evaluate = nullptr;
    std::string_view doc = {};
    // The cost of one operation, in cheap vector instructions, such as an addition or a fused multiply-add. Divisions and roots
    // have no fully pipelined instruction; for transcendentals it counts the instructions of our own decompositions: some 20, for
    // pow 110.
    std::uint8_t price = 1;
};

// Cheap vector instructions that a core begins in one cycle, wherever cycles are estimated.
inline constexpr double kInstructionsPerCycle = 2;

[[nodiscard]] const OpInfo &infoOf(Op op);
[[nodiscard]] std::span<const Op> allOps();
[[nodiscard]] std::optional<Op> opNamed(std::string_view name);
[[nodiscard]] inline std::string_view nameOf(Op op)
{
    return infoOf(op).name;
}
[[nodiscard]] inline std::size_t arityOf(Op op)
{
    return infoOf(op).arity;
}

[[nodiscard]] bool accepts(Op op, DType operandType);

// The index of the operand that decides the operation's type: 0, but 1 for where, whose operand 0 is the bool condition.
[[nodiscard]] std::size_t firstTypedOperand(Op op);
// operandType: the common type of the operands (for where, of the choices).
[[nodiscard]] DType resultType(Op op, DType operandType);

// Whether the order matters when the operation combines many values: every step of a float sum rounds.
[[nodiscard]] bool roundsEachStep(Op op, DType dtype);

// The start value of a reduction: e with op(e, x) == x for all x, except for the sign of zero. Asserts that there is one.
[[nodiscard]] Scalar identityOf(Op op, DType dtype);
// e with op(e, x) == x (Left) or op(x, e) == x (Right) for every x of the operands' type, bit for bit: for float sums it is -0.
// Returns nothing if there is no such value.
[[nodiscard]] std::optional<Scalar> neutralOf(Op op, Side side, DType operandType);

// Whether all operands have one type: true for all operations but where, whose condition is a bool.
[[nodiscard]] inline bool isHomogeneous(Op op)
{
    return firstTypedOperand(op) == 0;
}

// Evaluates by the rules above. The operands have the operation's operand type (for where, operand 0 is bool).
[[nodiscard]] Scalar evaluate(Op op, DType operandType, std::span<const Scalar> operands);

// The spelling for a language and operand type; empty if the language has none. Lowered spells every operation by its name.
[[nodiscard]] std::string_view spellingOf(Op op, TargetLanguage language, DType operandType);
[[nodiscard]] std::string_view plainDivisorSpellingOf(Op op, TargetLanguage language, DType operandType);

} // namespace sw
