#include "engine/passes/lowered/widen_storage_types.h"
#include "tests/unit/passes/lowered/pass_on_text.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace sw {
namespace {

using test::bodyAfter;
using test::kDevice;

// What is rounded once is the same in f16 itself; e^x is not computed so, and no device of ours has bf16.
TEST(WidenStorageTypes, keepsWhatTheDeviceComputesInF16)
{
    DeviceInfo device = kDevice;
    device.hasF16 = true;
    const auto countOf = [](const std::string &text, std::string_view word) {
        int count = 0;
        for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
            ++count;
        return count;
    };
    constexpr std::string_view kBody = R"(
%x = define_global T[4] argument 0
%y = define_global T[4] argument 1 written
%at = const i64 0
%a = load T %x[%at]
%b = mul T %a, %a
%c = sqrt T %b
%less = cmplt bool %a, %c
%d = where T %less, %a, %c
%e = exp T %d
store T %y[%at], %e
)";
    const auto widened = [&](std::string_view type, const DeviceInfo &on) {
        std::string body(kBody);
        for (std::size_t at = body.find(" T"); at != std::string::npos; at = body.find(" T"))
            body.replace(at + 1, 1, type);
        return bodyAfter(&widenStorageTypes, body, on);
    };
    EXPECT_EQ(countOf(widened("f16", device), "cast"), 4) << "around e^x and the root";
    EXPECT_EQ(countOf(widened("f16", kDevice), "cast f16"), 4);
    EXPECT_EQ(countOf(widened("bf16", device), "cast bf16"), 4);
}

} // namespace
} // namespace sw
