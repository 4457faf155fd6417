#include "engine/types/host_tensor.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace sw {
namespace {

TEST(HostTensor, isFilledToItsLastElement)
{
    const std::vector<Scalar> values = {Scalar::of(DType::F32, 1.5), Scalar::ofBool(true), Scalar::of(DType::F16, -2.5),
                                        Scalar::of(DType::I64, std::int64_t{1} << 40), Scalar::fromWords({1, 2, 3, 4})};
    for (const Scalar &value : values)
        for (const std::int64_t count : {0, 1, 2, 3, 5, 8, 1000}) {
            const HostTensor tensor = HostTensor::filled(value, Shape{count});
            ASSERT_EQ(tensor.elements(), count);
            EXPECT_EQ(tensor.dtype(), value.dtype());
            for (std::int64_t i = 0; i < count; ++i)
                ASSERT_EQ(tensor.at(i), value) << i << " of " << count;
        }
}

} // namespace
} // namespace sw
