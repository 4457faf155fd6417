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

// The product is rounded; the largest and the smallest of two values are values of their type already.
TEST(WidenStorageTypes, roundsOnceWhereOnlyOneOperationRounds)
{
    const std::string body = bodyAfter(&widenStorageTypes, R"(
%x = define_global bf16[4] argument 0
%y = define_global bf16[4] argument 1 written
%at = const i64 0
%a = load bf16 %x[%at]
%b = mul bf16 %a, %a
%c = max bf16 %b, %a
%d = min bf16 %c, %a
%n = neg bf16 %d
%p = abs bf16 %n
%r = relu bf16 %p
%e = add bf16 %r, %a
store bf16 %y[%at], %e
)",
                                       kDevice);
    const auto lineWith = [&](std::string_view word) {
        const std::size_t at = body.find(word);
        const std::size_t begin = body.rfind('\n', at) + 1;
        return at == std::string::npos ? std::string() : body.substr(begin, body.find('\n', at) - begin);
    };
    const auto nameOf = [&](std::string_view word) {
        const std::string line = lineWith(word);
        const std::size_t name = line.find('%');
        return line.substr(name, line.find(' ', name) - name);
    };
    EXPECT_NE(lineWith("= min f32").find(nameOf("= max f32")), std::string::npos) << body;
    EXPECT_NE(lineWith("= neg f32").find(nameOf("= min f32")), std::string::npos) << body;
    EXPECT_NE(lineWith("= abs f32").find(nameOf("= neg f32")), std::string::npos) << body;
    EXPECT_NE(lineWith("= relu f32").find(nameOf("= abs f32")), std::string::npos) << body;
    EXPECT_NE(lineWith("= add f32").find(nameOf("= relu f32")), std::string::npos) << body;
    EXPECT_EQ(lineWith("= max f32").find(nameOf("= mul f32")), std::string::npos) << "the product is rounded before it is read";
}

} // namespace
} // namespace sw
