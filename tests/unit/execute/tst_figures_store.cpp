#include "engine/execute/figures_store.h"

#include "engine/base/cache_folder.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace sw {
namespace {

constexpr RooflineFigures kRates{
    .memoryBytesPerNanosecond = 12.5, .operationsPerNanosecond = 200, .transferBytesPerNanosecond = 4, .launchNanoseconds = 300};

class FiguresStoreTest : public testing::Test {
protected:
    FiguresStoreTest()
    {
        m_device.id = "fake";
        m_device.description = "a fake device";
        m_device.driver = "1.0";
        m_device.threads = 4;
        m_figures.rates.tensorOperationsPerNanosecond[indexOf(TensorInstruction::AmxBf16)] = 2900.5;
        m_figures.rates.tensorOperationsPerNanosecond[indexOf(TensorInstruction::DotI8)] = 700;
        m_figures.rates.caches[0] = {.holds = 4 << 20, .bytesPerNanosecond = 72.5};
    }

    std::string text() const
    {
        std::ifstream file(m_store.fileOf(m_device), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    void write(const std::string &text) const { std::ofstream(m_store.fileOf(m_device), std::ios::binary) << text; }

    test::TemporaryFolder m_folder;
    FiguresStore m_store{m_folder.path() / "made" / "when needed"};
    DeviceInfo m_device;
    DeviceFigures m_figures{.rates = kRates, .measuredOn = "2026-11-22"};
};

TEST_F(FiguresStoreTest, findsWhatWasKept)
{
    EXPECT_FALSE(m_store.find(m_device));
    ASSERT_TRUE(m_store.keep(m_device, m_figures));
    EXPECT_EQ(m_store.find(m_device), m_figures);
    EXPECT_EQ(FiguresStore(m_store).find(m_device), m_figures); // another process, say

    m_figures.measuredOn = "2027-01-01";
    ASSERT_TRUE(m_store.keep(m_device, m_figures));
    EXPECT_EQ(m_store.find(m_device), m_figures);
}

TEST_F(FiguresStoreTest, tellsDevicesApart)
{
    ASSERT_TRUE(m_store.keep(m_device, m_figures));
    const auto with = [&](auto change) {
        DeviceInfo other = m_device;
        change(other);
        return m_store.find(other);
    };
    EXPECT_FALSE(with([](DeviceInfo &device) { device.id = "fake:1"; }));
    EXPECT_FALSE(with([](DeviceInfo &device) { device.description = "another one"; }));
    EXPECT_FALSE(with([](DeviceInfo &device) { device.driver = "1.1"; }));
    EXPECT_FALSE(with([](DeviceInfo &device) { device.threads = 2; }));
}

TEST_F(FiguresStoreTest, takesDamagedFilesForNone)
{
    ASSERT_TRUE(m_store.keep(m_device, m_figures));
    const std::string whole = text();
    for (std::size_t length = 0; length < whole.size(); ++length) {
        write(whole.substr(0, length));
        EXPECT_FALSE(m_store.find(m_device)) << length;
    }
    const auto with = [&](std::string_view from, std::string_view to) {
        std::string changed = whole;
        EXPECT_NE(changed.find(from), std::string::npos) << from;
        changed.replace(changed.find(from), from.size(), to);
        write(changed);
        return m_store.find(m_device);
    };
    EXPECT_TRUE(with("memory 12.5", "memory 13.5"));
    EXPECT_FALSE(with("memory 12.5", "memory nan"));
    EXPECT_FALSE(with("memory 12.5", "memory -1"));
    EXPECT_FALSE(with("memory 12.5", "memory 0"));
    EXPECT_FALSE(with("memory 12.5", "memory 1e999"));
    EXPECT_FALSE(with("memory 12.5", "memory 12.5 and more"));
    EXPECT_TRUE(with("amx_bf16 2900.5", "amx_bf16 2901"));
    EXPECT_FALSE(with("amx_bf16 2900.5", "amx_bf16 fast"));
    EXPECT_TRUE(with("own_rate 72.5", "own_rate 73"));
    EXPECT_FALSE(with("own_rate 72.5", "own_rate 0"));
    EXPECT_FALSE(with("own_holds 4194304", "own_holds all"));
    EXPECT_FALSE(with("own_holds 4194304", "own_holds 1e300"));
    EXPECT_FALSE(with("caches 1", "caches 2"));
    const auto moved = with("own_holds 4194304\nown_rate", "shared_holds 4194304\nshared_rate");
    ASSERT_TRUE(moved) << "the cores' caches were not measured";
    EXPECT_EQ(moved->rates.caches[0], CacheRate());
    EXPECT_EQ(moved->rates.caches[1], m_figures.rates.caches[0]);
    EXPECT_FALSE(with("amx_bf16 2900.5", "amx 2900.5"));
    EXPECT_FALSE(with("amx_bf16 2900.5\n", "")) << "two were measured";
    EXPECT_FALSE(with("2026-11-22", "yesterday"));
    EXPECT_FALSE(with("stepwell figures 3", "stepwell figures 2")) << "these have no rates of caches";
    EXPECT_FALSE(with("driver 1.0", "driver 9.9"));
    write(whole + "more\n");
    EXPECT_FALSE(m_store.find(m_device));
    ASSERT_TRUE(m_store.keep(m_device, m_figures));
    EXPECT_EQ(m_store.find(m_device), m_figures);
}

TEST_F(FiguresStoreTest, saysWhyItCannotKeep)
{
    std::filesystem::create_directories(m_folder.path());
    std::ofstream(m_folder.path() / "made") << "a file, no folder";
    const Result<Done> kept = m_store.keep(m_device, m_figures);
    ASSERT_FALSE(kept);
    EXPECT_EQ(kept.error().front().code, Code::File);
}

TEST(CacheFolder, isWhereTheUserWantsIt)
{
    const char *const before = std::getenv("XDG_CACHE_HOME");
    const std::string kept = before == nullptr ? "" : before;
    setenv("XDG_CACHE_HOME", "/somewhere/else", 1);
    EXPECT_EQ(cacheFolder(), "/somewhere/else/stepwell");
    before == nullptr ? unsetenv("XDG_CACHE_HOME") : setenv("XDG_CACHE_HOME", kept.c_str(), 1);
}

} // namespace
} // namespace sw
