// Lists of transformations, random ones of all kinds and some by hand, on kernels of every kind: what the verifier lets pass
// computes what the plain loops do.

#include "tests/unit/loops/transform_lists.h"

namespace sw {
namespace {

class RandomTransformsTest : public test::TransformLists {};

TEST_F(RandomTransformsTest, legalListsComputeWhatPlainLoopsDo)
{
    for (std::size_t round = 0; round < 450; ++round) {
        SCOPED_TRACE(format("round {}", round));
        checkRound(round % 9);
    }
    for (const TransformKind kind : {TransformKind::Split, TransformKind::Reorder, TransformKind::SetType, TransformKind::Merge,
                                     TransformKind::Divide, TransformKind::Mask, TransformKind::Pack, TransformKind::NonTemporal,
                                     TransformKind::Group, TransformKind::Unroll, TransformKind::Tensorize, TransformKind::Share,
                                     TransformKind::Pad, TransformKind::Prefetch, TransformKind::Stream, TransformKind::Join})
        EXPECT_GT(m_applied[kind], 5U) << nameOf(kind);
    for (const AxisType type : test::kEveryAxisType)
        EXPECT_GT(m_types[type], 50U) << nameOf(type);
}

TEST_F(RandomTransformsTest, legalListsOfEndedAxesComputeWhatPlainLoopsDo)
{
    for (std::size_t round = 0; round < 300; ++round) {
        SCOPED_TRACE(format("round {}", round));
        checkEnds(round % 6);
        if (HasFatalFailure())
            return;
    }
    EXPECT_GT(m_beyond, 10000U);
}

TEST_F(RandomTransformsTest, endedAxesRefuseWhatWouldGoBeyond)
{
    m_builder.emplace(m_sources);
    const SchedulePtr schedule = scheduled({product(7, 21, 13)});
    LoopNest nest = *(*test::loopsFor(schedule, test::vectorDevice(), {.optimize = false}))->nests.front();
    nest.values.push_back({.kind = ValueKind::Constant,
                           .dtype = DType::I64,
                           .constant = Scalar::of(DType::I64, std::int64_t{5}),
                           .node = {},
                           .origin = Origin(m_item)});
    for (Axis &axis : nest.axes)
        axis.end = ValueId(nest.values.size() - 1);
    const auto problem = [&](const LoopNest &of, const char *line) {
        const Result<LoopNest> changed = applyTransform(of, parseTransform(line).value());
        return changed ? std::string() : toText(changed.error());
    };
    EXPECT_NE(problem(nest, "merge i0 i1").find("i1 ends at a value of the run"), std::string::npos);
    const LoopNest vectors = applyTransform(nest, parseTransform("set_type i1 vector").value()).value();
    EXPECT_NE(problem(vectors, "tensorize r2").find("r2 ends at a value of the run"), std::string::npos);
    // The end of a merged axis counts in steps of both.
    nest.axes[nest.domain[1].value].end = ValueId();
    const LoopNest merged = applyTransform(nest, parseTransform("merge i0 i1").value()).value();
    EXPECT_EQ(endText(merged, *schedule, merged.domain.front()), "5 * 21");
}

TEST_F(RandomTransformsTest, tilesRestsAndCopiesByHand)
{
    const SchedulePtr one = line(21);
    m_builder.emplace(m_sources);
    const SchedulePtr sum = scheduled({reduced(input({5, 7, 11}), {0, 2})});
    m_builder.emplace(m_sources);
    const SchedulePtr two = scheduled({product(7, 21, 13)});
    using Lines = std::vector<std::string>;
    const std::vector<std::pair<SchedulePtr, Lines>> legal{
        {one, {"split i0 4", "reorder i0.i i0.o"}}, // the rest has one of four
        {one, {"split i0 4", "reorder i0.i i0.o", "set_type i0.o upcast"}},
        {one, {"split i0 4", "reorder i0.i i0.o", "set_type i0.o vector"}},
        {one, {"split i0 4", "reorder i0.i i0.o", "set_type i0.i thread", "set_type i0.o thread"}},
        {one, {"split i0 4", "set_type i0.i thread"}},
        {sum, {"set_type r1 unroll", "set_type r2 unroll"}},
        {two, {"split r2 4", "reorder r2.i r2.o"}},
        {two, {"split r2 4", "set_type r2.o local"}}, // the rest counts once, not for each item
        {two, {"split r2 1", "set_type r2.i local"}},
        {two, {"pack v1 i0 i1 r2"}},
        {two, {"split i1 8", "set_type i1.i vector", "pack v1 i0 i1 r2"}},
        {two, {"split i1 8", "set_type i1.i vector", "pack v1 i0 r2 i1"}},
        {two, {"split r2 3", "merge i0 i1"}},
        {one, {"split i0 16", "set_type i0.i vector", "mask i0.i"}},
        {one, {"set_type i0 vector", "mask i0"}}, // 21 of 32 lanes
        {one, {"split i0 6", "set_type i0.i vector", "mask i0.i", "non_temporal 0"}},
        {two, {"split i1 8", "set_type i1.o upcast", "set_type i1.i vector", "mask i1.i"}},
        {two, {"split i1 8", "set_type i1.i vector", "mask i1.i", "pack v1 i0 r2 i1"}},
        {two, {"split i1 8", "set_type i1.i vector", "mask i1.i", "pack v1 i1.o r2 i1.i"}},
        {two, {"split i1 6", "set_type i1.i vector", "mask i1.i", "pack v1 i0 r2 i1"}}, // a vector reaches into the next
        {two, {"split i1 6", "set_type i1.i vector", "mask i1.i", "split r2 4", "reorder r2.o i0 i1.o i1.i"}},
        {two, {"split i0 4", "set_type i0.i vector", "mask i0.i"}}, // lanes that lie apart
    };
    for (const auto &[schedule, lines] : legal) {
        EXPECT_EQ(problemOf(schedule, lines), "") << join(lines, "; ", [](const std::string &line) { return line; });
    }
    const auto refused = [&](const SchedulePtr &schedule, const Lines &lines, const char *why) {
        const std::string problem = problemOf(schedule, lines);
        EXPECT_NE(problem.find(why), std::string::npos) << problem;
    };
    refused(one, {"split i0 4", "set_type i0.o upcast"}, "reorder them, i0.i first");
    refused(one, {"split i0 4", "split i0.i 2", "set_type i0.o upcast", "set_type i0.i.i upcast", "reorder i0.i.o i0.o i0.i.i"},
            "stands between them");
    refused(sum, {"set_type r1 local", "set_type r2 local"}, "2 local axes in one loop list; there may be 1");
    refused(two, {"set_type i1 vector", "set_type r2 vector"}, "one of them may be");
    refused(two, {"pack v1 i0 r2 r2 i1"}, "r2 indexes the copy twice");
    refused(two, {"pack v1 i0 r2 i1", "pack v1 i1 r2"}, "a copy of v1 already");
    refused(two, {"set_type i0 upcast", "pack v1 i0 r2 i1"}, "i0 is repeated in registers; a copy is made at a loop");
    refused(two,
            {"split i1 4", "split i1.i 2", "set_type i1.i.o upcast", "set_type i1.i.i vector", "pack v1 i1.o i1.i.o r2 i1.i.i"},
            "let i1.i index the copy");
    refused(two, {"set_type r2 local", "split i1 4", "set_type i1.o global"}, "some work items of i1.o have no index");
    refused(two, {"set_type r2 local", "set_type i1 global", "group i1 4"}, "some work items of i1 have no index");
    refused(two, {"set_type r2 vector", "mask r2"}, "no vector of the domain");
    refused(two, {"mask i1"}, "no vector of the domain");
    refused(two, {"split i0 i1 4"}, "2 axes are given; it takes 1");
    refused(line(4096), {"set_type i0 vector"}, "there may be 64");
    refused(line(70000), {"set_type i0 upcast"}, "more than 16384 elements");
}

} // namespace
} // namespace sw
