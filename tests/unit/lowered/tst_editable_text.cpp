// Lowered texts that people edit: read in place of a kernel, with what only its program knows.

#include "engine/lowered/editable_text.h"
#include "tests/unit/lowered/lowered_samples.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sw::test {
namespace {

LoweredKernel kernelOfProgram()
{
    LoweredKernel kernel = unaryKernel(Op::Neg, DType::F32, 64, 4);
    kernel.kernel = KernelId(7U);
    kernel.name = "k7_neg";
    kernel.symbol = "neg_64";
    kernel.arguments = {BufferId(12U), BufferId(9U)};
    return kernel;
}

std::string replaced(std::string text, std::string_view what, std::string_view with)
{
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what << " in\n" << text;
    return at == std::string::npos ? text : text.replace(at, what.size(), with);
}

std::string errorOf(std::string_view text)
{
    const Result<LoweredKernel> read = readEditedText(kernelOfProgram(), text);
    return read ? "" : toText(read.error());
}

TEST(EditableText, hasNothingThatOnlyTheProgramKnows)
{
    const std::string text = editableText(kernelOfProgram()).text;
    LoweredKernel elsewhere = kernelOfProgram();
    elsewhere.kernel = KernelId(1U);
    elsewhere.name = "k1_neg";
    elsewhere.arguments = {BufferId(2U), BufferId(3U)};
    for (Instruction &instruction : elsewhere.instructions)
        instruction.origin = originOf(5);
    EXPECT_EQ(editableText(elsewhere).text, text);
    EXPECT_EQ(interfaceText(elsewhere), "f32[64], f32[64] written; global [1, 1, 1], local [1, 1, 1]");
    elsewhere.localSize = {2, 1, 1};
    EXPECT_NE(interfaceText(elsewhere), interfaceText(kernelOfProgram()));
    EXPECT_NE(textMark(text), textMark(text + " "));
    EXPECT_EQ(textMark(text).size(), 16U);
}

TEST(EditableText, tellsTheLineOfEveryInstruction)
{
    const LoweredKernel kernel = kernelOfProgram();
    const std::string own = editableText(kernel).text;
    const auto lineIn = [](const std::string &text, std::string_view what) {
        return static_cast<std::uint32_t>(std::count(text.begin(), text.begin() + std::ptrdiff_t(text.find(what)), '\n') + 1);
    };
    const auto store = static_cast<std::size_t>(
        std::ranges::find(kernel.instructions, InstructionKind::Store, &Instruction::kind) - kernel.instructions.begin());
    EXPECT_EQ(linesOfInstructions(kernel).at(store), lineIn(own, "store "));
    // Lines that say nothing count, too.
    const std::string spaced = "\n# mine\n" + replaced(own, "    store ", "\n  # here\n    store ");
    const Result<LoweredKernel> read = readEditedText(kernel, spaced);
    ASSERT_TRUE(read) << toText(read.error()) << spaced;
    EXPECT_EQ(linesOfInstructions(*read, spaced).at(store), lineIn(spaced, "store "));
    EXPECT_EQ(lineIn(spaced, "store "), lineIn(own, "store ") + 4);
    // Another text says nothing about this kernel.
    EXPECT_EQ(linesOfInstructions(kernel, "kernel\n").at(store), lineIn(own, "store "));
}

// What is proved of its accesses rests on them.
TEST(EditableText, keepsTheBoundsOfDimensions)
{
    LoweredBuilder builder(emptyFrame());
    const Origin origin = originOf(1);
    const auto n = builder.defineGlobal(origin, {BufferId(0U), DType::I64, 1, false, "n"});
    const auto y = builder.defineGlobal(origin, {BufferId(1U), DType::F32, 8, true, "y"});
    const auto size = builder.defineVar(origin, n, {.name = "size", .low = 1, .high = 8});
    const auto last = builder.alu(origin, Op::Sub, {size, builder.index(origin, 1)});
    builder.store(origin, y, last, builder.constant(origin, Scalar::of(DType::F32, 2.0)));
    const LoweredKernel kernel = builder.take();
    const std::string own = editableText(kernel).text;
    const Result<LoweredKernel> same = readEditedText(kernel, own);
    ASSERT_TRUE(same) << toText(same.error());
    const auto errorOfText = [&](const std::string &text) {
        const Result<LoweredKernel> read = readEditedText(kernel, text);
        return read ? std::string() : read.error().front().message;
    };
    EXPECT_EQ(errorOfText(replaced(own, "from 1 to 8", "from 1 to 4")),
              "the dimension in argument 0 lies between 1 and 8; found 1 and 4");
    EXPECT_EQ(errorOfText(replaced(own, "const i64 0", "const i64 3")), "define_var reads at another index than 0");
    const LoweredKernel without = unaryKernel(Op::Neg, DType::I64, 1);
    const Result<LoweredKernel> read =
        readEditedText(without, replaced(editableText(without).text, "  %i = range",
                                         "  %zero = const i64 0\n  %d = define_var i64 %x[%zero] from 1 "
                                         "to 8\n  %i = range"));
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().front().message, "define_var reads argument 0, which is no dimension of the kernel");
}

TEST(EditableText, readsBackToTheKernel)
{
    const LoweredKernel kernel = kernelOfProgram();
    for (const PrintOrigins origins : {PrintOrigins::Shown, PrintOrigins::Hidden}) {
        const Result<LoweredKernel> same = readEditedText(kernel, printLowered(kernel, origins).text);
        ASSERT_TRUE(same) << toText(same.error());
        EXPECT_EQ(*same, kernel);
    }
    const Result<LoweredKernel> same = readEditedText(kernel, editableText(kernel).text);
    ASSERT_TRUE(same) << toText(same.error());
    EXPECT_EQ(*same, kernel);
}

TEST(EditableText, linesThatStayKeepTheirOrigins)
{
    const LoweredKernel kernel = kernelOfProgram();
    const std::string text = editableText(kernel).text;
    const std::string added = replaced(text, "  end_range", "    %more = neg f32 %more2\n  end_range");
    const std::string edited =
        replaced(replaced(text, "neg f32x4", "exp2 f32x4"), "  end_range", "    noop\n    noop\n  end_range");
    const Result<LoweredKernel> read = readEditedText(kernel, edited);
    ASSERT_TRUE(read) << toText(read.error());
    ASSERT_EQ(read->instructions.size(), kernel.instructions.size() + 2);
    for (const Instruction &instruction : read->instructions)
        EXPECT_EQ(instruction.origin, instruction.kind == InstructionKind::Noop ? kernel.origin : originOf(1));
    EXPECT_EQ(read->arguments, kernel.arguments);
    EXPECT_EQ(read->name, kernel.name);
    EXPECT_NE(errorOf(added).find("more2"), std::string::npos) << errorOf(added);
}

TEST(EditableText, saysWhatIsWrongAtItsLine)
{
    const std::string text = editableText(kernelOfProgram()).text;
    const auto lineOf = [&](std::string_view what) {
        const auto at = static_cast<std::ptrdiff_t>(text.find(what));
        return ":" + std::to_string(std::count(text.begin(), text.begin() + at, '\n') + 1) + ":";
    };
    EXPECT_EQ(errorOf(replaced(text, "neg f32x4", "tangle f32x4")).rfind(lineOf("neg f32x4"), 0), 0U);
    EXPECT_EQ(errorOf(replaced(text, "store f32x4", "store i32x4")).rfind(lineOf("store f32x4"), 0), 0U);
    EXPECT_NE(errorOf(replaced(text, "f32[64] argument 0", "f32[65] argument 0")).find("argument 0 is f32[64]; found f32[65]"),
              std::string::npos);
    EXPECT_NE(errorOf(replaced(text, "arguments [0, 1]", "arguments [0, 1, 2]")).find("has 2 arguments; found 3"),
              std::string::npos);
    EXPECT_NE(errorOf(text + text).find("found 2"), std::string::npos) << errorOf(text + text);
    EXPECT_NE(errorOf("").find("found 0"), std::string::npos);
}

} // namespace
} // namespace sw::test
