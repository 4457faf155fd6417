// Which kernels a list of transformations may give other sums, in each of their stages.

#include "engine/passes/loops/tuning_key.h"
#include "tests/unit/loops/lowering_fixture.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

class StrictLists : public LoweringTest {
protected:
    LoopNest nestWith(Op op, DType dtype)
    {
        const NodeId out = sum(input(dtype, {8, 8}), {1}, op);
        const auto graph = std::make_shared<const Graph>(std::move(*builder).finish(Origin(item), {out}, {"y"}).value());
        const SchedulePtr schedule = test::oneKernelSchedule(graph);
        LoopNest nest = *test::loopsFor(schedule, test::vectorDevice(), {}).value()->nests.front();
        builder.emplace(sources);
        return nest;
    }
};

TEST_F(StrictLists, mindTheSumsOfEveryStage)
{
    EXPECT_TRUE(mayReassociate(nestWith(Op::Add, DType::F32)));
    EXPECT_FALSE(mayReassociate(nestWith(Op::Add, DType::I32)));
    LoopNest largest = nestWith(Op::Max, DType::F32);
    EXPECT_FALSE(mayReassociate(largest));
    largest.stages.push_back(nestWith(Op::Max, DType::F32));
    EXPECT_FALSE(mayReassociate(largest));
    largest.stages.push_back(nestWith(Op::Add, DType::F32));
    EXPECT_TRUE(mayReassociate(largest)) << "of an earlier stage";
}

} // namespace
} // namespace sw
