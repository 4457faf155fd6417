// Reductions that share their loops.

#include "engine/graph/interpreter.h"
#include "engine/loops/join.h"
#include "engine/types/random_fill.h"
#include "tests/unit/loops/loops_of_text.h"
#include "tests/unit/loops/transform_lists.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sw {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A core with vectors of 32 bytes, 4 KiB of first and 16 KiB of own cache.
DeviceInfo smallCore(std::uint32_t threads = 1)
{
    DeviceInfo device = test::smallCore(threads, 4 << 10, 4, 16 << 10);
    device.sharedCacheBytes = 64 << 10;
    return device;
}

std::string loopsOf(const std::string &text, const CompileOptions &options = {})
{
    return test::loopsOn(smallCore(), text, options);
}

std::string of(int rows, int columns, std::string_view what, std::string_view dtype = "f32")
{
    return format("input x: {}[{}, {}]\noutput {}\n", dtype, rows, columns, what);
}

bool has(const std::string &text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

TEST(Joined, goOverRowsOnce)
{
    const std::string place = loopsOf(of(128, 1024, "argmax(x, axis = 1)"));
    EXPECT_TRUE(has(place, "the place goes on with the max: one pass over the elements")) << place;
    EXPECT_TRUE(has(place, "the first place of reduction 0's max")) << place;
    EXPECT_TRUE(has(place, "i0.o 4 upcast")) << "what is not read again may be longer than the cache: " << place;
    EXPECT_FALSE(has(place, "cmpeq")) << place;
    EXPECT_TRUE(has(place, "split r2 8 ")) << "one vector of each row, which has two accumulators: " << place;
    EXPECT_EQ(place.find("load x"), place.rfind("load x")) << place;
    const std::string variance = loopsOf(of(128, 1024, "var(x, axis = 1)"));
    EXPECT_TRUE(has(variance, "the squared distances from the mean of reduction 0")) << variance;
    EXPECT_EQ(variance.find("load x"), variance.rfind("load x")) << variance;
    const std::string both = loopsOf(of(128, 64, "min(x, axis = 1)\noutput max(x * x, axis = 1)"));
    EXPECT_TRUE(has(both, "both read the same steps: one pass over them")) << both;
    EXPECT_EQ(both.find("load x"), both.rfind("load x")) << both;
}

// A mean and a variance, and what they make of each element: of a row that takes much of the core's cache, the two are one pass.
TEST(Joined, precedeALoopOverLongRows)
{
    const auto normalized = [](int columns) {
        return loopsOf(of(100, columns, "(x - mean(x, axis = 1, keepdims = true)) / var(x, axis = 1, keepdims = true)"));
    };
    const std::string large = normalized(1025);
    EXPECT_TRUE(has(large, "join ")) << large;
    EXPECT_EQ(large.find("load x"), large.rfind("load x", large.rfind("load x") - 1)) << "and one more: " << large;
    EXPECT_FALSE(has(normalized(1024), "join "));
    EXPECT_FALSE(has(
        loopsOf(of(100, 1025, "(x - mean(x, axis = 1, keepdims = true)) / var(x, axis = 1, keepdims = true)"), {.strict = true}),
        "join "));
}

TEST(Joined, goDownColumnsOnce)
{
    for (const char *what : {"argmin(x, axis = 0)", "var(x, axis = 0)", "sum(x, axis = 0)\noutput max(x, axis = 0)"}) {
        const std::string loops = loopsOf(of(300, 1024, what));
        EXPECT_TRUE(has(loops, "join ")) << loops;
        EXPECT_TRUE(has(loops, "8 steps of 128 columns at a time"))
            << "both have partial results in a quarter of 4 KiB: " << loops;
        EXPECT_TRUE(has(loops, "1024 bytes of partial results")) << loops;
        EXPECT_TRUE(has(loops, "each step goes on from the one before it")) << loops;
    }
}

TEST(Joined, areThoseThatPay)
{
    EXPECT_FALSE(has(loopsOf(of(128, 511, "var(x, axis = 1)")), "join "));
    EXPECT_TRUE(has(loopsOf(of(128, 512, "var(x, axis = 1)")), "join "));
    EXPECT_TRUE(has(loopsOf(of(128, 64, "argmax(x, axis = 1)")), "join "));
    EXPECT_FALSE(has(loopsOf(of(128, 1024, "var(x, axis = 1)"), {.strict = true}), "join ")) << "rounded in another way";
    EXPECT_TRUE(has(loopsOf(of(300, 1024, "argmax(x, axis = 0)"), {.strict = true}), "join ")) << "nothing is rounded";
    for (const char *powers : {"sum(exp(x - max(x, axis = 0)), axis = 0)", "logsumexp(x, axis = 1)"})
        EXPECT_FALSE(has(loopsOf(of(300, 1025, powers)), "join ")) << "exponentials take longer than a second pass";
}

// The program in f64, of the same elements.
std::vector<HostTensor> inDoubles(std::string text, const HostTensor &x)
{
    text.replace(text.find(": f32["), 6, ": f64[");
    HostTensor wide(DType::F64, x.shape());
    for (std::int64_t i = 0; i < x.elements(); ++i)
        wide.set(i, x.at(i).castTo(DType::F64));
    return interpretGraph(*test::graphOfText(text), std::vector{wide}).value();
}

// The lowered kernel and the reference, of elements that the special ones are among; what is not exact is close to the f64
// values.
void compare(const std::string &text, std::uint32_t threads, const std::vector<std::pair<std::int64_t, double>> &special,
             double tolerance)
{
    SCOPED_TRACE(text);
    const GraphPtr graph = test::graphOfText(text);
    ASSERT_NE(graph, nullptr);
    const PipelineRun run = runPipeline(graph, standardPipeline(), {smallCore(threads), TargetLanguage::Llvm, {}}, {});
    ASSERT_TRUE(run.succeeded) << toText(run.diagnostics);
    const Node &x = graph->node(graph->placeholders().front());
    std::vector<HostTensor> inputs{randomTensor(x.dtype, x.shape, 11)};
    for (const auto &[place, value] : special)
        inputs.front().set(place, Scalar::of(x.dtype, value));
    const std::vector<HostTensor> expected =
        tolerance > 0 ? inDoubles(text, inputs.front()) : interpretGraph(*graph, inputs).value();
    const auto actual = test::runLowered(**std::get_if<LoweredProgramPtr>(&run.steps.back().after), inputs);
    ASSERT_TRUE(actual);
    for (std::size_t output = 0; output < expected.size(); ++output) {
        for (std::int64_t i = 0; i < expected[output].elements(); ++i) {
            const double want = expected[output].at(i).asDouble();
            const double got = (*actual)[output].at(i).asDouble();
            if (std::isnan(want) || std::isinf(want))
                ASSERT_TRUE(std::isnan(want) ? std::isnan(got) : got == want) << i << ": " << got << " for " << want;
            else
                ASSERT_NEAR(want, got, tolerance * std::max(0.1, std::abs(want))) << i;
        }
    }
}

// Ties, zeros of both signs, infinities and NaN, in the first lane and in rests.
TEST(Joined, giveTheFirstPlace)
{
    using Special = std::vector<std::pair<std::int64_t, double>>;
    const double nan = std::nan("");
    for (const Special &special :
         {Special{}, Special{{7, 1e4}, {8, 1e4}, {1100, 1e4}, {2077, 1e4}}, Special{{77, nan}, {78, nan}, {2078, nan}},
          Special{{0, -kInfinity}, {5, kInfinity}, {9, nan}, {2075, kInfinity}}}) {
        for (const char *dtype : {"f32", "f64", "i32", "f16"}) {
            const bool isInteger = std::string_view(dtype) == "i32";
            if (isInteger && !special.empty() && special.front().first != 7)
                continue;
            for (const auto &[rows, columns] : {std::pair{29, 519}, std::pair{519, 130}})
                for (const char *what : {"argmax(x, axis = 1)\noutput max(x, axis = 1)", "argmin(x, axis = 1)",
                                         "argmax(x, axis = 0)", "argmin(x, axis = 0)\noutput min(x, axis = 0)"})
                    compare(of(rows, columns, what, dtype), 2, special, 0);
        }
    }
}

TEST(Joined, giveTheFirstPlaceOfAllThatIsInfinite)
{
    std::vector<std::pair<std::int64_t, double>> all;
    for (std::int64_t i = 0; i < 40 * 520; ++i)
        all.emplace_back(i, -kInfinity);
    for (const char *what : {"argmax(x, axis = 1)", "argmax(x, axis = 0)"})
        compare(of(40, 520, what), 1, all, 0);
    for (auto &[place, value] : all) // of each row and column, the first half is of the sign that the maximum or minimum is not
        value = place % 520 < 260 && place < 20 * 520 ? -0.0 : 0.0;
    compare(of(40, 520, "argmax(x, axis = 1)\noutput 1 / max(x, axis = 1)"), 1, all, 0);
    compare(of(40, 520, "argmax(x, axis = 0)\noutput 1 / max(x, axis = 0)"), 1, all, 0);
    for (auto &[place, value] : all)
        value = -value;
    for (const char *what :
         {"argmax(x, axis = 1)\noutput 1 / max(x, axis = 1)", "argmin(x, axis = 0)\noutput 1 / min(x, axis = 0)"})
        compare(of(40, 520, what), 1, all, 0);
}

TEST(Joined, giveDistances)
{
    for (const auto &[rows, columns] : {std::pair{29, 519}, std::pair{519, 130}, std::pair{600, 1026}})
        for (const char *what : {"var(x, axis = 1)\noutput mean(x, axis = 1)", "var(x, axis = 0)", "var(x)"})
            for (const double outlier : {0.0, 1e3})
                compare(of(rows, columns, what), 2, {{0, outlier}, {columns, outlier}}, 1e-5);
}

// Means of what is infinite are, and no distances from them are numbers.
TEST(Joined, normalizeRows)
{
    for (const int columns : {1025, 1031, 2049})
        compare(of(37, columns, "(x - mean(x, axis = 1, keepdims = true)) / (0.1 + var(x, axis = 1, keepdims = true))"), 2,
                {{3, 100}}, 1e-5);
}

TEST(Joined, knowInfinities)
{
    for (const double sign : {1.0, -1.0}) {
        std::vector<std::pair<std::int64_t, double>> most;
        for (std::int64_t i = 0; i < 40 * 520; ++i)
            if (i % 520 != 0)
                most.emplace_back(i, sign * kInfinity);
        for (const char *what : {"var(x, axis = 1)\noutput mean(x, axis = 1)", "var(x, axis = 0)\noutput mean(x, axis = 0)"}) {
            compare(of(40, 520, what), 1, most, 1e-5);
            compare(of(40, 520, what), 1, {{7, sign * kInfinity}, {521, std::nan("")}}, 1e-5);
        }
    }
}

// Far from 0, sums of squares would have no digits left, and a mean that is rounded only a few.
TEST(Joined, keepTheDigitsOfDistances)
{
    const std::string text = of(16, 4096, "var(x, axis = 1)");
    ASSERT_TRUE(has(loopsOf(text), "join "));
    std::vector<std::pair<std::int64_t, double>> all;
    const HostTensor x = randomTensor(DType::F32, {16, 4096}, 5);
    for (std::int64_t i = 0; i < x.elements(); ++i)
        all.emplace_back(i, 1000 + x.at(i).asDouble());
    compare(text, 1, all, 2e-6);
    compare(of(16, 4096, "var(x - 1000, axis = 1)"), 1, all, 2e-6);
}

class JoinLists : public test::TransformLists {
protected:
    SchedulePtr place()
    {
        m_builder.emplace(m_sources);
        return scheduled(anyKernel(6));
    }
};

TEST_F(JoinLists, mayNotBeMeant)
{
    const SchedulePtr schedule = place();
    const std::string plain =
        toText(*(*test::loopsFor(schedule, test::vectorDevice(), {.optimize = false}))->nests.front(), *schedule);
    const auto refused = [&](const std::vector<std::string> &lines, std::string_view why) {
        const std::string problem = problemOf(schedule, lines);
        EXPECT_TRUE(has(problem, why)) << problem << "\n" << plain;
    };
    refused({"join r1"}, "join takes an axis of each of two reductions");
    refused({"join r1 i0"}, "\"i0\" is no whole axis of a reduction");
    refused({"join r1 r1"}, "a reduction is not joined to itself");
}

// Blocks of a reduction over two axes that are no one axis: what the blocks before have counted.
TEST_F(JoinLists, areDoneInBlocks)
{
    m_builder.emplace(m_sources);
    const NodeId x = permuted(input({4, 6, 8}), {1, 0, 2});
    const NodeId part = m_builder->constScalar(Origin(m_item), Scalar::of(DType::F32, 1.0 / 24));
    const NodeId away = op(Op::Sub, x, op(Op::Mul, reduced(x, {0, 1}), part));
    const SchedulePtr schedule = scheduled({reduced(op(Op::Mul, away, away), {0, 1})});
    const LoopNest plain = *(*test::loopsFor(schedule, test::vectorDevice(), {.optimize = false}))->nests.front();
    const auto nameOf = [&](AxisId axis) { return plain.axes[axis.value].name; };
    ASSERT_EQ(plain.reductions[0].axes.size(), 2U) << toText(plain, *schedule);
    const std::string first = nameOf(plain.reductions[0].axes[0]);
    const std::string columns = nameOf(plain.domain.back());
    const std::string join = format("join {} {}", first, nameOf(plain.reductions[1].axes[0]));
    for (const int steps : {1, 2, 4})
        EXPECT_EQ(problemOf(schedule, {join, format("split {} {}", first, steps), format("reorder {}.o {}", first, columns)}),
                  "");
    LoopNest joined = applyTransform(plain, parseTransform(join).value()).value();
    EXPECT_EQ(std::ranges::count(joined.values, ValueKind::Load, &Value::kind), 1) << "what nobody computes loads nothing";
}

// A place below which "not here" is, and what is no mean.
TEST_F(JoinLists, areNoOthersThanTheRulesSay)
{
    const auto problemWith = [&](std::int64_t none, double part) {
        m_builder.emplace(m_sources);
        const NodeId x = input({5, 24});
        std::vector<NodeId> results;
        if (part == 0) {
            const NodeId most = reduced(x, {1}, Op::Max);
            const NodeId isIt = op(Op::Or, op(Op::Cmpeq, x, most), op(Op::Cmpne, x, x));
            const NodeId places =
                m_builder->cast(Origin(m_item), m_builder->iota(Origin(m_item), {24}).value(), DType::I32).value();
            const NodeId other = m_builder->constScalar(Origin(m_item), Scalar::of(DType::I32, none));
            results = {reduced(op(Op::Where, isIt, places, other), {1}, Op::Min)};
        } else {
            const NodeId factor = m_builder->constScalar(Origin(m_item), Scalar::of(DType::F32, part));
            const NodeId away = op(Op::Sub, x, op(Op::Mul, reduced(x, {1}), factor));
            results = {reduced(op(Op::Mul, away, away), {1})};
        }
        const SchedulePtr schedule = scheduled(results);
        const LoopNest plain = *(*test::loopsFor(schedule, test::vectorDevice(), {.optimize = false}))->nests.front();
        return problemOf(schedule, {format("join {} {}", plain.axes[plain.reductions[0].axes[0].value].name,
                                           plain.axes[plain.reductions[1].axes[0].value].name)});
    };
    EXPECT_EQ(problemWith(24, 0), "");
    EXPECT_EQ(problemWith(23, 0), "");
    EXPECT_TRUE(has(problemWith(22, 0), "no rule carries both along"));
    EXPECT_EQ(problemWith(0, 1.0 / 24), "");
    EXPECT_TRUE(has(problemWith(0, 1.0 / 23), "no rule carries both along"));
}

TEST_F(JoinLists, areForTheSamePointsAndTheFirstOnesLoops)
{
    m_builder.emplace(m_sources);
    const SchedulePtr other = scheduled({op(Op::Add, reduced(input({5, 24}), {1}), reduced(input({1, 24}), {1}, Op::Max))});
    const LoopNest apart = *(*test::loopsFor(other, test::vectorDevice(), {.optimize = false}))->nests.front();
    const auto axisOf = [](const LoopNest &nest, std::size_t reduction) {
        return nest.axes[nest.reductions[reduction].axes[0].value].name;
    };
    EXPECT_TRUE(
        has(problemOf(other, {format("join {} {}", axisOf(apart, 0), axisOf(apart, 1))}), "are not done for the same points"));
    m_builder.emplace(m_sources);
    const NodeId x = input({5, 24});
    const SchedulePtr both = scheduled({reduced(x, {1}), reduced(op(Op::Mul, x, x), {1}, Op::Max)});
    const LoopNest plain = *(*test::loopsFor(both, test::vectorDevice(), {.optimize = false}))->nests.front();
    EXPECT_EQ(problemOf(both, {format("join {} {}", axisOf(plain, 0), axisOf(plain, 1))}), "");
    EXPECT_TRUE(has(problemOf(both, {format("join {} {}", axisOf(plain, 1), axisOf(plain, 0))}), "comes first; join that over"));
}

// Zeros of padding add nothing to a sum, whose steps there may be left out; the largest element may be among them.
TEST_F(JoinLists, takeTheStepsInPadding)
{
    for (const char *what : {"output sum(w, axis = 1)\noutput max(w, axis = 1)", "output var(w, axis = 1)"}) {
        const GraphPtr graph = test::graphOfText(
            format("input x: f32[20, 16]\ny = pad(x, [[2, 2], [0, 0]])\nw = view(y, [20, 5, 16], [16, 16, 1])\n{}\n", what));
        ASSERT_NE(graph, nullptr);
        const SchedulePtr schedule = test::oneKernelSchedule(graph);
        const LoopNest plain = *(*test::loopsFor(schedule, test::vectorDevice(), {.optimize = false}))->nests.front();
        const auto nameOf = [&](AxisId axis) { return plain.axes[axis.value].name; };
        const std::string steps = nameOf(plain.reductions[0].axes[0]);
        const std::string rows = nameOf(plain.domain[0]);
        const std::string columns = nameOf(plain.domain[1]);
        std::vector<std::string> list{format("join {} {}", steps, nameOf(plain.reductions[1].axes[0]))};
        for (const std::string &more :
             {format("split {} 8", columns), format("set_type {}.i vector", columns), format("unroll {} 5", steps),
              format("split {} 4", rows), format("reorder {0}.o {1}.o {0}.i {1}.i", rows, columns),
              format("set_type {}.i upcast", rows)}) {
            list.push_back(more);
            EXPECT_EQ(problemOf(schedule, list), "") << what;
        }
    }
}

TEST_F(JoinLists, keepTheOrderOfPlaces)
{
    m_builder.emplace(m_sources);
    const NodeId x = input({5, 24});
    const NodeId most = reduced(x, {1}, Op::Max);
    const NodeId isIt = op(Op::Or, op(Op::Cmpeq, x, most), op(Op::Cmpne, x, x));
    const NodeId places = m_builder->cast(Origin(m_item), m_builder->iota(Origin(m_item), {24}).value(), DType::I32).value();
    const NodeId none = m_builder->constScalar(Origin(m_item), Scalar::of(DType::I32, std::int64_t{24}));
    const SchedulePtr schedule = scheduled({reduced(op(Op::Where, isIt, places, none), {1}, Op::Min)});
    const LoopNest plain = *(*test::loopsFor(schedule, test::vectorDevice(), {.optimize = false}))->nests.front();
    const std::string leader = plain.axes[plain.reductions[0].axes.front().value].name;
    const std::string follower = plain.axes[plain.reductions[1].axes.front().value].name;
    const auto lines = [&](std::vector<std::string> all) {
        for (std::string &line : all) {
            for (std::size_t at = line.find("LEAD"); at != std::string::npos; at = line.find("LEAD"))
                line.replace(at, 4, leader);
            if (const std::size_t at = line.find("NEXT"); at != std::string::npos)
                line.replace(at, 4, follower);
        }
        return all;
    };
    const auto problem = [&](std::vector<std::string> all) { return problemOf(schedule, lines(std::move(all))); };
    EXPECT_EQ(problem({"join LEAD NEXT"}), "");
    EXPECT_EQ(problem({"join LEAD NEXT", "split LEAD 5", "set_type LEAD.i vector"}), "");
    EXPECT_EQ(problem({"join LEAD NEXT", "split LEAD 5"}), "");
    EXPECT_EQ(problem({"join LEAD NEXT", "split LEAD 4", "reorder LEAD.o i0"}), "") << "in blocks";
    EXPECT_TRUE(has(problem({"join LEAD NEXT", "split LEAD 4", "reorder LEAD.i LEAD.o"}), "through the places in order"));
    EXPECT_TRUE(has(problem({"join LEAD NEXT", "set_type LEAD local"}), "the items of a group do not share"));
    EXPECT_TRUE(has(problem({"join LEAD NEXT", "pad LEAD 5"}), "it is not padded"));
    EXPECT_TRUE(has(problem({"join LEAD NEXT", "split NEXT 4"}), "divided, merged or joined"));
    EXPECT_TRUE(has(problem({"split LEAD 4", "join LEAD.o NEXT"}), "is no whole axis"));
    EXPECT_TRUE(has(problem({"split NEXT 4", "join LEAD NEXT.i"}), "is no whole axis"));
    EXPECT_TRUE(has(problem({"join LEAD NEXT", "join LEAD NEXT"}), "is not a loop"));
}

} // namespace
} // namespace sw
