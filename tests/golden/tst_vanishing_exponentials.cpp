// Exponentials that are 0, as those of what a mask hides: they are 0 without an underflow, which some processors take long for.

#include "tests/golden/program_fixture.h"
#include "tests/support/one_kernel.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <limits>

namespace sw::test {
namespace {

constexpr std::int64_t kCount = 64;

class VanishingExponentials : public ProgramTest {
protected:
    // The results for that one number, and whether any operation underflowed.
    struct Outcome {
        HostTensor values;
        bool hasUnderflow = false;
    };
    Outcome of(std::string_view function, DType dtype, double x)
    {
        CompileRequest request =
            requestOf(format("input x: {}[{}]\noutput y = {}(x)\n", nameOf(dtype), kCount, function), "llvm");
        ProgramCompiler compiler(m_registry);
        const Compilation made = compiler.compile(request, {});
        EXPECT_TRUE(made.succeeded) << toText(made.diagnostics);
        HostTensor values(dtype, {kCount});
        for (std::int64_t i = 0; i < kCount; ++i)
            values.set(i, Scalar::of(dtype, x));
        std::feclearexcept(FE_ALL_EXCEPT);
        const auto outputs = runLowered(*made.lowered, {values}); // in this thread, whose flags are asked
        const bool hasUnderflow = std::fetestexcept(FE_UNDERFLOW) != 0;
        EXPECT_TRUE(outputs) << toText(outputs.error());
        return {outputs ? outputs->front() : values, hasUnderflow};
    }
};

TEST_F(VanishingExponentials, areZeroWithoutAnUnderflow)
{
    if (const std::string why = whyUnavailable("llvm"); !why.empty())
        GTEST_SKIP() << why;
    for (const std::string_view function : {"exp", "exp2"})
        for (const DType dtype : {DType::F32, DType::F64}) {
            for (const double x :
                 {-std::numeric_limits<double>::infinity(), -1e30, -1e9, -1e4, dtype == DType::F32 ? -255.0 : -2047.0}) {
                SCOPED_TRACE(format("{} of {} as {}", function, x, nameOf(dtype)));
                const Outcome outcome = of(function, dtype, x);
                for (std::int64_t i = 0; i < kCount; ++i) {
                    ASSERT_EQ(outcome.values.at(i).asDouble(), 0.0);
                    ASSERT_FALSE(std::signbit(outcome.values.at(i).asDouble()));
                }
                EXPECT_FALSE(outcome.hasUnderflow);
            }
            // Where the result is subnormal, it does underflow: the test can see it.
            const double least = dtype == DType::F32 ? -140.3 : -1060.3; // of exp2
            EXPECT_TRUE(of(function, dtype, function == "exp2" ? least : least * std::log(2.0)).hasUnderflow) << nameOf(dtype);
        }
}

} // namespace
} // namespace sw::test
