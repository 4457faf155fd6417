// Which kernels a list of transformations may give other sums, in each of their stages.

#include "engine/passes/loops/tuning_key.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

LoopNest nestWith(Op op, DType dtype)
{
    LoopNest nest;
    Reduction &reduction = nest.reductions.emplace_back();
    reduction.op = op;
    reduction.dtype = dtype;
    return nest;
}

TEST(StrictLists, mindTheSumsOfEveryStage)
{
    EXPECT_FALSE(mayReassociate(LoopNest()));
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
