#include "engine/passes/graph/split_pairs.h"

#include "engine/graph/interpreter.h"
#include "engine/passes/graph/pair_rules.h"
#include "engine/types/random_fill.h"
#include "tests/unit/passes/graph_pass_fixture.h"

#include <cmath>
#include <limits>
#include <set>

namespace sw {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A pass on a processor with caches of 64 KiB and more threads than the columns have work for.
struct PairRun : PassRun {
    PairRun()
    {
        device.cacheBytesPerCore = 64 << 10;
        device.threads = 32;
    }

    std::optional<Graph> after(const Graph &before)
    {
        auto changed = splitPairs(before, context);
        EXPECT_TRUE(changed) << toText(changed.error());
        if (*changed)
            EXPECT_TRUE(verifyGraph(**changed));
        return std::move(changed).value();
    }
    std::set<std::string> rules() const
    {
        std::set<std::string> names;
        for (const RewriteEvent &event : context.rewrites().events())
            names.insert(std::string(event.rule));
        return names;
    }
};

// "f32[20000]" and the axes, for all rules: what argmax, argmin, var and the sums of exponentials are as graphs.
struct Form {
    std::string dtype;
    std::string from; // extents
    std::string axes;
    std::string to;
    std::int64_t reduced = 1;
    std::string places; // a view of the iota with one element per place
};

std::string placeOf(const Form &form, std::string_view op)
{
    const std::string x = format("{}[{}]", form.dtype, form.from);
    const auto shaped = [&](std::string_view type) { return format("{}[{}]", type, form.from); };
    std::string text = format("%0 = placeholder {{name = \"x\", role = input}} : {} #x\n"
                              "%1 = reduce_axis {} %0 {{axes = {}}} : {}[{}]\n"
                              "%2 = iota : i64[{}]\n%3 = cast %2 : i32[{}]\n%4 = reshape %3 : i32[{}]\n%5 = expand %4 : {}\n"
                              "%6 = expand %1 : {}\n%7 = cmpeq %0, %6 : {}\n%8 = cmpne %0, %0 : {}\n%9 = or %7, %8 : {}\n"
                              "%10 = const_scalar {{value = {}}} : i32[]\n",
                              x, op, form.axes, form.dtype, form.to, form.reduced, form.reduced, form.places, shaped("i32"), x,
                              shaped("bool"), shaped("bool"), shaped("bool"), form.reduced);
    const bool isMatrix = form.from.find(',') != std::string::npos;
    text += format("%11 = reshape %10 : i32[{}]\n%12 = expand %11 : {}\n%13 = where %9, %5, %12 : {}\n"
                   "%14 = reduce_axis min %13 {{axes = {}}} : i32[{}]\nsink %14, %1 {{names = [\"place\", \"value\"]}}\n",
                   isMatrix ? "1, 1" : "1", shaped("i32"), shaped("i32"), form.axes, form.to);
    return text;
}

std::string varianceOf(const Form &form)
{
    const std::string x = format("{}[{}]", form.dtype, form.from);
    const std::string one = format("{}[{}]", form.dtype, form.to);
    const bool isMatrix = form.from.find(',') != std::string::npos;
    return format("%0 = placeholder {{name = \"x\", role = input}} : {0} #x\n"
                  "%1 = reduce_axis add %0 {{axes = {2}}} : {1}\n%2 = const_scalar {{value = {3}.0}} : {4}[]\n"
                  "%3 = reshape %2 : {4}[{5}]\n%4 = expand %3 : {1}\n%5 = fdiv %1, %4 : {1}\n%6 = expand %5 : {0}\n"
                  "%7 = sub %0, %6 : {0}\n%8 = mul %7, %7 : {0}\n%9 = reduce_axis add %8 {{axes = {2}}} : {1}\n"
                  "sink %9, %5 {{names = [\"squares\", \"mean\"]}}\n",
                  x, one, form.axes, form.reduced, form.dtype, isMatrix ? "1, 1" : "1");
}

std::string exponentialsOf(const Form &form)
{
    const std::string x = format("{}[{}]", form.dtype, form.from);
    const std::string one = format("{}[{}]", form.dtype, form.to);
    return format("%0 = placeholder {{name = \"x\", role = input}} : {0} #x\n"
                  "%1 = reduce_axis max %0 {{axes = {2}}} : {1}\n%2 = expand %1 : {0}\n%3 = sub %0, %2 : {0}\n"
                  "%4 = exp %3 : {0}\n%5 = reduce_axis add %4 {{axes = {2}}} : {1}\nsink %5 {{names = [\"sum\"]}}\n",
                  x, one, form.axes);
}

std::vector<Form> forms(const std::string &dtype)
{
    return {{dtype, "20000", "[0]", "1", 20000, "20000"},
            {dtype, "20011", "[0]", "1", 20011, "20011"},             // a prime: a part is left over
            {dtype, "150, 301", "[0, 1]", "1, 1", 45150, "150, 301"}, // neighbouring axes
            {dtype, "3, 20011", "[1]", "3, 1", 20011, "1, 20011"},    // long rows
            {dtype, "173, 259", "[0]", "1, 259", 173, "173, 1"}};     // columns
}

void expectClose(const HostTensor &actual, const HostTensor &expected, double tolerance)
{
    for (std::int64_t i = 0; i < expected.elements(); ++i) {
        const double want = expected.at(i).asDouble();
        const double got = actual.at(i).asDouble();
        if (std::isnan(want) || std::isinf(want))
            EXPECT_TRUE(std::isnan(want) ? std::isnan(got) : got == want) << got << " for " << want;
        else
            EXPECT_LE(std::abs(got - want), tolerance * std::max(1.0, std::abs(want)));
    }
}

TEST(SplitPairs, readsAllElementsOnce)
{
    PairRun run;
    const auto after = run.after(graphOfLines(placeOf(forms("f32").front(), "max")));
    ASSERT_TRUE(after);
    const std::string text = linesOf(*after);
    EXPECT_NE(text.find("reduce_axis max"), std::string::npos) << text;
    EXPECT_NE(text.find("f32[5, 4000]"), std::string::npos) << text; // 16 KiB each
    EXPECT_NE(text.find("contiguous"), std::string::npos) << text;   // one kernel ends with the pairs of the parts
    EXPECT_EQ(run.rules(), (std::set<std::string>{"first-in-parts", "place-of-largest"}));
}

TEST(SplitPairs, takesPartsOfHalfTheFirstLevel)
{
    PairRun run;
    run.device.firstLevelBytes = 64 << 10;
    const auto after = run.after(graphOfLines(placeOf(forms("f32").front(), "max")));
    ASSERT_TRUE(after);
    EXPECT_NE(linesOf(*after).find("f32[4, 5000]"), std::string::npos) << linesOf(*after); // at most 32 KiB each
}

TEST(SplitPairs, everyRuleApplies)
{
    for (const Form &form : forms("f32")) {
        for (const auto &[text, rule] :
             {std::pair{placeOf(form, "max"), "place-of-largest"}, std::pair{placeOf(form, "min"), "place-of-smallest"},
              std::pair{varianceOf(form), "mean-and-distances"}, std::pair{exponentialsOf(form), "maximum-and-exponentials"}}) {
            PairRun run;
            EXPECT_TRUE(run.after(graphOfLines(text))) << text;
            EXPECT_TRUE(run.rules().contains(rule)) << text;
        }
    }
}

// Ties, infinities and NaN, in the first part, in the last one, and in what is left over.
TEST(SplitPairs, meansTheSame)
{
    for (const std::string dtype : {"f32", "f16", "f64"}) {
        for (const Form &form : forms(dtype)) {
            const bool isUsual = dtype == "f32";
            for (const double special : isUsual ? std::vector{0.0, 1e4, kInfinity, -kInfinity, std::nan("")} : std::vector{1e4}) {
                for (const std::string &text :
                     {placeOf(form, "max"), placeOf(form, "min"), varianceOf(form), exponentialsOf(form)}) {
                    PairRun run;
                    run.device.cacheBytesPerCore = 32 << 10;
                    const Graph before = graphOfLines(text);
                    const auto after = run.after(before);
                    const bool isPlace = text.find("iota") != std::string::npos;
                    // f16 is added up in f32 and rounded once at the end, not once for each part. Of its places, there are too
                    // few parts of the shorter rows, and the columns lie near each other.
                    const bool hasParts = form.reduced == 20000 || form.reduced == 45150;
                    EXPECT_EQ(after.has_value(), dtype != "f16" || (isPlace && hasParts)) << text;
                    if (!after)
                        continue;
                    HostTensor x = randomTensor(before.node(NodeId(0U)).dtype, before.node(NodeId(0U)).shape, 5);
                    for (const std::int64_t place : {std::int64_t{7}, x.elements() / 2, x.elements() - 2})
                        x.set(place, Scalar::of(x.dtype(), special));
                    const auto expected = interpretGraph(before, std::vector{x});
                    const auto actual = interpretGraph(*after, std::vector{x});
                    ASSERT_TRUE(expected && actual);
                    SCOPED_TRACE(format("{} with {}", text, special));
                    if (isPlace)
                        EXPECT_TRUE(actual->front().isIdenticalTo(expected->front()));
                    else
                        expectClose(actual->front(), expected->front(), dtype == "f64" ? 1e-12 : 3e-4);
                }
            }
        }
    }
}

// All elements equal, all of them infinite, and a mean that is far from 0 against the distances from it.
TEST(SplitPairs, keepsTheDigits)
{
    const Form form{"f32", "20011", "[0]", "1", 20011, "20011"};
    for (const double value : {3.0, kInfinity, -kInfinity}) {
        HostTensor x(DType::F32, {20011});
        for (std::int64_t i = 0; i < x.elements(); ++i)
            x.set(i, Scalar::of(DType::F32, value));
        for (const std::string &text : {placeOf(form, "max"), exponentialsOf(form)}) {
            PairRun run;
            const Graph before = graphOfLines(text);
            const auto expected = interpretGraph(before, std::vector{x});
            const auto actual = interpretGraph(*run.after(before), std::vector{x});
            ASSERT_TRUE(expected && actual);
            expectClose(actual->front(), expected->front(), 0);
        }
    }
    HostTensor far(DType::F32, {20011});
    for (std::int64_t i = 0; i < far.elements(); ++i)
        far.set(i, Scalar::of(DType::F32, 4096.0 + static_cast<double>(i % 3)));
    PairRun run;
    const auto actual = interpretGraph(*run.after(graphOfLines(varianceOf(form))), std::vector{far});
    ASSERT_TRUE(actual);
    EXPECT_NEAR(actual->front().at(0).asDouble() / 20011, 2.0 / 3.0, 1e-3);
}

TEST(SplitPairs, leavesTheOthersAlone)
{
    const Form few{"f32", "4000", "[0]", "1", 4000, "4000"};
    EXPECT_FALSE(PairRun().after(graphOfLines(placeOf(few, "max")))); // the cache keeps them
    const Form near{"f32", "5000, 9", "[0]", "1, 9", 5000, "5000, 1"};
    EXPECT_FALSE(PairRun().after(graphOfLines(varianceOf(near)))); // neither rows nor far columns

    std::string text = placeOf(forms("f32").front(), "max"); // without NaN it is another function
    text.replace(text.find("or %7, %8"), 9, "or %7, %7");
    EXPECT_FALSE(PairRun().after(graphOfLines(text)));
    std::string other = varianceOf(forms("f32").front()); // not the mean
    other.replace(other.find("20000.0"), 7, "10000.0");
    EXPECT_FALSE(PairRun().after(graphOfLines(other)));

    PairRun gpu;
    gpu.device.kind = DeviceKind::Gpu;
    EXPECT_FALSE(gpu.after(graphOfLines(varianceOf(forms("f32").front()))));
    PairRun plain;
    plain.options.optimize = false;
    EXPECT_FALSE(plain.after(graphOfLines(varianceOf(forms("f32").front()))));
}

// What goes on from element to element needs no parts where all threads have rows or columns; a sum of exponentials does not.
TEST(SplitPairs, areForWhatIsNoOnePass)
{
    const Form rows{"f32", "8, 20011", "[1]", "8, 1", 20011, "1, 20011"};
    const Form columns{"f32", "173, 518", "[0]", "1, 518", 173, "173, 1"};
    for (const Form &form : {rows, columns}) {
        for (const std::uint32_t threads : {2U, 4U}) {
            for (const std::string &text : {placeOf(form, "max"), placeOf(form, "min"), varianceOf(form), exponentialsOf(form)}) {
                PairRun run;
                run.device.threads = threads * (form.reduced == 173 ? 4 : 1);
                run.device.vectorBytes = 32;
                const bool isOnePass = threads == 2 && text.find("exp %3") == std::string::npos;
                EXPECT_EQ(run.after(graphOfLines(text)).has_value(), !isOnePass) << run.device.threads << "\n" << text;
            }
        }
    }
}

// Distances from the mean that something else needs, too, as a normalization does: they are stored for it, and the two reductions
// are no one kernel.
TEST(SplitPairs, areMadeWhereOthersReadWhatStandsBetween)
{
    const Form form{"f32", "8, 20011", "[1]", "8, 1", 20011, "1, 20011"};
    for (const bool isShared : {false, true}) {
        std::string text = varianceOf(form);
        const std::string names = "sink %9, %5 {names = [\"squares\", \"mean\"]}";
        ASSERT_NE(text.find(names), std::string::npos);
        if (isShared)
            text.replace(text.find(names), names.size(), "sink %9, %7 {names = [\"squares\", \"distances\"]}");
        PairRun run;
        run.device.threads = 2;
        EXPECT_EQ(run.after(graphOfLines(text)).has_value(), isShared) << text;
    }
}

TEST(SplitPairs, keepsTheOrderOfStrictSums)
{
    for (const Form &form : forms("f32")) {
        PairRun strict;
        strict.options.strict = true;
        EXPECT_FALSE(strict.after(graphOfLines(varianceOf(form))));
        EXPECT_FALSE(strict.after(graphOfLines(exponentialsOf(form))));
        EXPECT_TRUE(strict.after(graphOfLines(placeOf(form, "max")))); // nothing is rounded
    }
}

TEST(SplitPairs, isSteppedThrough)
{
    const Graph before = graphOfLines(varianceOf(forms("f32").front()));
    const auto expected = interpretGraph(before, std::vector{randomTensor(DType::F32, {20000}, 5)});
    for (std::uint32_t budget = 0; budget <= 2; ++budget) {
        PairRun run;
        PassContext context(run.device, TargetLanguage::C, run.options, {}, budget);
        const auto after = splitPairs(before, context);
        ASSERT_TRUE(after) << toText(after.error());
        EXPECT_EQ(context.rewrites().size(), budget);
        if (budget > 0)
            expectClose(interpretGraph(**after, std::vector{randomTensor(DType::F32, {20000}, 5)})->front(), expected->front(),
                        1e-4);
    }
}

} // namespace
} // namespace sw
