// That the other tests here see what they count.

#include "tests/unit/allocations/counted_allocations.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <new>
#include <thread>
#include <vector>

namespace sw::test {
namespace {

// Calls of the operators themselves: what a new-expression allocates, a compiler may leave out.
TEST(CountedAllocations, areAllFormsOfNew)
{
    constexpr std::align_val_t kLine{64};
    const Allocations before = allocationsSoFar();
    const std::array<void *, 4> plain{::operator new(100), ::operator new[](100), ::operator new(100, std::nothrow),
                                      ::operator new[](100, std::nothrow)};
    const std::array<void *, 4> aligned{::operator new(100, kLine), ::operator new[](100, kLine),
                                        ::operator new(100, kLine, std::nothrow), ::operator new[](100, kLine, std::nothrow)};
    const Allocations made = allocationsSoFar() - before;
    EXPECT_EQ(made.calls, 8U);
    EXPECT_EQ(made.bytes, 800U);
    for (void *const memory : aligned)
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 64, 0U);
    ::operator delete(plain[0]);
    ::operator delete[](plain[1]);
    ::operator delete(plain[2], std::nothrow);
    ::operator delete[](plain[3], std::nothrow);
    ::operator delete(aligned[0], kLine);
    ::operator delete[](aligned[1], kLine);
    ::operator delete(aligned[2], kLine, std::nothrow);
    ::operator delete[](aligned[3], kLine, std::nothrow);
}

TEST(CountedAllocations, areThoseOfLibrariesToo)
{
    const Allocations before = allocationsSoFar();
    const std::filesystem::path path("/a/b"); // its text takes no memory, but the C++ library makes a list of its parts
    EXPECT_GT((allocationsSoFar() - before).calls, 0U) << path;
}

TEST(CountedAllocations, areThoseOfAllThreads)
{
    std::vector<int> list;
    std::uint64_t ofThread = 0;
    std::thread([&] {
        const Allocations before = allocationsSoFar();
        list.reserve(1000);
        ofThread = (allocationsSoFar() - before).calls;
    }).join();
    EXPECT_EQ(ofThread, 1U);
}

} // namespace
} // namespace sw::test
