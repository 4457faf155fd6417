#include "engine/passes/lowered/simplify.h"

#include "tests/unit/passes/lowered/pass_on_text.h"

namespace sw::test {
namespace {

TEST(SimplifyInstructions, dividesByLoopBounds)
{
    EXPECT_EQ(bodyAfter(&simplifyInstructions, R"(
%y = define_global i64[64] argument 1 written
%8 = const i64 8
%i = range %8
  %j = range %8
    %row = mul i64 %i, %8
    %at = add i64 %row, %j
    %q = idiv i64 %at, %8
    %r = mod i64 %at, %8
    %sum = add i64 %q, %r
    store i64 %y[%at], %sum
  end_range %j
end_range %i
)"),
              R"(
  %y = define_global i64[64] argument 1 written
  %1 = const i64 8
  %i = range %1
    %j = range %1
      %row = mul i64 %i, %1
      %at = add i64 %row, %j
      %6 = const i64 0
      %7 = const i64 1
      %sum = add i64 %i, %j
      store i64 %y[%at], %sum
    end_range %j
  end_range %i
)");
}

TEST(SimplifyInstructions, decidesExtremaByLoopBounds)
{
    const std::string text = bodyAfter(&simplifyInstructions, R"(
%y = define_global i64[64] argument 1 written
%8 = const i64 8
%7 = const i64 7
%i = range %8
  %a = max i64 %i, %8
  %b = min i64 %i, %7
  %c = min i64 %8, %i
  %open = max i64 %i, %7
  %some = min i64 %i, %open
  %ab = add i64 %a, %b
  %all = add i64 %ab, %c
  store i64 %y[%some], %all
end_range %i
)");
    EXPECT_EQ(text.find("min"), std::string::npos) << text;
    EXPECT_EQ(text.find("max"), std::string::npos) << text;
    const std::string kept = bodyAfter(&simplifyInstructions, R"(
%y = define_global i64[64] argument 1 written
%8 = const i64 8
%4 = const i64 4
%i = range %8
  %a = max i64 %i, %4
  store i64 %y[%i], %a
end_range %i
)");
    EXPECT_NE(kept.find("max"), std::string::npos) << kept;
}

TEST(SimplifyInstructions, foldsConstantsMasksAndLoopsOfOneIteration)
{
    EXPECT_EQ(bodyAfter(&simplifyInstructions, R"(
%x = define_global f32[4] argument 0
%y = define_global f32[4] argument 1 written
%one = const i64 1
%three = const i64 3
%zero = const f32 0.0
%i = range %one
  %at = add i64 %i, %three
  %valid = cmplt bool %at, %three
  %v = masked_load f32 %x[%at], %valid, %zero
  %w = add f32 %v, %zero
  store f32 %y[%at], %w
end_range %i
)"),
              R"(
  %x = define_global f32[4] argument 0
  %y = define_global f32[4] argument 1 written
  %one = const i64 1
  %three = const i64 3
  %zero = const f32 0.0
  %5 = const i64 0
  %6 = const i64 3
  %7 = const bool false
  %8 = const f32 0.0
  store f32 %y[%6], %8
)");
}

TEST(SimplifyInstructions, keepsFloatSumsWhoseZeroHasASign)
{
    EXPECT_EQ(after(&simplifyInstructions, parsed(R"(
%x = define_global f32[4] argument 0
%y = define_global f32[4] argument 1 written
%at = const i64 0
%plus = const f32 0.0
%v = load f32 %x[%at]
%sum = add f32 %v, %plus
store f32 %y[%at], %sum
)"))
                  .events.size(),
              0U);
}

// Between the sum and its use the accumulator changes: the use must not read it.
TEST(SimplifyInstructions, neverReplacesAValueByAnAccumulator)
{
    EXPECT_EQ(after(&simplifyInstructions, parsed(R"(
%y = define_global i64[4] argument 1 written
%zero = const i64 0
%one = const i64 1
%sum = acc i64
assign i64 %sum, %one
%same = add i64 %sum, %zero
assign i64 %sum, %zero
store i64 %y[%zero], %same
)"))
                  .events.size(),
              0U);
}

// The place below 64 never carries into the count of blocks.
TEST(SimplifyInstructions, dividesWholeBlocks)
{
    EXPECT_EQ(bodyAfter(&simplifyInstructions, R"(
%x = define_global f32[64] argument 0
%y = define_global f32[64] argument 1 written
%items = const i64 64
%span = const i64 192
%rounds = const i64 27
%item = special global_x
%round = range %rounds
  %before = mul i64 %round, %items
  %at = add i64 %item, %before
  %q = idiv i64 %at, %span
  %r = mod i64 %at, %span
  %a = load f32 %x[%q]
  store f32 %y[%r], %a
end_range %round
)"),
              R"(
  %x = define_global f32[64] argument 0
  %y = define_global f32[64] argument 1 written
  %items = const i64 64
  %span = const i64 192
  %rounds = const i64 27
  %item = special global_x
  %round = range %rounds
    %before = mul i64 %round, %items
    %at = add i64 %item, %before
    %9 = const i64 3
    %10 = idiv i64 %round, %9
    %11 = const i64 3
    %12 = mod i64 %round, %11
    %13 = const i64 64
    %14 = mul i64 %12, %13
    %15 = add i64 %14, %item
    %a = load f32 %x[%10]
    store f32 %y[%15], %a
  end_range %round
)");
}

// Channels of groups of 68, four at a time: a loop of 17 rounds for each work item, and a place in the tile.
TEST(SimplifyInstructions, dividesSumsOfSeveralTerms)
{
    EXPECT_EQ(bodyAfter(&simplifyInstructions, R"(
%x = define_global f32[4] argument 0
%y = define_global f32[4] argument 1 written
%68 = const i64 68
%17 = const i64 17
%4 = const i64 4
%3 = const i64 3
%item = special global_x
%before = mul i64 %item, %68
%round = range %17
  %tile = mul i64 %round, %4
  %first = add i64 %before, %tile
  %channel = add i64 %first, %3
  %group = idiv i64 %channel, %68
  %a = load f32 %x[%group]
  store f32 %y[%group], %a
end_range %round
)"),
              R"(
  %x = define_global f32[4] argument 0
  %y = define_global f32[4] argument 1 written
  %2 = const i64 68
  %3 = const i64 17
  %4 = const i64 4
  %5 = const i64 3
  %item = special global_x
  %before = mul i64 %item, %2
  %round = range %3
    %tile = mul i64 %round, %4
    %first = add i64 %before, %tile
    %channel = add i64 %first, %5
    %12 = add i64 %tile, %5
    %13 = const i64 0
    %14 = const i64 1
    %a = load f32 %x[%item]
    store f32 %y[%item], %a
  end_range %round
)");
}

} // namespace
} // namespace sw::test
