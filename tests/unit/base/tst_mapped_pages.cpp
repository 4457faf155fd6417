// The pages of a mapped file: they come when they are touched, and go when they were copied.

#include "engine/base/mapped_file.h"
#include "tests/support/resident_pages.h"
#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <fstream>
#include <vector>

namespace sw {
namespace {

constexpr std::size_t kBytes = 1 << 20;

std::shared_ptr<const MappedFile> fileOf(const std::filesystem::path &folder, char content)
{
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "weights.bin", std::ios::binary) << std::string(kBytes, content);
    return MappedFile::open(folder / "weights.bin").value();
}

TEST(MappedPages, goWhenTheyWereCopiedAndComeBack)
{
    const test::TemporaryFolder folder;
    const auto file = fileOf(folder.path(), 'w');
    const std::span<const std::byte> bytes = file->bytes();
    const std::vector<std::byte> copy(bytes.begin(), bytes.end());
    const std::size_t all = test::residentPages(bytes);
    ASSERT_GT(all, 0U);
    dropPages(bytes.subspan(10, kBytes - 20));
    EXPECT_LE(test::residentPages(bytes), 2U) << "the first and the last page have bytes of others";
    EXPECT_TRUE(std::ranges::equal(bytes, copy));
    EXPECT_EQ(test::residentPages(bytes), all);
}

TEST(MappedPages, areOnlyThoseOfFiles)
{
    const test::TemporaryFolder folder;
    const auto file = fileOf(folder.path(), 'w');
    EXPECT_TRUE(areMapped(file->bytes()));
    EXPECT_TRUE(areMapped(file->bytes().subspan(kBytes - 1)));
    EXPECT_FALSE(areMapped(file->bytes().subspan(kBytes)));
    std::vector<std::byte> own(kBytes, std::byte{7});
    EXPECT_FALSE(areMapped(own));
    dropPages(own);
    EXPECT_EQ(std::ranges::count(own, std::byte{7}), kBytes);
}

} // namespace
} // namespace sw
