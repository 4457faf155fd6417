#include "engine/api/explorer.h"
#include "engine/api/kernel_trace.h"
#include "engine/api/resources.h"
#include "engine/api/tensor_files.h"
#include "engine/backend/native_backends.h"
#include "tests/unit/api/random_tensor.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace sw {
namespace {

constexpr const char *kProgram = "input x: f32[4, 8]\n"
                                 "input i: i32[6]\n"
                                 "input b: bool[4]\n"
                                 "param w: f32[8] = random(7)\n"
                                 "output y = x * w\n"
                                 "output j = i + 1\n"
                                 "output c = ~b\n";

class InputsTest : public testing::Test {
protected:
    InputsTest() { addNativeBackends(m_registry); }

    void compile(const char *program = kProgram)
    {
        ExploreRequest request;
        request.fileName = "test.sw";
        request.text = program;
        request.device = "interpreter";
        m_report = m_explorer.compile(request, {}, {});
        ASSERT_TRUE(m_report && m_report->succeeded);
    }
    TensorViewPtr output(const std::vector<InputChoice> &inputs, std::size_t index = 0)
    {
        RunRequest run;
        run.warmup = 0;
        run.repeats = 1;
        run.inputs = inputs;
        m_report = m_explorer.run(run, {});
        return index < m_report->outputs.size() ? m_report->outputs[index] : nullptr;
    }
    std::string firstError() const { return m_report->messages.empty() ? std::string() : m_report->messages.front().text; }
    static InputChoice choice(const char *name, InputFill fill)
    {
        InputChoice made;
        made.name = name;
        made.fill = fill;
        return made;
    }
    // The value that the choice makes.
    TensorViewPtr made(const InputChoice &choice)
    {
        m_explorer.chooseInputs({1, {}, {choice}});
        ValueOpening opening = m_explorer.inputValue(choice.name, {});
        EXPECT_EQ(opening.error, "");
        return opening.value;
    }
    const InputEntry &entry(std::string_view name) const { return *std::ranges::find(m_report->inputs, name, &InputEntry::name); }

    BackendRegistry m_registry;
    Explorer m_explorer{m_registry, findResourceFolder()};
    ReportPtr m_report;
};

TEST_F(InputsTest, areListedWithTheirTypes)
{
    compile();
    ASSERT_EQ(m_report->inputs.size(), 4U);
    EXPECT_EQ(entry("x").type, "f32[4, 8]");
    EXPECT_FALSE(entry("x").isParam);
    EXPECT_TRUE(entry("w").isParam);
    EXPECT_EQ(entry("i").elementType, "i32");
    EXPECT_EQ(entry("b").shape, std::vector<std::int64_t>{4});
}

TEST_F(InputsTest, fillsAreWhatTheySay)
{
    compile();
    EXPECT_EQ(made(choice("x", InputFill::Zeros))->statistics({})->zeros, 32);
    EXPECT_EQ(made(choice("x", InputFill::Ones))->statistics({})->mean, 1);
    EXPECT_EQ(made(choice("b", InputFill::Ones))->text(3, ValueFormat::Decimal), "true");
    InputChoice range = choice("i", InputFill::Range);
    range.first = 10;
    range.second = -2;
    EXPECT_EQ(made(range)->texts(0, 6, ValueFormat::Decimal), (std::vector<std::string>{"10", "8", "6", "4", "2", "0"}));
    InputChoice constant = choice("x", InputFill::Constant);
    constant.constant = "-inf";
    EXPECT_EQ(made(constant)->statistics({})->infinities, 32);
}

TEST_F(InputsTest, randomFillsFollowTheirSeedAndDistribution)
{
    compile("input x: f64[200, 200]\ninput i: i8[10000]\noutput y = x\noutput j = i\n");
    InputChoice uniform = choice("x", InputFill::Uniform);
    uniform.first = -3;
    uniform.second = 5;
    const TensorViewPtr a = made(uniform);
    EXPECT_TRUE(a->tensor().isIdenticalTo(made(uniform)->tensor()));
    const TensorStatisticsPtr flat = a->statistics({});
    EXPECT_GE(flat->minimum, -3);
    EXPECT_LT(flat->maximum, 5);
    EXPECT_NEAR(flat->mean, 1, 0.05);
    EXPECT_NEAR(flat->deviation, 8 / std::sqrt(12), 0.05);
    uniform.seed = 2;
    EXPECT_FALSE(a->tensor().isIdenticalTo(made(uniform)->tensor()));

    InputChoice normal = choice("x", InputFill::Normal);
    normal.first = 4;
    normal.second = 0.5;
    const TensorStatisticsPtr bell = made(normal)->statistics({});
    EXPECT_NEAR(bell->mean, 4, 0.02);
    EXPECT_NEAR(bell->deviation, 0.5, 0.01);
    // 68 and 95 per cent, as far as the bins tell.
    std::int64_t near = 0;
    const TensorViewPtr view = made(normal);
    for (std::int64_t i = 0; i < view->elements(); ++i)
        near += std::fabs(view->number(i) - 4) < 0.5 ? 1 : 0;
    EXPECT_NEAR(static_cast<double>(near) / 40'000, 0.6827, 0.01);

    InputChoice whole = choice("i", InputFill::Uniform);
    whole.first = -2;
    whole.second = 2;
    const TensorViewPtr dice = made(whole);
    EXPECT_EQ(dice->statistics({})->minimum, -2);
    EXPECT_EQ(dice->statistics({})->maximum, 2);
    EXPECT_NEAR(static_cast<double>(dice->statistics({})->zeros), 2000, 200);
}

TEST_F(InputsTest, areWhatTheRunTheReferenceAndTheKernelSee)
{
    compile("input x: f32[4]\noutput y = x + 1.0\n");
    InputChoice range = choice("x", InputFill::Range);
    range.changes = {{{2}, "40"}};
    const std::vector<std::string> wanted{"1.0", "2.0", "41.0", "4.0"};
    EXPECT_EQ(output({range})->texts(0, 4, ValueFormat::Decimal), wanted);
    const auto &items = m_report->graph->items;
    const auto item = std::ranges::find_if(
        items, [](const DocumentItem &at) { return std::ranges::find(at.tags, "output") != at.tags.end() && at.label == "add"; });
    ASSERT_NE(item, items.end());
    EXPECT_EQ(m_explorer.nodeValue(item->node, ValueSource::Reference, {}).value->texts(0, 4, ValueFormat::Decimal), wanted);
    const TraceOpening opened = m_explorer.openKernel(0, {});
    ASSERT_NE(opened.trace, nullptr) << opened.error;
    bool isSeen = false;
    for (const TraceMemory &memory : opened.trace->memories())
        isSeen =
            isSeen || opened.trace->elements(memory.instruction, 0, 4) == std::vector<std::string>{"0.0", "1.0", "40.0", "3.0"};
    EXPECT_TRUE(isSeen);
    // Chosen without a run, they count for values as well.
    m_explorer.chooseInputs({1, {}, {choice("x", InputFill::Zeros)}});
    EXPECT_EQ(m_explorer.nodeValue(item->node, ValueSource::Device, {}).value->text(2, ValueFormat::Decimal), "1.0");
}

TEST_F(InputsTest, givenTensorsMustFit)
{
    compile();
    InputChoice given = choice("x", InputFill::Tensor);
    given.tensor = tensorOfNumbers("numbers.npy", "f64", std::array<std::int64_t, 2>{4, 8}, std::vector<double>(32, 2.0));
    EXPECT_EQ(output({given}), nullptr);
    EXPECT_EQ(firstError(), "input \"x\": it is f32[4, 8], but numbers.npy is f64[4, 8]");
    EXPECT_EQ(whyUnfit(given, entry("x")), "it is f32[4, 8], but numbers.npy is f64[4, 8]");
    given.tensor = tensorOfNumbers("numbers.npy", "f32", std::array<std::int64_t, 2>{8, 4}, std::vector<double>(32, 2.0));
    EXPECT_EQ(whyUnfit(given, entry("x")), "it is f32[4, 8], but numbers.npy is f32[8, 4]");
    given.tensor = tensorOfNumbers("numbers.npy", "f32", std::array<std::int64_t, 2>{4, 8}, std::vector<double>(32, 2.0));
    EXPECT_EQ(whyUnfit(given, entry("x")), "");
    given.changes = {{{3, 7}, "nan"}};
    const TensorViewPtr y = output({given});
    ASSERT_NE(y, nullptr) << firstError();
    EXPECT_EQ(y->statistics({})->nans, 1);
    EXPECT_EQ(y->classOf(31), ValueClass::NotANumber);
    EXPECT_EQ(given.tensor->number(31), 2); // the given tensor itself stays as it is
}

TEST_F(InputsTest, errorsSayWhatWasFoundAndExpected)
{
    compile();
    EXPECT_EQ(output({choice("z", InputFill::Zeros)}), nullptr);
    EXPECT_EQ(firstError(), "the program has no input \"z\"; it has x, i, b, w");
    InputChoice cell = choice("x", InputFill::Zeros);
    cell.changes = {{{4, 0}, "1"}};
    EXPECT_EQ(whyUnfit(cell, entry("x")), "it is f32[4, 8], and has no element [4, 0]");
    cell.changes = {{{0, 0}, "one"}};
    EXPECT_EQ(whyUnfit(cell, entry("x")), "\"one\" is not a value of type f32");
    InputChoice uniform = choice("x", InputFill::Uniform);
    uniform.first = 2;
    EXPECT_EQ(whyUnfit(uniform, entry("x")), "the lower bound 2 is above the upper bound 1");
    InputChoice normal = choice("x", InputFill::Normal);
    normal.second = -1;
    EXPECT_EQ(whyUnfit(normal, entry("x")), "the standard deviation is -1, and it cannot be negative");
    EXPECT_EQ(whyUnfit(choice("b", InputFill::Normal), entry("b")), "it is bool[4], and bool has no numbers to choose from");
    InputChoice constant = choice("i", InputFill::Constant);
    constant.constant = "1.5";
    EXPECT_EQ(whyUnfit(constant, entry("i")), "\"1.5\" is not a value of type i32");
    EXPECT_EQ(whyUnfit(choice("x", InputFill::Tensor), entry("x")), "it is f32[4, 8], and no tensor was given for it");
}

TEST_F(InputsTest, openDimensionsFollowTheGivenTensor)
{
    compile("n: dim[1, 10] = 5\ninput x: f32[n, 2]\noutput y = sum(x, axis = 0)\n");
    EXPECT_TRUE(entry("x").hasOpenShape);
    InputChoice given = choice("x", InputFill::Tensor);
    given.tensor = tensorOfNumbers("x.npy", "f32", std::array<std::int64_t, 2>{3, 2}, std::vector<double>(6, 1.0));
    const TensorViewPtr y = output({given});
    ASSERT_NE(y, nullptr) << firstError();
    EXPECT_EQ(y->texts(0, 2, ValueFormat::Decimal), (std::vector<std::string>{"3.0", "3.0"}));
    InputChoice ones = choice("x", InputFill::Ones);
    RunRequest run;
    run.dimensions = {{"n", 7}};
    run.inputs = {ones};
    m_report = m_explorer.run(run, {});
    ASSERT_EQ(m_report->outputs.size(), 1U) << firstError();
    EXPECT_EQ(m_report->outputs[0]->text(0, ValueFormat::Decimal), "7.0");
    EXPECT_EQ(m_explorer.inputValue("x", {}).value->type(), "f32[7, 2]");
    ones.changes = {{{8, 0}, "5"}};
    run.inputs = {ones};
    m_report = m_explorer.run(run, {});
    EXPECT_EQ(firstError(), "input \"x\": it is f32[7, 2] here, and has no element [8, 0]");
}

TEST_F(InputsTest, factsAreOfEachInput)
{
    compile();
    InputChoice constant = choice("x", InputFill::Constant);
    constant.constant = "3";
    m_explorer.chooseInputs({1, {}, {constant}});
    const std::vector<InputFacts> facts = m_explorer.inputFacts({});
    ASSERT_EQ(facts.size(), 4U);
    EXPECT_EQ(facts[0].name, "x");
    EXPECT_EQ(facts[0].statistics->mean, 3);
    EXPECT_EQ(facts[3].statistics->elements, 8);
}

TEST_F(InputsTest, choicesAreDescribed)
{
    InputChoice choice;
    EXPECT_EQ(describe(choice), "as the program says");
    choice.fill = InputFill::Range;
    choice.changes = {{{0}, "1"}};
    EXPECT_EQ(describe(choice), "range from 0 in steps of 1, 1 cell changed");
    choice.fill = InputFill::Normal;
    choice.changes.clear();
    EXPECT_EQ(describe(choice), "normal, mean 0, deviation 1, seed 1");
}

} // namespace
} // namespace sw
