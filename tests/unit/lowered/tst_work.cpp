#include "engine/lowered/parser.h"
#include "engine/lowered/work.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

KernelWork workOfText(const std::string &body, std::int64_t items = 1)
{
    const auto kernel =
        parseLoweredKernel(format("kernel \"k\" symbol \"k\" id 0 global [{}, 1, 1] local [1, 1, 1] arguments [0, 1] from 0\n"
                                  "  %x = define_global f32[64] argument 0 from 0\n"
                                  "  %y = define_global f32[64] argument 1 written from 0\n{}end\n",
                                  items, body),
                           {.file = "t.lowered"});
    EXPECT_TRUE(kernel) << toText(kernel.error());
    const auto work = workOf(*kernel);
    EXPECT_TRUE(work);
    return work.value_or(KernelWork{});
}

const std::string kSums = R"(  %2 = const i64 4 from 0
  %3 = const i64 16 from 0
  %i = range %2 from 0
    %5 = mul i64 %i, %3 from 0
    %6 = load f32x16 %x[%5] from 0
    %7 = fma f32x16 %6, %6, %6 from 0
    %8 = exp f32x16 %7 from 0
    store f32x16 %y[%5], %8 from 0
  end_range %i from 0
)";

TEST(Work, countsWhatRunsAndAFusedMultiplyAddAsTwo)
{
    const KernelWork work = workOfText(kSums);
    EXPECT_EQ(work.flops, 4 * 16 * (2 + 1));
    EXPECT_EQ(work.bytesRead, 64 * 4);
    EXPECT_EQ(work.bytesWritten, 64 * 4);
}

TEST(Work, isOfAllWorkItemsAndTouchesABufferOnce)
{
    const KernelWork work = workOfText(kSums, 10);
    EXPECT_EQ(work.flops, 10 * 4 * 16 * 3);
    EXPECT_EQ(work.bytesRead, 64 * 4);
}

TEST(Work, countsNoMoreBytesThanAreTouched)
{
    const KernelWork work =
        workOfText("  %2 = const i64 3 from 0\n  %3 = load f32 %x[%2] from 0\n  store f32 %y[%2], %3 from 0\n");
    EXPECT_EQ(work.flops, 0);
    EXPECT_EQ(work.bytesRead, 4);
    EXPECT_EQ(work.bytesWritten, 4);
}

// A loop that ends at a dimension has the rounds of the run, or those of the largest one.
TEST(Work, isOfTheDimensionsOfTheRun)
{
    const auto kernel =
        parseLoweredKernel("kernel \"k\" symbol \"k\" id 0 global [1, 1, 1] local [1, 1, 1] arguments [0, 1] from 0\n"
                           "  %n = define_global i64[1] argument 0 from 0\n"
                           "  %y = define_global f32[64] argument 1 written from 0\n"
                           "  %0 = const i64 0 from 0\n"
                           "  %rows = define_var i64 %n[%0] from 1 to 16 name \"rows\" from 0\n"
                           "  %3 = const i64 3 from 0\n"
                           "  %4 = const i64 4 from 0\n"
                           "  %more = add i64 %rows, %3 from 0\n"
                           "  %whole = idiv i64 %more, %4 from 0\n"
                           "  %count = min i64 %whole, %4 from 0\n"
                           "  %i = range %count from 0\n"
                           "    %x = load f32 %y[%i] from 0\n"
                           "    %twice = add f32 %x, %x from 0\n"
                           "    store f32 %y[%i], %twice from 0\n"
                           "  end_range %i from 0\n"
                           "end\n",
                           {.file = "t.lowered"});
    ASSERT_TRUE(kernel) << toText(kernel.error());
    EXPECT_EQ(workOf(*kernel)->flops, 4);
    const auto small = workOf(*kernel, {{"rows", 5}});
    EXPECT_EQ(small->flops, 2);
    EXPECT_EQ(small->bytesWritten, 8);
}

// Of two blocks one is done whose conditions are opposite: the first one. A block alone is.
TEST(Work, isOfOneOfTwoOppositeBlocks)
{
    const auto flopsOf = [](const std::string &blocks) {
        const auto kernel =
            parseLoweredKernel("kernel \"k\" symbol \"k\" id 0 global [1, 1, 1] local [1, 1, 1] arguments [1] from 0\n"
                               "  %y = define_global f32[64] argument 0 written from 0\n"
                               "  %0 = const i64 0 from 0\n"
                               "  %9 = const i64 9 from 0\n"
                               "  %no = const bool false from 0\n"
                               "  %half = const f32 0.5 from 0\n"
                               "  %i = range %9 from 0\n"
                               "    %told = load f32 %y[%i] from 0\n"
                               "    %in = cmplt bool %half, %told from 0\n" +
                                   blocks + "  end_range %i from 0\nend\n",
                               {.file = "t.lowered"});
        EXPECT_TRUE(kernel) << toText(kernel.error());
        return kernel ? workOf(*kernel)->flops : 0;
    };
    const auto block = [](const std::string &condition, const std::string &name) {
        return "    if %" + condition + " from 0\n      %" + name + " = load f32 %y[%i] from 0\n      %" + name +
               "2 = add f32 %" + name + ", %" + name + " from 0\n      store f32 %y[%i], %" + name +
               "2 from 0\n    end_if from 0\n";
    };
    const std::string out = "    %out = cmpeq bool %in, %no from 0\n";
    EXPECT_EQ(flopsOf(block("in", "a")), 9);
    EXPECT_EQ(flopsOf(block("in", "a") + block("in", "b")), 18);
    EXPECT_EQ(flopsOf(block("in", "a") + out + block("out", "b")), 9);
    EXPECT_EQ(flopsOf(out + block("out", "b")), 9);
}

// 8 work items of 4 and 5 rounds: column <= row + 1, with 16 columns a round and 8 rows an item.
TEST(Work, isOfTheRoundsThatAConditionLetsIn)
{
    const auto flopsOf = [](std::string_view condition) {
        return workOfText(format(R"(  %g = special global_x from 0
  %four = const i64 4 from 0
  %five = const i64 5 from 0
  %eight = const i64 8 from 0
  %wide = const i64 16 from 0
  %none = const i64 0 from 0
  %down = const i64 -1 from 0
  %one = const i64 1 from 0
  %v = load f32 %x[%none] from 0
  %i = range %four from 0
    %j = range %five from 0
      %row = mul i64 %g, %eight from 0
      %up = mul i64 %row, %down from 0
      %column = mul i64 %wide, %j from 0
      %far = add i64 %column, %up from 0
      %isIn = cmplt bool %g, %four from 0
      %isNear = cmple bool %far, %one from 0
      %isPast = cmplt bool %one, %far from 0
      %both = and bool %isIn, %isNear from 0
{}
    end_range %j from 0
  end_range %i from 0
)",
                                 condition),
                          8)
            .flops;
    };
    int near = 0;
    int nearAndIn = 0;
    for (int g = 0; g < 8; ++g)
        for (int j = 0; j < 5; ++j) {
            near += 16 * j <= 8 * g + 1 ? 4 : 0;
            nearAndIn += g < 4 && 16 * j <= 8 * g + 1 ? 4 : 0;
        }
    const std::string added = "        %w = mul f32 %v, %v from 0\n";
    const auto within = [&](std::string_view condition, std::string_view body) {
        return format("      if %{} from 0\n{}      end_if from 0\n", condition, body);
    };
    EXPECT_EQ(flopsOf(within("isNear", added)), near);
    EXPECT_EQ(flopsOf(within("isPast", added)), 8 * 4 * 5 - near);
    EXPECT_EQ(flopsOf(within("both", added)), nearAndIn);
    EXPECT_EQ(flopsOf(within("isIn", within("isNear", added))), nearAndIn) << "the rounds that the outer one lets in";
    EXPECT_EQ(flopsOf("      %isFar = not bool %isNear from 0\n" + within("isFar", added)), 8 * 4 * 5 - near);
    EXPECT_EQ(flopsOf(added), 8 * 4 * 5);
}

// Each of 60 sums is twice the one before: going through them as a tree would take years, and their numbers do not fit.
TEST(Work, longSumsInAConditionAreLeft)
{
    std::string body = "  %two = const i64 2 from 0\n  %v = load f32 %x[%two] from 0\n  %i = range %two from 0\n"
                       "    %s0 = add i64 %i, %i from 0\n";
    for (int i = 1; i < 60; ++i)
        body += format("    %s{0} = add i64 %s{1}, %s{1} from 0\n", i, i - 1);
    body += "    %isIn = cmplt bool %s59, %two from 0\n    if %isIn from 0\n      %w = mul f32 %v, %v from 0\n    end_if from 0\n"
            "  end_range %i from 0\n";
    EXPECT_EQ(workOfText(body).flops, 2) << "counts as done";
}

// Work items that a condition turns away do nothing.
TEST(Work, isOfTheItemsThatAreLetIn)
{
    const auto kernel =
        parseLoweredKernel("kernel \"k\" symbol \"k\" id 0 global [8, 1, 1] local [1, 1, 1] arguments [0, 1] from 0\n"
                           "  %n = define_global i64[1] argument 0 from 0\n"
                           "  %y = define_global f32[64] argument 1 written from 0\n"
                           "  %0 = const i64 0 from 0\n"
                           "  %2 = const i64 2 from 0\n"
                           "  %rows = define_var i64 %n[%0] from 1 to 8 name \"rows\" from 0\n"
                           "  %item = special global_x from 0\n"
                           "  %behind = cmple bool %2, %item from 0\n"
                           "  %before = cmplt bool %item, %rows from 0\n"
                           "  %in = and bool %behind, %before from 0\n"
                           "  if %in from 0\n"
                           "    %x = load f32 %y[%item] from 0\n"
                           "    %twice = add f32 %x, %x from 0\n"
                           "    store f32 %y[%item], %twice from 0\n"
                           "  end_if from 0\n"
                           "end\n",
                           {.file = "t.lowered"});
    ASSERT_TRUE(kernel) << toText(kernel.error());
    EXPECT_EQ(workOf(*kernel)->flops, 6);
    const auto small = workOf(*kernel, {{"rows", 5}});
    EXPECT_EQ(small->flops, 3);
    EXPECT_EQ(small->bytesWritten, 12);
    EXPECT_EQ(workOf(*kernel, {{"rows", 1}})->flops, 0);
}

} // namespace
} // namespace sw
