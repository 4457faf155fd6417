// Measuring goes through the backends as any program does. How fast a device is, no test says.

#include "engine/execute/measure_device.h"

#include "engine/backend/host/hosted_backend.h"
#include "engine/backend/native_backends.h"
#include "engine/execute/roof_loops.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sw {
namespace {

class MeasureDevice : public testing::TestWithParam<std::string> {
protected:
    MeasureDevice() { addNativeBackends(m_registry); }

    BackendRegistry m_registry;
    test::TemporaryFolder m_folder;
    FiguresStore m_store{m_folder.path()};
};

TEST_P(MeasureDevice, givesFiguresOfAllKinds)
{
    if (const auto found = m_registry.device(GetParam()); !found)
        GTEST_SKIP() << toText(found.error());
    const auto device = OpenedDevice::open(m_registry, GetParam(), {});
    ASSERT_TRUE(device) << toText(device.error());
    const Result<DeviceFigures> figures = measureDevice(**device, {});
    ASSERT_TRUE(figures) << toText(figures.error());
    for (const double rate : {figures->rates.memoryBytesPerNanosecond, figures->rates.operationsPerNanosecond,
                              figures->rates.transferBytesPerNanosecond, figures->rates.launchNanoseconds})
        EXPECT_TRUE(std::isfinite(rate) && rate > 0) << rate;
    for (const TensorInstruction one : allTensorInstructions()) {
        const double rate = figures->rates.tensorOperationsPerNanosecond[indexOf(one)];
        EXPECT_TRUE(std::isfinite(rate) && rate >= 0) << rate;
        EXPECT_TRUE(rate == 0 || hasTensorInstruction((*device)->info().tensorInstructions, one)) << infoOf(one).name;
    }
    for (const ArithmeticLoop &loop : tensorLoops()) {
        const TensorInstruction one = tensorInstructionNamed(loop.name).value();
        const bool isMeasured = figures->rates.tensorOperationsPerNanosecond[indexOf(one)] > 0;
        EXPECT_EQ(isMeasured, hasTensorInstruction((*device)->info().tensorInstructions, one)) << loop.name;
    }
    const DeviceInfo &info = (*device)->info();
    const CacheRate &own = figures->rates.caches[0];
    const std::int64_t held = info.cacheBytesPerCore * info.threads;
    const bool isMeasured = info.kind == DeviceKind::Cpu && held <= std::int64_t{256} << 20; // of more, nothing is copied
    EXPECT_EQ(own.holds, isMeasured ? held : 0);
    EXPECT_EQ(own.bytesPerNanosecond > 0, isMeasured);
    EXPECT_TRUE(sourceOf(*figures).starts_with("measured on this machine, 20")) << sourceOf(*figures);
    ASSERT_TRUE(m_store.keep((*device)->info(), *figures));
    EXPECT_TRUE(m_store.find((*device)->info())) << "what is measured can be kept";
}

INSTANTIATE_TEST_SUITE_P(, MeasureDevice, testing::Values("interpreter", "llvm", "c", "opencl"),
                         [](const auto &one) { return one.param; });

TEST(ShortestTime, triesAgainAfterASlowFirstTime)
{
    using std::chrono::nanoseconds;
    std::vector<nanoseconds> times{nanoseconds(900), nanoseconds(70), nanoseconds(80), nanoseconds(10), nanoseconds(5)};
    std::size_t tries = 0;
    const auto next = [&]() -> Result<nanoseconds> { return times[tries++]; };
    EXPECT_EQ(shortestTime(next, {.most = 4, .budget = nanoseconds(0)}).value(), nanoseconds(70))
        << "the budget is spent at once";
    EXPECT_EQ(tries, 3U);
    tries = 0;
    EXPECT_EQ(shortestTime(next, {.most = 4, .budget = std::chrono::hours(1)}).value(), nanoseconds(10));
    EXPECT_EQ(tries, 4U);
    const auto failing = []() -> Result<nanoseconds> { return Diagnostic::error(Code::Cancelled, {}, "stopped"); };
    EXPECT_FALSE(shortestTime(failing, {}));
}

class MeasureInto : public MeasureDevice {};

TEST_F(MeasureInto, measuresOnceUnlessAskedAgain)
{
    const auto device = OpenedDevice::open(m_registry, "interpreter", {});
    ASSERT_TRUE(device) << toText(device.error());
    OpenedDevice *const only = device->get();
    const DeviceFigures planted{.rates = {}, .measuredOn = "2001-02-03"};
    ASSERT_TRUE(m_store.keep(only->info(), planted));
    ASSERT_TRUE(measureInto(m_store, {&only, 1}, Measure::Missing, {}));
    EXPECT_EQ(m_store.find(only->info()), planted);
    ASSERT_TRUE(measureInto(m_store, {&only, 1}, Measure::All, {}));
    ASSERT_TRUE(m_store.find(only->info()));
    EXPECT_NE(m_store.find(only->info())->measuredOn, "2001-02-03");
}

// As the window does it.
TEST_F(MeasureInto, measuresDevicesOfHosts)
{
    BackendRegistry hosted;
    addHostedBackends(hosted, STEPWELL_HOST_PROGRAM);
    const auto device = OpenedDevice::open(hosted, "llvm", {});
    ASSERT_TRUE(device) << toText(device.error());
    OpenedDevice *const only = device->get();
    const Result<Done> measured = measureInto(m_store, {&only, 1}, Measure::Missing, {});
    ASSERT_TRUE(measured) << toText(measured.error());
    EXPECT_TRUE(m_store.find(m_registry.device("llvm").value().device)) << "the device is the same one outside of the host";
}

TEST_F(MeasureInto, keepsNothingWhenStopped)
{
    const auto device = OpenedDevice::open(m_registry, "interpreter", {});
    ASSERT_TRUE(device) << toText(device.error());
    OpenedDevice *const only = device->get();
    std::stop_source stop;
    stop.request_stop();
    EXPECT_FALSE(measureInto(m_store, {&only, 1}, Measure::Missing, stop.get_token()));
    EXPECT_FALSE(m_store.find(only->info()));
}

} // namespace
} // namespace sw
