#include "engine/lowered/parser.h"
#include "engine/lowered/printer.h"
#include "engine/lowered/verifier.h"
#include "tests/unit/lowered/lowered_samples.h"
#include "tests/unit/lowered/random_kernel.h"

#include <gtest/gtest.h>

#include <random>

namespace sw {
namespace {

using test::originOf;

const LoweredParseOptions kOptions{.file = "t.lowered"};

TEST(LoweredText, printsNamesBodiesAndOrigins)
{
    EXPECT_EQ(printLowered(test::unaryKernel(Op::Exp, DType::F32, 64, 16)).text,
              R"(kernel "k0" symbol "k0" id 0 global [1, 1, 1] local [1, 1, 1] arguments [0, 1] from 0
  %x = define_global f32[64] argument 0 from 1
  %y = define_global f32[64] argument 1 written from 1
  %2 = const i64 4 from 1
  %i = range %2 from 1
    %4 = const i64 16 from 1
    %5 = mul i64 %i, %4 from 1
    %6 = load f32x16 %x[%5] from 1
    %7 = exp f32x16 %6 from 1
    store f32x16 %y[%5], %7 from 1
  end_range %i from 1
end
)");
}

TEST(LoweredText, readsBackEveryRandomKernel)
{
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
        const LoweredKernel kernel = test::randomKernel(seed);
        ASSERT_TRUE(verifyLowered(kernel)) << seed;
        const LoweredText text = printLowered(kernel);
        EXPECT_EQ(text.lineInstructions.size(), std::count(text.text.begin(), text.text.end(), '\n'));
        const auto read = parseLoweredKernel(text.text, kOptions);
        ASSERT_TRUE(read) << seed << toText(read.error()) << text.text;
        ASSERT_EQ(*read, kernel) << seed << text.text;
    }
}

TEST(LoweredText, keepsEveryFieldOfTheUnusualInstructions)
{
    LoweredBuilder builder(test::emptyFrame("name with \"quotes\""));
    const Origin origin = originOf(3);
    const auto x = builder.defineGlobal(origin, {BufferId(7U), DType::F32, 1 << 20, true, "x"});
    builder.buffer(origin, DType::F64, 9, "not an identifier");
    builder.local(origin, DType::U8, 3);
    const auto zero = builder.index(origin, 0);
    const auto value = builder.vconst(origin, {Scalar::fromBits(DType::F32, 0x7fc00001), Scalar::of(DType::F32, -0.0),
                                               Scalar::of(DType::F32, 1e-45), lowestOf(DType::F32)});
    builder.load(origin, x, zero, 8, {.isAligned = true, .hint = MemoryHint::NonTemporal});
    builder.prefetch(origin, x, zero);
    builder.store(origin, x, zero, value, {.isAligned = true, .hint = MemoryHint::NonTemporal});
    builder.indexCheck(origin, zero, 12, 2);
    builder.barrier(origin);
    builder.add({.kind = InstructionKind::Noop, .origin = origin});
    const LoweredKernel kernel = builder.take();
    const auto read = parseLoweredKernel(printLowered(kernel).text, kOptions);
    ASSERT_TRUE(read) << toText(read.error());
    EXPECT_EQ(*read, kernel);
}

TEST(LoweredText, readsSeveralKernelsCommentsAndHandWrittenLabels)
{
    const char *text = R"(# two kernels
kernel "a" symbol "a" id 0 global [1, 1, 1] local [1, 1, 1] arguments [0]
  %out = define_global f32[4] argument 0 written   # a comment
  %where_to = const i64 3
  %99 = const f32 1.5
  store f32 %out[%where_to], %99
end

kernel "b" symbol "b" id 1 global [1, 1, 1] local [1, 1, 1] arguments []
end
)";
    LoweredParseOptions options = kOptions;
    options.originOf = [](const SourceRange &range) { return Origin(SourceId(range.line)); };
    const auto read = parseLowered(text, options);
    ASSERT_TRUE(read) << toText(read.error());
    ASSERT_EQ(read->size(), 2U);
    EXPECT_EQ(read->front().instructions[3].origin, originOf(6));
    EXPECT_FALSE(parseLowered(text, kOptions));
}

TEST(LoweredText, reportsEveryWrongLineWithItsPlace)
{
    const char *text = R"(kernel "a" symbol "a" id 0 global [1, 1, 1] local [1, 1, 1] arguments [0] from 0
  %out = define_global f32[4] argument 0 written from 0
  %1 = konst i64 3 from 0
  %2 = const i64 3.5 from 0
  store f32 %out[%1], %7 from 0
  %4 = const f99 3 from 0
  %5 = const f32 1.5 from 0
  %5 = const f32 1.5 from 0
  %6 = add i64 %5, %5 from 0
  barrier
  range %5 from 0
end
)";
    const auto read = parseLowered(text, kOptions);
    ASSERT_FALSE(read);
    std::string found;
    for (const Diagnostic &diagnostic : read.error())
        found += format("{}:{}: {}\n", diagnostic.where.line, diagnostic.where.column, diagnostic.message);
    EXPECT_EQ(found, R"(3:8: there is no instruction or operation "konst"
4:18: "3.5" is not a value of type i64
6:14: "f99" is not a type such as f32 or f32x16
8:3: %5 is made a second time
9:3: alu makes i64 where f32 is expected
10:3: the line does not say where it comes from: "from" and source numbers are expected
11:3: range makes a value, which needs a name: %name = ...
)");
}

TEST(LoweredText, placesWhatTheVerifierFinds)
{
    const char *text = R"(kernel "a" symbol "a" id 0 global [1, 1, 1] local [1, 1, 1] arguments [] from 0
  %1 = const i64 3 from 0
  %2 = range %1 from 0
end
)";
    const auto read = parseLowered(text, kOptions);
    ASSERT_FALSE(read);
    EXPECT_EQ(toText(read.error().front()), "t.lowered:3:3: error: kernel a: %1 (range) is not closed [invalid-ir]\n");
}

// Whatever the text, the parser gives kernels that verify or diagnostics with a place, and never fails otherwise.
TEST(LoweredText, survivesMutatedTexts)
{
    std::mt19937 random(7);
    const char kAlphabet[] = "%=[],\"# \n\\0123456789abcdefx.-:_";
    for (std::uint32_t round = 0; round < 3000; ++round) {
        std::string text = printLowered(test::randomKernel(round % 20, {.instructions = 30})).text;
        for (std::uint32_t i = 0; i <= random() % 4; ++i) {
            const std::size_t at = random() % text.size();
            if (random() % 3 == 0)
                text.erase(at, 1 + random() % 12);
            else if (random() % 2 == 0)
                text.insert(at, 1, kAlphabet[random() % (sizeof kAlphabet - 1)]);
            else
                text.insert(at, text.substr(random() % text.size(), random() % 30));
        }
        const auto read = parseLowered(text, kOptions);
        if (read) {
            for (const LoweredKernel &kernel : *read)
                EXPECT_TRUE(verifyLowered(kernel)) << text;
            continue;
        }
        for (const Diagnostic &diagnostic : read.error())
            EXPECT_TRUE(diagnostic.where.isKnown() || diagnostic.code == Code::InvalidIr) << toText(diagnostic) << text;
    }
}

} // namespace
} // namespace sw
