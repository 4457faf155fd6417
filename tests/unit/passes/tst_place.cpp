// Where values go, what moves, and which collectives combine the parts.

#include "engine/passes/graph/place.h"
#include "engine/passes/graph/settle_devices.h"
#include "tests/unit/passes/graph_pass_fixture.h"

#include <vector>

namespace sw {
namespace {

TargetDevice deviceCalled(const char *name)
{
    TargetDevice made;
    made.device.id = name;
    return made;
}

// A compilation for a device called home and two others.
struct Placing {
    explicit Placing(std::uint32_t budget = kNoRewriteLimit)
        : home(deviceCalled("home").device),
          others{deviceCalled("c"), deviceCalled("opencl")},
          context(home, TargetLanguage::C, options, {}, budget, others)
    {
    }

    DeviceInfo home;
    std::vector<TargetDevice> others;
    CompileOptions options;
    PassContext context;
};

std::string after(GraphPass pass, Placing &run, const std::string &lines)
{
    const auto changed = pass(graphOfLines(lines), run.context);
    if (!changed)
        return toText(changed.error());
    if (!*changed)
        return "unchanged";
    PassRun cleaning;
    const auto clean = removeDead(**changed, cleaning.context);
    return linesOf(*clean ? **clean : **changed);
}

std::string placed(const std::string &lines)
{
    Placing run;
    return after(place, run, lines);
}

TEST(Place, leavesAloneWhatNamesNoDevice)
{
    EXPECT_EQ(placed("%0 = placeholder {name = \"x\", role = input} : f32[4]\n"
                     "%1 = neg %0 : f32[4]\n"
                     "sink %1 {names = [\"output\"]}\n"),
              "unchanged");
}

// What only the marked value needs is computed where it is; what others need as well stays.
TEST(Place, takesAlongWhatOnlyTheMarkedValueNeeds)
{
    EXPECT_EQ(placed("%0 = placeholder {name = \"x\", role = input} : f32[4]\n"
                     "%1 = exp %0 : f32[4]\n"
                     "%2 = neg %1 : f32[4]\n"
                     "%3 = sin %2 : f32[4]\n"
                     "%4 = device %3 {device = \"c\"} : f32[4]\n"
                     "%5 = cos %1 : f32[4]\n"
                     "sink %4, %5 {names = [\"a\", \"b\"]}\n"),
              "%0 = placeholder {name = \"x\", role = input} : f32[4]\n"
              "%1 = exp %0 : f32[4]\n"
              "%2 = copy %1 {device = \"c\"} : f32[4]\n"
              "%3 = neg %2 : f32[4]\n"
              "%4 = sin %3 : f32[4]\n"
              "%5 = cos %1 : f32[4]\n"
              "sink %4, %5 {names = [\"a\", \"b\"]}\n");
}

TEST(Place, computesWhereTheFirstPlacedOperandIs)
{
    EXPECT_EQ(placed("%0 = placeholder {name = \"x\", role = input} : f32[4]\n"
                     "%1 = copy %0 {device = \"c\"} : f32[4]\n"
                     "%2 = copy %0 {device = \"opencl:0\"} : f32[4]\n"
                     "%3 = add %0, %1 : f32[4]\n"
                     "%4 = mul %3, %2 : f32[4]\n"
                     "sink %4 {names = [\"output\"]}\n"),
              "%0 = placeholder {name = \"x\", role = input} : f32[4]\n"
              "%1 = copy %0 {device = \"c\"} : f32[4]\n"
              "%2 = copy %0 {device = \"opencl:0\"} : f32[4]\n"
              "%3 = copy %0 {device = \"c\"} : f32[4]\n"
              "%4 = add %3, %1 : f32[4]\n"
              "%5 = copy %2 {device = \"c\"} : f32[4]\n"
              "%6 = mul %4, %5 : f32[4]\n"
              "sink %6 {names = [\"output\"]}\n");
}

TEST(Place, dropsCopiesToWhereAValueIs)
{
    EXPECT_EQ(placed("%0 = placeholder {name = \"x\", role = input} : f32[4]\n"
                     "%1 = copy %0 {device = \"default\"} : f32[4]\n"
                     "%2 = copy %0 {device = \"home\", clone = true} : f32[4]\n"
                     "%3 = add %1, %2 : f32[4]\n"
                     "sink %3 {names = [\"output\"]}\n"),
              "%0 = placeholder {name = \"x\", role = input} : f32[4]\n"
              "%1 = copy %0 {device = \"home\", clone = true} : f32[4]\n"
              "%2 = add %0, %1 : f32[4]\n"
              "sink %2 {names = [\"output\"]}\n");
}

TEST(Place, namesTheDevicesThereAre)
{
    EXPECT_NE(placed("%0 = placeholder {name = \"x\", role = input} : f32[4]\n"
                     "%1 = copy %0 {device = \"cuda\"} : f32[4]\n"
                     "sink %1 {names = [\"output\"]}\n")
                  .find("this is not compiled for a device called \"cuda\"; it is for home, c, opencl"),
              std::string::npos);
}

// Two halves of x, on home and c, and what comes after them.
std::string halves(const std::string &rest)
{
    return "%0 = placeholder {name = \"x\", role = input} : f32[4, 6]\n"
           "%1 = shrink %0 {begin = [0, 0], end = [2, 6]} : f32[2, 6]\n"
           "%2 = shrink %0 {begin = [2, 0], end = [4, 6]} : f32[2, 6]\n"
           "%3 = copy %2 {device = \"c\"} : f32[2, 6]\n"
           "%4 = multi %1, %3 {axis = 0} : f32[4, 6]\n" +
           rest;
}

const std::string kHalves = "%0 = placeholder {name = \"x\", role = input} : f32[4, 6]\n"
                            "%1 = shrink %0 {begin = [0, 0], end = [2, 6]} : f32[2, 6]\n"
                            "%2 = shrink %0 {begin = [2, 0], end = [4, 6]} : f32[2, 6]\n"
                            "%3 = copy %2 {device = \"c\"} : f32[2, 6]\n";

TEST(Place, computesPartByPartAndGathersAtTheEnd)
{
    EXPECT_EQ(placed(halves("%5 = exp %4 : f32[4, 6]\n"
                            "%6 = reduce_axis max %5 {axes = [1]} : f32[4, 1]\n"
                            "sink %6 {names = [\"output\"]}\n")),
              kHalves + "%4 = exp %1 : f32[2, 6]\n"
                        "%5 = exp %3 : f32[2, 6]\n"
                        "%6 = reduce_axis max %4 {axes = [1]} : f32[2, 1]\n"
                        "%7 = reduce_axis max %5 {axes = [1]} : f32[2, 1]\n"
                        "%8 = copy %7 {device = \"default\"} : f32[2, 1] @\"gather\"\n"
                        "%9 = cat %6, %8 {axis = 0} : f32[4, 1] @\"gather\"\n"
                        "sink %9 {names = [\"output\"]}\n");
}

// The sum is small, so all devices get it; what repeats it comes after.
TEST(Place, reducesOverTheShardsForAllThatReadTheResult)
{
    Placing run;
    EXPECT_EQ(after(place, run,
                    halves("%5 = reduce_axis add %4 {axes = [0]} : f32[1, 6]\n"
                           "%6 = expand %5 : f32[4, 6]\n"
                           "%7 = sub %4, %6 : f32[4, 6]\n"
                           "%8 = copy %7 {device = \"c\"} : f32[4, 6]\n"
                           "sink %8 {names = [\"output\"]}\n")),
              kHalves + "%4 = reduce_axis add %1 {axes = [0]} : f32[1, 6]\n"
                        "%5 = reduce_axis add %3 {axes = [0]} : f32[1, 6]\n"
                        "%6 = copy %5 {device = \"default\"} : f32[1, 6] @\"all_reduce\"\n"
                        "%7 = add %4, %6 : f32[1, 6] @\"all_reduce\"\n"
                        "%8 = copy %4 {device = \"c\"} : f32[1, 6] @\"all_reduce\"\n"
                        "%9 = add %8, %5 : f32[1, 6] @\"all_reduce\"\n"
                        "%10 = expand %7 : f32[2, 6]\n"
                        "%11 = expand %9 : f32[2, 6]\n"
                        "%12 = sub %1, %10 : f32[2, 6]\n"
                        "%13 = sub %3, %11 : f32[2, 6]\n"
                        "%14 = copy %12 {device = \"c\"} : f32[2, 6] @\"gather\"\n"
                        "%15 = cat %14, %13 {axis = 0} : f32[4, 6] @\"gather\"\n"
                        "sink %15 {names = [\"output\"]}\n");
    ASSERT_EQ(run.context.rewrites().events().size(), 5U);
    EXPECT_EQ(run.context.rewrites().events()[2].detail,
              "%6 expand on home, c, each the whole: all-reduce of 24 bytes on home, c");
}

TEST(Place, reducesAndScattersWhatIsReadInParts)
{
    EXPECT_EQ(placed(halves("%5 = reduce_axis add %4 {axes = [0]} : f32[1, 6]\n"
                            "%6 = shrink %5 {begin = [0, 0], end = [1, 3]} : f32[1, 3]\n"
                            "%7 = shrink %5 {begin = [0, 3], end = [1, 6]} : f32[1, 3]\n"
                            "%8 = copy %7 {device = \"c\"} : f32[1, 3]\n"
                            "%9 = multi %6, %8 {axis = 1} : f32[1, 6]\n"
                            "sink %9 {names = [\"output\"]}\n")),
              kHalves + "%4 = reduce_axis add %1 {axes = [0]} : f32[1, 6]\n"
                        "%5 = reduce_axis add %3 {axes = [0]} : f32[1, 6]\n"
                        "%6 = shrink %4 {begin = [0, 0], end = [1, 3]} : f32[1, 3]\n"
                        "%7 = shrink %5 {begin = [0, 0], end = [1, 3]} : f32[1, 3]\n"
                        "%8 = shrink %4 {begin = [0, 3], end = [1, 6]} : f32[1, 3]\n"
                        "%9 = shrink %5 {begin = [0, 3], end = [1, 6]} : f32[1, 3]\n"
                        "%10 = copy %8 {device = \"c\"} : f32[1, 3] @\"reduce\"\n"
                        "%11 = add %10, %9 : f32[1, 3] @\"reduce\"\n"
                        "%12 = copy %7 {device = \"default\"} : f32[1, 3] @\"reduce~2\"\n"
                        "%13 = add %6, %12 : f32[1, 3] @\"reduce~2\"\n"
                        "%14 = copy %11 {device = \"default\"} : f32[1, 3] @\"gather\"\n"
                        "%15 = cat %13, %14 {axis = 1} : f32[1, 6] @\"gather\"\n"
                        "sink %15 {names = [\"output\"]}\n");
}

TEST(Place, reducesAndScattersWhatIsReadNextToParts)
{
    EXPECT_EQ(placed(halves("%5 = reduce_axis add %4 {axes = [0]} : f32[1, 6]\n"
                            "%6 = shrink %0 {begin = [0, 0], end = [1, 2]} : f32[1, 2]\n"
                            "%7 = shrink %0 {begin = [0, 2], end = [1, 6]} : f32[1, 4]\n"
                            "%8 = copy %7 {device = \"c\"} : f32[1, 4]\n"
                            "%9 = multi %6, %8 {axis = 1} : f32[1, 6]\n"
                            "%10 = mul %5, %9 : f32[1, 6]\n"
                            "sink %10 {names = [\"output\"]}\n")),
              kHalves + "%4 = reduce_axis add %1 {axes = [0]} : f32[1, 6]\n"
                        "%5 = reduce_axis add %3 {axes = [0]} : f32[1, 6]\n"
                        "%6 = shrink %0 {begin = [0, 0], end = [1, 2]} : f32[1, 2]\n"
                        "%7 = shrink %0 {begin = [0, 2], end = [1, 6]} : f32[1, 4]\n"
                        "%8 = copy %7 {device = \"c\"} : f32[1, 4]\n"
                        "%9 = shrink %4 {begin = [0, 0], end = [1, 2]} : f32[1, 2] @\"reduce_scatter\"\n"
                        "%10 = shrink %5 {begin = [0, 0], end = [1, 2]} : f32[1, 2] @\"reduce_scatter\"\n"
                        "%11 = copy %10 {device = \"default\"} : f32[1, 2] @\"reduce_scatter\"\n"
                        "%12 = add %9, %11 : f32[1, 2] @\"reduce_scatter\"\n"
                        "%13 = shrink %4 {begin = [0, 2], end = [1, 6]} : f32[1, 4] @\"reduce_scatter\"\n"
                        "%14 = shrink %5 {begin = [0, 2], end = [1, 6]} : f32[1, 4] @\"reduce_scatter\"\n"
                        "%15 = copy %13 {device = \"c\"} : f32[1, 4] @\"reduce_scatter\"\n"
                        "%16 = add %15, %14 : f32[1, 4] @\"reduce_scatter\"\n"
                        "%17 = mul %12, %6 : f32[1, 2]\n"
                        "%18 = mul %16, %8 : f32[1, 4]\n"
                        "%19 = copy %18 {device = \"default\"} : f32[1, 4] @\"gather\"\n"
                        "%20 = cat %17, %19 {axis = 1} : f32[1, 6] @\"gather\"\n"
                        "sink %20 {names = [\"output\"]}\n");
}

TEST(Place, keepsTheOrderOfStrictSums)
{
    Placing run;
    run.options.strict = true;
    EXPECT_EQ(after(place, run,
                    halves("%5 = reduce_axis add %4 {axes = [0]} : f32[1, 6]\n"
                           "sink %5 {names = [\"output\"]}\n")),
              kHalves + "%4 = copy %3 {device = \"default\"} : f32[2, 6] @\"all_gather\"\n"
                        "%5 = cat %1, %4 {axis = 0} : f32[4, 6] @\"all_gather\"\n"
                        "%6 = reduce_axis add %5 {axes = [0]} : f32[1, 6]\n"
                        "sink %6 {names = [\"output\"]}\n");
}

TEST(Place, sumsNarrowFloatsWide)
{
    EXPECT_EQ(placed("%0 = placeholder {name = \"x\", role = input} : f16[4]\n"
                     "%1 = copy %0 {device = \"c\"} : f16[4]\n"
                     "%2 = multi %0, %1 {axis = 0} : f16[8]\n"
                     "%3 = reduce_axis add %2 {axes = [0]} : f16[1]\n"
                     "sink %3 {names = [\"output\"]}\n"),
              "%0 = placeholder {name = \"x\", role = input} : f16[4]\n"
              "%1 = copy %0 {device = \"c\"} : f16[4]\n"
              "%2 = cast %0 : f32[4]\n"
              "%3 = reduce_axis add %2 {axes = [0]} : f32[1]\n"
              "%4 = cast %1 : f32[4]\n"
              "%5 = reduce_axis add %4 {axes = [0]} : f32[1]\n"
              "%6 = copy %5 {device = \"default\"} : f32[1] @\"reduce\"\n"
              "%7 = add %3, %6 : f32[1] @\"reduce\"\n"
              "%8 = cast %7 : f16[1] @\"reduce\"\n"
              "sink %8 {names = [\"output\"]}\n");
}

// What is moved is as small as it can be: views that repeat elements are taken where it went.
TEST(Place, movesNoMoreThanThereIs)
{
    EXPECT_EQ(placed(halves("%5 = placeholder {name = \"w\", role = param} : f32[6]\n"
                            "%6 = reshape %5 : f32[1, 6]\n"
                            "%7 = expand %6 : f32[4, 6]\n"
                            "%8 = mul %4, %7 : f32[4, 6]\n"
                            "%9 = shrink %8 {begin = [3, 0], end = [4, 6]} : f32[1, 6]\n"
                            "sink %9 {names = [\"output\"]}\n")),
              "%0 = placeholder {name = \"x\", role = input} : f32[4, 6]\n"
              "%1 = shrink %0 {begin = [2, 0], end = [4, 6]} : f32[2, 6]\n"
              "%2 = copy %1 {device = \"c\"} : f32[2, 6]\n"
              "%3 = placeholder {name = \"w\", role = param} : f32[6]\n"
              "%4 = copy %3 {device = \"c\"} : f32[6]\n"
              "%5 = reshape %4 : f32[1, 6]\n"
              "%6 = expand %5 : f32[2, 6]\n"
              "%7 = mul %2, %6 : f32[2, 6]\n"
              "%8 = shrink %7 {begin = [1, 0], end = [2, 6]} : f32[1, 6]\n"
              "sink %8 {names = [\"output\"]}\n");
}

TEST(Place, saysWhyAllDoAllOfIt)
{
    Placing run;
    EXPECT_EQ(after(place, run,
                    halves("%5 = flip %4 {axes = [0]} : f32[4, 6]\n"
                           "sink %5 {names = [\"output\"]}\n")),
              kHalves + "%4 = copy %3 {device = \"default\"} : f32[2, 6] @\"all_gather\"\n"
                        "%5 = cat %1, %4 {axis = 0} : f32[4, 6] @\"all_gather\"\n"
                        "%6 = flip %5 {axes = [0]} : f32[4, 6]\n"
                        "sink %6 {names = [\"output\"]}\n");
    EXPECT_EQ(run.context.rewrites().events()[1].rule, "on-each-device");
    EXPECT_EQ(run.context.rewrites().events()[1].detail,
              "%5 flip on home, c, each the whole: on each device, because it reverses the sharded axis 0; "
              "all-gather of 96 bytes on home, c");
}

// A reshape keeps the parts where they are ranges of an axis.
TEST(Place, reshapesPartsThatAreRanges)
{
    EXPECT_EQ(placed(halves("%5 = reshape %4 : f32[24]\n"
                            "%6 = reshape %5 : f32[2, 2, 6]\n"
                            "%7 = reshape %6 : f32[8, 3]\n"
                            "%8 = reshape %7 : f32[3, 8]\n"
                            "sink %7, %8 {names = [\"a\", \"b\"]}\n")),
              kHalves + "%4 = reshape %1 : f32[12]\n"
                        "%5 = reshape %4 : f32[1, 2, 6]\n"
                        "%6 = reshape %5 : f32[4, 3]\n"
                        "%7 = copy %3 {device = \"default\"} : f32[2, 6] @\"all_gather\"\n"
                        "%8 = reshape %7 : f32[12]\n"
                        "%9 = reshape %8 : f32[1, 2, 6]\n"
                        "%10 = reshape %9 : f32[4, 3]\n"
                        "%11 = cat %6, %10 {axis = 0} : f32[8, 3] @\"all_gather\"\n"
                        "%12 = reshape %11 : f32[3, 8]\n"
                        "%13 = copy %3 {device = \"default\"} : f32[2, 6] @\"gather\"\n"
                        "%14 = reshape %13 : f32[12]\n"
                        "%15 = reshape %14 : f32[1, 2, 6]\n"
                        "%16 = reshape %15 : f32[4, 3]\n"
                        "%17 = cat %6, %16 {axis = 0} : f32[8, 3] @\"gather\"\n"
                        "sink %17, %12 {names = [\"a\", \"b\"]}\n");
}

TEST(Place, endsWithABudgetInAValidGraph)
{
    for (std::uint32_t budget = 0; budget < 4; ++budget) {
        Placing run(budget);
        const std::string text = after(place, run,
                                       halves("%5 = exp %4 : f32[4, 6]\n"
                                              "%6 = reduce_axis add %5 {axes = [0, 1]} : f32[1, 1]\n"
                                              "sink %6 {names = [\"output\"]}\n"));
        EXPECT_EQ(run.context.rewrites().events().size(), budget);
        EXPECT_EQ(text.find("multi") != std::string::npos, budget > 0 && budget < 3) << text;
    }
}

// What other passes left of a placed graph.
TEST(SettleDevices, copiesWhatIsReadElsewhere)
{
    Placing run;
    EXPECT_EQ(after(settleDevices, run,
                    "%0 = placeholder {name = \"x\", role = input} : f32[4]\n"
                    "%1 = copy %0 {device = \"c\"} : f32[4]\n"
                    "%2 = const_scalar {value = 1.0} : f32[]\n"
                    "%3 = reshape %2 : f32[1]\n"
                    "%4 = expand %3 : f32[4]\n"
                    "%5 = exp %4 : f32[4]\n"
                    "%6 = add %1, %5 : f32[4]\n"
                    "%7 = add %0, %5 : f32[4]\n"
                    "%8 = mul %6, %4 : f32[4]\n"
                    "sink %7, %8 {names = [\"a\", \"b\"]}\n"),
              "%0 = placeholder {name = \"x\", role = input} : f32[4]\n"
              "%1 = copy %0 {device = \"c\"} : f32[4]\n"
              "%2 = const_scalar {value = 1.0} : f32[]\n"
              "%3 = reshape %2 : f32[1]\n"
              "%4 = expand %3 : f32[4]\n"
              "%5 = exp %4 : f32[4]\n"
              "%6 = copy %5 {device = \"c\"} : f32[4]\n"
              "%7 = add %1, %6 : f32[4]\n"
              "%8 = add %0, %5 : f32[4]\n"
              "%9 = mul %7, %4 : f32[4]\n"
              "sink %8, %9 {names = [\"a\", \"b\"]}\n");
}

} // namespace
} // namespace sw
