// The larger and the smaller one of a value and a constant: IEEE 754-2019's, to the bit, in few instructions.

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
};

TEST_F(Extremes, areOfASpecialValueAndAConstant)
{
    const double infinite = std::numeric_limits<double>::infinity();
    const std::vector<double> values{0.0,   -0.0,   1.0,    -1.0,    infinite, -infinite, std::nan(""), -std::nan(""),
                                     1e-42, -1e-42, 1e-310, -1e-310, 3e38,     -3e38,     6.0,          7.5};
    for (const char *dtype : {"f32", "f64", "f16"}) {
        for (const char *constant : {"0.0", "-0.0", "1.0", "-1.0", "6.0", "inf", "-inf", "nan"}) {
            SCOPED_TRACE(std::string(dtype) + " and " + constant);
            const std::string text = format("input x: {}[48]\noutput a = maximum(x, {})\noutput b = minimum(x, {})\n"
                                            "output c = maximum({}, x)\n",
                                            dtype, constant, constant, constant);
            ProgramCompiler compiler(m_registry);
            CompileRequest request = requestOf(text, "llvm");
            HostTensor x(*dtypeNamed(dtype), Shape({48}));
            for (std::int64_t i = 0; i < 48; ++i)
                x.set(i, Scalar::of(x.dtype(), values[static_cast<std::size_t>(i * 7 + i / 16) % values.size()]));
            const auto got = run(compiler, request, {{"x", x}});
            ASSERT_TRUE(got) << toText(got.error());
            request.device = "interpreter";
            const auto wanted = run(compiler, request, {{"x", x}});
            ASSERT_TRUE(wanted) << toText(wanted.error());
            for (std::size_t output = 0; output < 3; ++output)
                for (std::int64_t i = 0; i < 48; ++i) {
                    const double want = wanted->outputs[output].value.at(i).asDouble();
                    const double have = got->outputs[output].value.at(i).asDouble();
                    ASSERT_TRUE((std::isnan(want) && std::isnan(have)) ||
                                (want == have && std::signbit(want) == std::signbit(have)))
                        << "output " << output << " of " << x.at(i).asDouble() << ": " << have << " in place of " << want;
                }
        }
    }
}

// No comparison and no choice beside the instruction: with 0, an addition. (With SSE2, LLVM makes an and of a comparison with 0.)
TEST_F(Extremes, ofAConstantAreOneInstructionOrTwo)
{
    for (const char *target : {"x86-64-v3", "x86-64-v4"}) {
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
