// Axes that are divided into rows: by hand, and by the compiler where vectors would lie in two rows.

#include "tests/unit/loops/loops_of_text.h"
#include "tests/unit/loops/transform_lists.h"

#include "engine/loops/division.h"
#include "engine/passes/loops/contraction_price.h"

namespace sw {
namespace {

class Division : public test::TransformLists {
protected:
    // The rows of a [planes, rows, columns] image, cut out of their borders, as one axis.
    SchedulePtr cut(std::int64_t planes, std::int64_t rows, std::int64_t columns)
    {
        m_builder.emplace(m_sources);
        const NodeId whole = input({planes, rows + 2, columns + 3});
        const NodeId inside = m_builder->shrink(Origin(m_item), whole, {{0, 1, 2}, {planes, rows + 1, columns + 2}}).value();
        return scheduled(
            {op(Op::Mul, m_builder->reshape(Origin(m_item), inside, {planes, rows * columns}).value(), inputOf(planes))});
    }

    LoopNest after(const SchedulePtr &schedule, const std::vector<std::string> &lines)
    {
        LoopNest nest = *(*test::loopsFor(schedule, test::vectorDevice(), {.optimize = false}))->nests.front();
        for (const std::string &line : lines)
            nest = applyTransform(nest, parseTransform(line).value()).value();
        return nest;
    }

private:
    NodeId inputOf(std::int64_t planes) { return input({planes, 1}); }
};

TEST_F(Division, makesIndicesOfRowsEven)
{
    const SchedulePtr schedule = cut(2, 5, 6);
    const LoopNest plain = after(schedule, {});
    const AxisId flat = plain.domain.back();
    EXPECT_EQ(divisorsOf(plain, flat), (std::vector<std::int64_t>{6}));
    const LoopNest divided = after(schedule, {"divide i1 6"});
    ASSERT_EQ(divided.domain.size(), 3U);
    EXPECT_EQ(divided.axes[divided.domain[1].value].extent, 5);
    EXPECT_EQ(divided.axes[divided.domain[2].value].extent, 6);
    for (const AxisId axis : divided.domain)
        EXPECT_TRUE(divisorsOf(divided, axis).empty());
    const std::string text = toText(divided, *schedule);
    EXPECT_EQ(text.find("//"), std::string::npos) << text;
    EXPECT_EQ(text.find('%'), std::string::npos) << text;
    EXPECT_NE(text.find("i1.q*9 + i1.r"), std::string::npos) << text; // rows of 9 elements in memory
}

TEST_F(Division, computesWhatTheWholeAxisDoes)
{
    const SchedulePtr schedule = cut(2, 5, 6);
    using Lines = std::vector<std::string>;
    for (const Lines &lines : {Lines{"divide i1 6"}, Lines{"divide i1 3"}, Lines{"divide i1 10", "divide i1.r 5"},
                               Lines{"divide i1 6", "set_type i1.r vector", "mask i1.r", "reorder i1.q i0 i1.r"},
                               Lines{"divide i1 6", "split i1.r 4", "set_type i1.r.i vector"},
                               Lines{"divide i1 6", "merge i1.q i1.r"}, Lines{"divide i1 15", "pad i1.r 4"}})
        EXPECT_EQ(problemOf(schedule, lines), "") << join(lines, "; ", [](const std::string &line) { return line; });
    m_builder.emplace(m_sources);
    const SchedulePtr sum = scheduled({reduced(input({4, 12}), {1})});
    EXPECT_EQ(problemOf(sum, {"divide r1 4", "set_type r1.r vector"}), "");
}

TEST_F(Division, isRefusedWhereItWouldNotBeARow)
{
    const SchedulePtr schedule = cut(2, 5, 6);
    const auto refused = [&](const std::vector<std::string> &lines, const char *why) {
        const std::string problem = problemOf(schedule, lines);
        EXPECT_NE(problem.find(why), std::string::npos) << problem;
    };
    refused({"divide i1 7"}, "i1 has 30 indices; they are divided by a number from 2 on that divides them, and is less");
    refused({"divide i1 1"}, "by a number from 2 on");
    refused({"divide i1 30"}, "and is less");
    refused({"divide i1 -6"}, "by a number from 2 on");
    refused({"divide i1 6", "divide i1 5"}, "axis i1 is not a loop: it was split, divided, merged or joined");
    refused({"split i1 6", "divide i1.o 5"}, "i1.o is a part of an axis; the whole one is divided, before it is split");
    refused({"pad i1 4", "divide i1.p 4"}, "i1.p is padded; axes are divided before that");
    refused({"set_type i1 thread", "divide i1 6"}, "i1 is thread already; axes are divided before that");
    refused({"pack v0 i0 i1", "divide i1 6"}, "axes are divided before what is read is copied or fetched");
    m_builder.emplace(m_sources);
    const SchedulePtr two = scheduled({product(8, 16, 12)});
    const auto ofProduct = [&](const std::vector<std::string> &lines) { return problemOf(two, lines); };
    EXPECT_NE(ofProduct({"split r2 4", "reorder r2.o i0 i1", "divide i0 4"})
                  .find("axes are divided before a reduction is done in blocks"),
              std::string::npos);
    EXPECT_NE(ofProduct({"set_type i1 vector", "tensorize r2", "divide i0 4"})
                  .find("axes are divided before the steps of a reduction are products of tiles"),
              std::string::npos);
    LoopNest ended = after(two, {});
    ended.axes[ended.domain.front().value].end = ValueId(std::size_t{0});
    EXPECT_EQ(divisionProblemOf(ended, ended.domain.front(), 4).value_or(""),
              "i0 ends at a value of the run, which may be in the middle of a row");
    LoopNest rows = after(two, {});
    rows.rowAxes = 1;
    EXPECT_EQ(divisionProblemOf(rows, rows.domain.front(), 4).value_or(""),
              "the rows of the kernel's stages are axes of their own, so none is divided");
}

// Vectors of 16 lanes.
TEST(ChosenDivision, keepsVectorsInTheirRows)
{
    const std::string map = test::loopsOfText("input x: f32[4, 42, 42]\ninput y: f32[4, 1600]\n"
                                              "output reshape(x[:, 1:41, 1:41], [4, 1600]) * y\n");
    EXPECT_NE(map.find("divide i1 40  # rows of 40 that do not follow each other in memory: vectors of 16 lanes would lie in "
                       "two of them"),
              std::string::npos)
        << map;
    EXPECT_EQ(map.find("//"), std::string::npos) << map;
    // What a detector does with its boxes: the places of the image are the rows of the result.
    const std::string heads = test::loopsOfText("input x: f32[1, 10, 40, 40]\nparam w: f32[10, 1, 3, 3] = random(1)\n"
                                                "y = conv2d(x, w, padding = 1, groups = 10)\n"
                                                "output reshape(permute(y, [0, 2, 3, 1]), [1600, 10])\n");
    EXPECT_NE(heads.find("divide i0 40"), std::string::npos) << heads;
    EXPECT_EQ(heads.find("//"), std::string::npos) << heads;
    const std::string sums = test::loopsOfText("input x: f32[64, 42, 42]\n"
                                               "output sum(reshape(x[:, 1:41, 1:41], [64, 1600]), axis = 1)\n");
    EXPECT_NE(sums.find("divide r1 40"), std::string::npos) << sums;
    EXPECT_EQ(sums.find("//"), std::string::npos) << sums;
    EXPECT_NE(sums.find("vector"), std::string::npos) << sums;
    // Two images of 14, whose elements take turns: what Winograd's algorithm leaves of rows of 56 pixels, in two parts.
    const std::string turns = test::loopsOfText("input x: f32[64, 2, 2, 14]\ninput y: f32[64, 56]\n"
                                                "output reshape(permute(x, [0, 1, 3, 2]), [64, 56]) * y\n");
    EXPECT_NE(turns.find("divide i1 28  # rows of 28"), std::string::npos) << turns;
    EXPECT_NE(turns.find("i1.r//2 + i1.r%2*14"), std::string::npos) << turns;
    EXPECT_EQ(turns.find("//28"), std::string::npos) << turns;
}

// All stages have the same rows; their other axes are divided in each of them.
TEST(ChosenDivision, isMadeInStages)
{
    const std::string stages = test::allLoopsOfText("input x: f32[64, 42, 42]\n"
                                                    "y = reshape(x[:, 1:41, 1:41], [64, 1600])\noutput softmax(exp(y) * 2)\n",
                                                    1, {});
    EXPECT_NE(stages.find("last stage"), std::string::npos) << stages;
    EXPECT_NE(stages.find("divide s0_i1 40"), std::string::npos) << stages;
    EXPECT_NE(stages.find("divide s0_r2 40"), std::string::npos) << stages;
    EXPECT_EQ(stages.find("//"), std::string::npos) << stages;
}

// What the tuner compares lists with: it reads the parts of an axis as the axes that they are.
TEST(ChosenDivision, hasThePriceOfItsTile)
{
    const GraphPtr graph = test::graphOfText("input x: f32[1, 10, 40, 40]\nparam w: f32[10, 1, 3, 3] = random(1)\n"
                                             "y = conv2d(x, w, padding = 1, groups = 10)\n"
                                             "output reshape(permute(y, [0, 2, 3, 1]), [1600, 10])\n");
    ASSERT_NE(graph, nullptr);
    const CompileTarget target{test::vectorDevice(1, 64), TargetLanguage::Llvm, {}};
    const PipelineRun run = runPipeline(graph, standardPipeline(), target, {});
    ASSERT_TRUE(run.succeeded) << toText(run.diagnostics);
    std::vector<LoopProgramPtr> programs;
    for (const PassStep &step : run.steps)
        if (const auto *made = std::get_if<LoopProgramPtr>(&step.after))
            programs.push_back(*made);
    ASSERT_GE(programs.size(), 2U);
    const LoopNest &plain = *programs.front()->nests.back();
    const LoopNest &made = *programs.back()->nests.back();
    ASSERT_GT(made.axes.size(), plain.axes.size());
    const PassContext context(target.device, TargetLanguage::Llvm, {}, {});
    const Schedule &schedule = *programs.back()->schedule;
    const auto cycles = contractionCycles(schedule, plain, made, context);
    ASSERT_TRUE(cycles) << toText(made, schedule);
    EXPECT_NE(toText(made, schedule).find(format("about {:.0f} thousand cycles", *cycles / 1000)), std::string::npos)
        << *cycles << toText(made, schedule);
    // Parts that are made after others have other numbers than those of the model's own nest.
    LoopNest late = applyTransform(plain, parseTransform("split i1 5").value()).value();
    late = applyTransform(std::move(late), parseTransform("divide i0 40").value()).value();
    late = applyTransform(std::move(late), parseTransform("set_type i0.r vector").value()).value();
    EXPECT_FALSE(contractionCycles(schedule, plain, late, context));
}

// Its tiles have 16 rows on end, which 1600 are and 40 are not.
TEST(ChosenDivision, leavesProductsToTensorInstructions)
{
    const std::string text = "input x: bf16[256, 42, 42]\ninput w: bf16[256, 512]\n"
                             "output reshape(permute(x[:, 1:41, 1:41], [1, 2, 0]), [1600, 256]) @ w\n";
    EXPECT_NE(test::allLoopsOfText(text, 1, {}).find("divide"), std::string::npos);
    const std::string tiles = test::allLoopsOfText(text, 1, {}, bitOf(TensorInstruction::AmxBf16));
    EXPECT_EQ(tiles.find("divide"), std::string::npos) << tiles;
    EXPECT_NE(tiles.find("tensorize"), std::string::npos) << tiles;
}

TEST(ChosenDivision, leavesAxesWholeWhereItWouldNotHelp)
{
    const auto cropped = [](std::int64_t row) {
        return test::loopsOfText(format("input x: f32[32, {}]\ninput y: f32[{}]\noutput reshape(x[:, 1:{}], [{}]) * y\n", row + 2,
                                        32 * row, row + 1, 32 * row));
    };
    EXPECT_NE(cropped(40).find("divide"), std::string::npos);
    EXPECT_NE(cropped(9).find("divide"), std::string::npos);
    EXPECT_EQ(cropped(48).find("divide"), std::string::npos); // three vectors are a row
    EXPECT_EQ(cropped(7).find("divide"), std::string::npos);  // most of a vector would be empty
    // A repeated element is one load for a vector; of many places with little to do, each lane is as cheap.
    const std::string repeated =
        test::loopsOfText("input w: f32[64, 4096]\ninput s: f32[64, 256]\n"
                          "output reshape(expand(reshape(s, [64, 256, 1]), [64, 256, 16]), [64, 4096]) * w\n");
    EXPECT_EQ(repeated.find("divide"), std::string::npos) << repeated;
    // Rows whose elements lie apart are no vectors, wherever they begin.
    const std::string turned = test::loopsOfText("input x: f32[42, 42, 3]\ninput y: f32[1600]\n"
                                                 "output reshape(x[1:41, 1:41, 0], [1600]) * y\n");
    EXPECT_EQ(turned.find("divide"), std::string::npos) << turned;
}

} // namespace
} // namespace sw
