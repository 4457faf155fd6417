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

std::size_t countOf(const std::string &text, std::string_view word)
{
    std::size_t count = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + word.size()))
        ++count;
    return count;
}

// A rest of columns would have no copy: each of its tiles would be put together from 1024 elements.
TEST(TensorTiles, leaveNoRestOfColumns)
{
    for (const auto &[columns, sums] : {std::pair{128, "32 x 32 sums"}, std::pair{144, "32 x 16 sums"}}) {
        const std::string loops = test::allLoopsOfText(
            format("input a: i8[128, 128]\ninput b: i8[128, {}]\noutput a.cast(i32) @ b.cast(i32)\n", columns), 1, {},
            bitOf(TensorInstruction::AmxI8));
        EXPECT_NE(loops.find(sums), std::string::npos) << loops;
        EXPECT_EQ(loops.find("rest"), std::string::npos) << loops;
    }
}

// Two products of one value, and a product of what another one gives, which is larger than the cache: what lies between them is
// stored narrow, and nothing becomes a stage, which would have no tensor instruction.
TEST(TensorTiles, multiplyWhatTheProgramComputes)
{
    const std::string text = "input x: bf16[1024, 512]\nparam w: bf16[512, 2048] = random(1)\n"
                             "param u: bf16[2048, 512] = random(2)\nparam v: bf16[512, 64] = random(3)\n"
                             "h = layer_norm(x)\noutput first = gelu(h @ w) @ u\noutput second = h @ v\n";
    const std::string with = test::allLoopsOfText(text, 2, {}, bitOf(TensorInstruction::AmxBf16));
    EXPECT_EQ(countOf(with, "    tensorize "), 3U) << with;
    EXPECT_EQ(countOf(with, "stage 0"), 0U) << with;
    EXPECT_EQ(countOf(with, "store t"), 2U + 3U) << "of the norm, of gelu, and three panels of weights: " << with;
    EXPECT_EQ(countOf(with, " bf16 = load t"), 3U + 3U) << "both factors of each product: " << with;
    const std::string without = test::allLoopsOfText(text, 2, {}, 0);
    EXPECT_EQ(countOf(without, "    tensorize "), 0U);
    // A large layer is not as many times larger than what becomes of it as scores are, so it is stored.
    const std::string large = "input x: bf16[262144, 512]\ninput w: bf16[512, 4096]\ninput u: bf16[4096, 512]\n"
                              "output relu(x @ w) @ u\n";
    const std::string stored = test::allLoopsOfText(large, 2, {}, bitOf(TensorInstruction::AmxBf16));
    EXPECT_EQ(countOf(stored, "    tensorize "), 2U) << stored;
    EXPECT_EQ(countOf(stored, "stage 0"), 0U) << stored;
    // 60 steps are no whole tiles: all is as without the instruction.
    const std::string odd = "input x: bf16[128, 60]\ninput w: bf16[60, 128]\noutput exp(x) @ w\n";
    EXPECT_EQ(test::allLoopsOfText(odd, 2, {}, bitOf(TensorInstruction::AmxBf16)), test::allLoopsOfText(odd, 2, {}, 0));
}

} // namespace
} // namespace sw
