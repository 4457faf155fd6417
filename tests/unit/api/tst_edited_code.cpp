// Texts of kernels that a person edited, through Explorer: what became of them, what they compute, and what the compiler says.

#include "engine/api/effect.h"
#include "engine/api/explorer.h"
#include "engine/api/override_list.h"
#include "engine/api/resources.h"
#include "engine/backend/native_backends.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace sw {
namespace {

constexpr const char *kProgram = "input x: f32[64]\nh = x * 3.0\noutput y = sum(h + 1.0, keepdims = true)\noutput z = h - 2.5\n";

std::string replaced(std::string text, std::string_view what, std::string_view with)
{
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << "no " << what << " in\n" << text;
    return at == std::string::npos ? text : text.replace(at, what.size(), with);
}

class EditedCodeTest : public testing::TestWithParam<const char *> {
protected:
    EditedCodeTest() { addNativeBackends(m_registry); }

    void SetUp() override
    {
        if (const auto found = m_registry.device(GetParam()); !found)
            GTEST_SKIP() << toText(found.error());
    }
    ReportPtr compile(const std::string &overrides = {}, const std::string &program = kProgram)
    {
        ExploreRequest request;
        request.fileName = "test.sw";
        request.text = program;
        request.device = GetParam();
        if (!overrides.empty())
            request.overrides = "stepwell overrides 1\n" + overrides + "\n";
        request.overridesName = "test.overrides";
        return m_explorer.compile(request, {}, {});
    }
    ReportPtr run() { return m_explorer.run({.repeats = 1}, {}); }
    // The kernel that stores z, as source or as lowered instructions.
    KernelCode codeOfZ(StageKind stage = StageKind::Code)
    {
        const ReportPtr report = compile();
        for (std::uint32_t i = 0; i < report->kernels.size(); ++i)
            if (KernelCode code = m_explorer.kernelCode(i, stage); code.value == "z")
                return code;
        ADD_FAILURE() << "no kernel stores z";
        return {};
    }
    // What stands in the text of z's kernel for 2.5, and for 4.5.
    static std::string constant(const std::string &text)
    {
        for (const auto &[before, after] : {std::pair{"-2.5", "-4.5"}, std::pair{"0xC004000000000000", "0xC012000000000000"},
                                            std::pair{"2.5", "4.5"}, std::pair{"0x4004000000000000", "0x4012000000000000"}})
            if (text.find(before) != std::string::npos) {
                std::string changed = text;
                for (std::size_t at = 0; (at = changed.find(before, at)) != std::string::npos; ++at)
                    changed.replace(at, std::string_view(before).size(), after);
                return changed;
            }
        ADD_FAILURE() << "no constant in\n" << text;
        return text;
    }

    BackendRegistry m_registry;
    Explorer m_explorer{m_registry, findResourceFolder()};
};

TEST_P(EditedCodeTest, theKernelsOwnTextIsNoChange)
{
    for (const StageKind stage : {StageKind::Code, StageKind::Lowered}) {
        const KernelCode code = codeOfZ(stage);
        ASSERT_FALSE(code.original.empty());
        EXPECT_EQ(code.current, code.original);
        static_cast<void>(compile());
        const ReportPtr before = run();
        const ReportPtr after = compile(codeOverride(code, "same", code.original));
        ASSERT_EQ(after->overrides.size(), 1U);
        EXPECT_EQ(after->overrides[0].state, "no change") << after->overrides[0].reason;
        EXPECT_EQ(after->overrides[0].kind, "code");
        EXPECT_EQ(after->overrides[0].where, code.kernel);
        EXPECT_EQ(effectOf(*before, *run()).values, ValuesAgree::Same);
    }
}

TEST_P(EditedCodeTest, aChangedConstantIsAppliedAndItsValuesDiffer)
{
    for (const StageKind stage : {StageKind::Code, StageKind::Lowered}) {
        const KernelCode code = codeOfZ(stage);
        const ReportPtr plain = compile();
        const ReportPtr before = run();
        const ReportPtr after = compile(codeOverride(code, "by hand", constant(code.original)));
        ASSERT_TRUE(after->succeeded) << after->messages.front().text;
        EXPECT_EQ(after->overrides[0].state, "applied") << after->overrides[0].reason;
        EXPECT_EQ(after->overrides[0].title.rfind("code z ", 0), 0U);
        EXPECT_EQ(after->overrides[0].title.find('\n'), std::string::npos);
        const Effect effect = effectOf(*before, *run());
        EXPECT_EQ(effect.values, ValuesAgree::Different) << effect.valuesText;
        EXPECT_NE(effect.valuesText.find("furthest off is z["), std::string::npos) << effect.valuesText;
        // Every element of z, and nothing else, is lower by two.
        const auto &outputs = before->runOutputs->outputs;
        const ReportPtr ran = run();
        for (std::size_t i = 0; i < outputs.size(); ++i)
            for (std::int64_t e = 0; e < outputs[i].value.elements(); ++e)
                EXPECT_FLOAT_EQ(static_cast<float>(ran->runOutputs->outputs[i].value.at(e).asDouble()),
                                static_cast<float>(outputs[i].value.at(e).asDouble() - (outputs[i].name == "z" ? 2 : 0)));
        // Other kernels are as they were, and switched off nothing is left of it.
        EXPECT_EQ(after->kernels.size(), plain->kernels.size());
        EXPECT_EQ(compile("off " + codeOverride(code, "by hand", constant(code.original)))->overrides[0].state, "off");
        EXPECT_EQ(effectOf(*before, *run()).values, ValuesAgree::Same);
    }
}

// The edited line still lights up what it was made for.
TEST_P(EditedCodeTest, linesThatStayKeepTheirOrigins)
{
    const KernelCode code = codeOfZ();
    const ReportPtr plain = compile();
    const ReportPtr edited = compile(codeOverride(code, {}, constant(code.original)));
    ASSERT_EQ(edited->code->lines.size(), plain->code->lines.size());
    for (std::size_t i = 0; i < plain->code->lines.size(); ++i)
        EXPECT_EQ(edited->code->lines[i].item, plain->code->lines[i].item) << plain->code->lines[i].text;
}

TEST_P(EditedCodeTest, aTextForOtherWorkItemsIsRefused)
{
    const KernelCode code = codeOfZ();
    constexpr std::string_view kSaid = "one work item of ";
    const std::size_t at = code.original.find(kSaid);
    if (at == std::string::npos) { // each of OpenCL's work items finds its place by itself
        EXPECT_STREQ(GetParam(), "opencl");
        return;
    }
    std::string text = code.original;
    text.insert(at + kSaid.size(), "1"); // 1 x 1 x 1 becomes 11 x 1 x 1
    const ReportPtr report = compile(codeOverride(code, {}, text));
    ASSERT_EQ(report->overrides.size(), 1U);
    EXPECT_EQ(report->overrides[0].state, "refused");
    EXPECT_NE(report->overrides[0].reason.find("for other work items"), std::string::npos) << report->overrides[0].reason;
}

TEST_P(EditedCodeTest, aBrokenTextIsRefusedWithThePlaceInIt)
{
    const KernelCode code = codeOfZ();
    static_cast<void>(compile());
    const ReportPtr before = run();
    const std::string text = replaced(code.original, "\n", "\nthis is no code\n");
    const ReportPtr after = compile("# above\n" + codeOverride(code, "broken", text));
    EXPECT_TRUE(after->succeeded);
    ASSERT_EQ(after->overrides.size(), 1U);
    EXPECT_EQ(after->overrides[0].state, "refused");
    ASSERT_FALSE(after->overrides[0].problems.empty());
    EXPECT_EQ(after->overrides[0].problems.front().line, 2U);
    // In the file: behind its first line, the comment and the line of the override.
    const bool isPlaced = std::ranges::any_of(after->messages, [](const Message &message) {
        return message.file == "test.overrides" && message.line == 5 && message.severity == MessageSeverity::Warning;
    });
    EXPECT_TRUE(isPlaced) << after->messages.front().text << after->messages.front().line;
    EXPECT_EQ(effectOf(*before, *run()).values, ValuesAgree::Same);
    // A correct text afterwards is applied.
    EXPECT_EQ(compile(codeOverride(code, "broken", constant(code.original)))->overrides[0].state, "applied");
}

TEST_P(EditedCodeTest, aBrokenLoweredTextIsRefusedWithThePlaceInIt)
{
    const KernelCode code = codeOfZ(StageKind::Lowered);
    for (const std::string &text :
         {replaced(code.original, "\n", "\n  %bad = tangle f32 %x\n"), replaced(code.original, "[64]", "[65]"),
          replaced(code.original, "store f32", "store i32"), std::string("end\n")}) {
        const ReportPtr after = compile(codeOverride(code, {}, text));
        EXPECT_TRUE(after->succeeded);
        EXPECT_EQ(after->overrides[0].state, "refused") << text;
        ASSERT_FALSE(after->overrides[0].problems.empty()) << text;
        EXPECT_GT(after->overrides[0].problems.front().line, 0U) << text;
    }
}

TEST_P(EditedCodeTest, aStaleTextIsToldAndNotRun)
{
    const KernelCode code = codeOfZ();
    const std::string override = codeOverride(code, {}, constant(code.original));
    const auto reasonFor = [&](std::string_view what, std::string_view with) {
        const ReportPtr report = compile(override, replaced(kProgram, what, with));
        EXPECT_EQ(report->overrides.at(0).state, "refused") << with;
        return report->overrides[0].reason;
    };
    // The kernel is launched with other arguments.
    const std::string sizes = reasonFor("f32[64]", "f32[80]");
    EXPECT_NE(sizes.find("f32[64]"), std::string::npos) << sizes;
    EXPECT_NE(sizes.find("f32[80]"), std::string::npos) << sizes;
    // It is launched with the same ones, but computes something else.
    EXPECT_NE(reasonFor("h - 2.5", "h - 7.5").find("own text has changed"), std::string::npos);
    EXPECT_EQ(compile(override, replaced(kProgram, "output z", "output other"))->overrides[0].state, "unknown value");
    EXPECT_EQ(compile(override, replaced(kProgram, "h + 1.0", "h + 1.5"))->overrides[0].state, "applied");
}

TEST_P(EditedCodeTest, oneTextCountsForAKernel)
{
    const KernelCode code = codeOfZ();
    const std::string first = codeOverride(code, "first", constant(code.original));
    const std::string second = codeOverride(code, "second", code.original);
    const ReportPtr report = compile(first + "\n" + second);
    ASSERT_EQ(report->overrides.size(), 2U);
    EXPECT_EQ(report->overrides[0].state, "applied");
    EXPECT_EQ(report->overrides[1].state, "refused");
    EXPECT_NE(report->overrides[1].reason.find("earlier override"), std::string::npos);
    const ReportPtr chosen = compile("off " + first + "\n" + second);
    EXPECT_EQ(chosen->overrides[0].state, "off");
    EXPECT_EQ(chosen->overrides[1].state, "no change");
    KernelCode elsewhere = code;
    elsewhere.device = "cuda";
    EXPECT_EQ(compile(codeOverride(elsewhere, {}, "nonsense"))->overrides[0].state, "no change");
}

TEST_P(EditedCodeTest, aSourceMayBeEditedAfterTheInstructions)
{
    const KernelCode lowered = codeOfZ(StageKind::Lowered);
    const std::string first = codeOverride(lowered, {}, constant(lowered.original));
    const ReportPtr report = compile(first);
    std::uint32_t kernel = 0;
    while (kernel < report->kernels.size() && m_explorer.kernelCode(kernel, StageKind::Code).value != "z")
        ++kernel;
    const KernelCode source = m_explorer.kernelCode(kernel, StageKind::Code);
    EXPECT_EQ(m_explorer.kernelCode(kernel, StageKind::Lowered).original, lowered.original);
    EXPECT_EQ(m_explorer.kernelCode(kernel, StageKind::Lowered).current, constant(lowered.original));
    const ReportPtr both = compile(first + "\n" + codeOverride(source, {}, source.original + "\n"));
    EXPECT_EQ(both->overrides[0].state, "applied");
    EXPECT_EQ(both->overrides[1].state, "applied") << both->overrides[1].reason;
}

// The list that the window keeps is the file.
TEST_P(EditedCodeTest, theListKeepsVariantsWithTheirTexts)
{
    const KernelCode code = codeOfZ();
    std::vector<OverrideLine> lines = withOverride({}, codeOverride(code, "a", constant(code.original))).lines;
    lines = withOverride(lines, "store h").lines;
    lines = withOverride(lines, codeOverride(code, "b", code.original)).lines;
    lines = withVariantOn(lines, code, 2);
    lines[0].note = "slower";
    lines[0].above = "# two variants\n\n";
    ASSERT_EQ(lines.size(), 3U);
    const OverrideFile read = readOverrides(overridesText(lines), "test.overrides");
    ASSERT_TRUE(read.messages.empty()) << read.messages.front().text;
    EXPECT_EQ(read.lines, lines);
    const std::vector<CodeVariant> variants = codeVariants(read.lines, code);
    ASSERT_EQ(variants.size(), 2U);
    EXPECT_EQ(variants[0].name, "a");
    EXPECT_FALSE(variants[0].isOn);
    EXPECT_EQ(variants[1].index, 2U);
    EXPECT_TRUE(variants[1].isOn);
    EXPECT_EQ(variants[1].text, code.original);
    // The same variant again takes the place of the one before.
    lines = withOverride(lines, codeOverride(code, "a", code.original)).lines;
    EXPECT_EQ(lines.size(), 3U);
    EXPECT_EQ(codeVariants(lines, code)[0].text, code.original);
}

INSTANTIATE_TEST_SUITE_P(Devices, EditedCodeTest, testing::Values("llvm", "c", "opencl"));

} // namespace
} // namespace sw
