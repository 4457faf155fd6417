// The register tile of a product that a tensor instruction computes, one row at a time.

#include "engine/ops/tensor_instructions.h"
#include "tests/unit/loops/loops_of_text.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

std::string loopsOfProduct(std::string_view a, TensorInstruction instruction)
{
    return test::allLoopsOfText(format("input a: {}[1024, 1024]\ninput b: i8[1024, 1024]\noutput a.cast(i32) @ b.cast(i32)\n", a),
                                1, {}, bitOf(instruction));
}

// What is raised has one more row of sums, and keeps a register for each element of a: 6 rows would be 36 of 32.
TEST(TensorTiles, haveRegistersForWhatIsTakenOff)
{
    const std::string raised = loopsOfProduct("i8", TensorInstruction::DotI8);
    EXPECT_NE(raised.find("5 x 64 sums by dot_i8"), std::string::npos) << raised;
    const std::string plain = loopsOfProduct("u8", TensorInstruction::DotU8I8);
    EXPECT_NE(plain.find("6 x 64 sums by dot_u8_i8"), std::string::npos) << plain;
}

} // namespace
} // namespace sw
