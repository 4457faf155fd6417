// The larger and the smaller one of two values: IEEE 754-2019's, to the bit, in few instructions.

#include "tests/golden/program_fixture.h"

#include "engine/api/machine_analysis.h"
#include "engine/graph/interpreter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace sw::test {
namespace {

class Extremes : public ProgramTest {
protected:
    // The texts of the instructions of a program's only kernel, for another processor.
    std::string codeFor(const std::string &text, const std::string &target)
    {
        ProgramCompiler compiler(m_registry);
        CompileRequest request = requestOf(text, "llvm");
        request.until = CompileUntil::Code;
        const Compilation compilation = compiler.compile(request, {});
        EXPECT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
        std::string code;
        for (const MachineListing &listing : compiler.machineListings(compilation, {}, target)) {
            EXPECT_TRUE(*listing) << toText(listing->error());
            for (const MachineInstruction &one : (*listing)->instructions)
                code += one.text + "\n";
        }
        return code;
    }

    // The outputs are those of the interpreter: the same numbers and zeros, and NaN where those are NaN.
    void checkBits(const std::string &text, const std::vector<NamedTensor> &inputs)
    {
        ProgramCompiler compiler(m_registry);
        CompileRequest request = requestOf(text, "llvm");
        const auto got = run(compiler, request, inputs);
        ASSERT_TRUE(got) << toText(got.error());
        request.device = "interpreter";
        const auto wanted = run(compiler, request, inputs);
        ASSERT_TRUE(wanted) << toText(wanted.error());
        for (std::size_t output = 0; output < wanted->outputs.size(); ++output)
            for (std::int64_t i = 0; i < wanted->outputs[output].value.elements(); ++i) {
                const double want = wanted->outputs[output].value.at(i).asDouble();
                const double have = got->outputs[output].value.at(i).asDouble();
                ASSERT_TRUE((std::isnan(want) && std::isnan(have)) || (want == have && std::signbit(want) == std::signbit(have)))
                    << "output " << output << ", element " << i << ": " << have << " in place of " << want << "\n"
                    << text;
            }
    }
};

const std::vector<double> kSpecial{0.0,   -0.0,   1.0,    -1.0,    HUGE_VAL, -HUGE_VAL, std::nan(""), -std::nan(""),
                                   1e-42, -1e-42, 1e-310, -1e-310, 3e38,     -3e38,     6.0,          7.5};

HostTensor special(const char *dtype, Shape shape, std::int64_t step)
{
    HostTensor made(*dtypeNamed(dtype), std::move(shape));
    for (std::int64_t i = 0; i < made.elements(); ++i)
        made.set(i, Scalar::of(made.dtype(), kSpecial[static_cast<std::size_t>(i * step + i / 16) % kSpecial.size()]));
    return made;
}

TEST_F(Extremes, areOfASpecialValueAndAConstant)
{
    for (const char *dtype : {"f32", "f64", "f16"}) {
        for (const char *constant : {"0.0", "-0.0", "1.0", "-1.0", "6.0", "inf", "-inf", "nan"}) {
            SCOPED_TRACE(std::string(dtype) + " and " + constant);
            const std::string text = format("input x: {}[48]\noutput a = maximum(x, {})\noutput b = minimum(x, {})\n"
                                            "output c = maximum({}, x)\n",
                                            dtype, constant, constant, constant);
            checkBits(text, {{"x", special(dtype, {48}, 7)}});
        }
    }
}

TEST_F(Extremes, areOfTwoSpecialValues)
{
    for (const char *dtype : {"f32", "f64", "f16"})
        for (const std::int64_t step : {1, 3, 5, 9})
            checkBits(format("input x: {}[277]\ninput y: {}[277]\noutput maximum(x, y)\noutput minimum(x, y)\n"
                             "output maximum(maximum(x, y), -y)\noutput -maximum(-x, minimum(x, y))\n",
                             dtype, dtype),
                      {{"x", special(dtype, {277}, step)}, {"y", special(dtype, {277}, 7)}});
}

// A loop carries the largest value from round to round; rows without NaN, and those of zeros alone, show the rest.
TEST_F(Extremes, areOfRowsAndWindows)
{
    for (const char *dtype : {"f32", "f64"}) {
        HostTensor x = special(dtype, {12, 90}, 7);
        for (std::int64_t row = 0; row < 12; ++row)
            for (std::int64_t column = 0; column < 90; ++column)
                if (const double value = x.at(row * 90 + column).asDouble(); row % 3 != 0 && (std::isnan(value) || row % 3 == 1))
                    x.set(row * 90 + column, Scalar::of(x.dtype(), std::signbit(value) || row > 6 ? -0.0 : 0.0));
        for (const char *of : {"max(x, 1)", "min(x, 1)", "max(x, 0)", "min(x, 0)", "max(x)", "min(x[6:7])",
                               "max_pool2d(x.reshape([1, 1, 12, 90]), [3, 3], stride = [2, 2])", "max(exp(x), 1)"})
            checkBits(format("input x: {}[12, 90]\noutput {}\n", dtype, of), {{"x", x}});
    }
}

// What a loop carries may be the negation of itself. Compiling it ends.
TEST_F(Extremes, standBesideASignThatChangesInEachRound)
{
    CompileRequest request = requestFor("signs.lowered", "llvm");
    request.program.isText = true;
    request.program.text = R"(stepwell lowered 1
device "llvm"
buffers
  %0 = placeholder {name = "x", role = input} : f32[8]
  %1 = buffer : f32[8]
  sink %1 {names = ["y"]}
end

kernel "k0" symbol "k0" id 0 global [1, 1, 1] local [1, 1, 1] arguments [1, 0]
  %y = define_global f32[8] argument 0 written
  %x = define_global f32[8] argument 1
  %n = const i64 8
  %two = const f32 2.0
  %sign = acc f32
  assign f32 %sign, %two
  %i = range %n
    %v = load f32 %x[%i]
    %changed = neg f32 %sign
    assign f32 %sign, %changed
    %larger = max f32 %v, %changed
    store f32 %y[%i], %larger
  end_range %i
end
)";
    ProgramCompiler compiler(m_registry);
    HostTensor x(DType::F32, Shape({8}));
    for (std::int64_t i = 0; i < 8; ++i)
        x.set(i, Scalar::of(DType::F32, static_cast<double>(i) - 4));
    const auto result = run(compiler, request, {{"x", x}});
    ASSERT_TRUE(result) << toText(result.error());
    const std::vector<double> expected{-2, 2, -2, 2, 0, 2, 2, 3};
    for (std::int64_t i = 0; i < 8; ++i)
        EXPECT_EQ(result->outputs[0].value.at(i).asDouble(), expected[static_cast<std::size_t>(i)]) << i;
}

// Two vminps and the bits of both; for the larger one, three more that negate.
TEST_F(Extremes, ofTwoValuesNeedNoChoice)
{
    for (const char *function : {"maximum", "minimum"}) {
        const std::string code =
            codeFor(format("input x: f32[4096]\ninput y: f32[4096]\noutput {}(x, y)\n", function), "x86-64-v3");
        EXPECT_NE(code.find("vminps"), std::string::npos) << code;
        EXPECT_EQ(code.find("blend"), std::string::npos) << code;
        EXPECT_EQ(code.find("cmpunord"), std::string::npos) << code;
    }
    // What a loop carries is not negated in it: an exclusive or for what is loaded.
    const std::string code = codeFor("input x: f32[64, 4096]\noutput max(x, 1)\n", "x86-64-v3");
    const auto count = [&](std::string_view word) {
        std::size_t found = 0;
        for (std::size_t at = code.find(word); at != std::string::npos; at = code.find(word, at + 1))
            ++found;
        return found;
    };
    EXPECT_GE(count("vminps ymm"), 8U) << code;
    EXPECT_LE(2 * count("vxorps ymm"), count("vminps ymm") + 8) << code;
}

// No comparison and no choice beside the instruction: with 0, an addition. (With SSE2, and with AVX2 for a kernel whose vectors
// are wider, LLVM makes an and of a comparison with 0 before it divides the vectors.)
TEST_F(Extremes, ofAConstantAreOneInstructionOrTwo)
{
    const auto device = m_registry.device("llvm");
    ASSERT_TRUE(device) << toText(device.error());
    for (const auto &[target, vectorBytes] : {std::pair("x86-64-v3", 32U), std::pair("x86-64-v4", 64U)}) {
        if (device->device.vectorBytes > vectorBytes)
            continue;
        for (const char *expression : {"maximum(x, 0.0)", "maximum(x, -1.0)", "minimum(x, 6.0)"}) {
            const std::string code = codeFor(format("input x: f32[4096]\noutput {}\n", expression), target);
            EXPECT_NE(code.find(std::string(expression).starts_with("max") ? "maxps" : "minps"), std::string::npos) << code;
            for (const char *other : {"cmpunord", "cmpord", "blend", "andps", "pternlog"})
                EXPECT_EQ(code.find(other), std::string::npos) << target << ", " << expression << ": " << code;
        }
    }
}

} // namespace
} // namespace sw::test
