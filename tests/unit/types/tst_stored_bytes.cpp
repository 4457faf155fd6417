// Tensors that lie in files: they read as others do, wherever their bytes begin, and nothing is copied that need not be.

#include "engine/types/stored_bytes.h"

#include "engine/types/npy.h"
#include "engine/types/safetensors.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <fstream>

namespace sw {
namespace {

class StoredTensors : public testing::Test {
protected:
    StoredTensors()
    {
        std::filesystem::create_directories(m_folder.path());
        std::ofstream stream(file(), std::ios::binary);
        for (int i = 0; i < 256; ++i)
            stream.put(static_cast<char>(i));
    }
    std::filesystem::path file() const { return m_folder.path() / "bytes.bin"; }
    HostTensor at(std::size_t offset, DType dtype, Shape shape) const
    {
        const std::size_t size = static_cast<std::size_t>(shape.elements()) * bytesOf(dtype);
        return HostTensor::stored(dtype, std::move(shape),
                                  std::make_shared<const StoredBytes>(MappedFile::open(file()).value(), offset, size));
    }

    test::TemporaryFolder m_folder;
};

bool isAligned(std::span<const std::byte> bytes, std::size_t alignment)
{
    return reinterpret_cast<std::uintptr_t>(bytes.data()) % alignment == 0;
}

struct sigaction before; // the handler under test
// As LLVM handles a fault that is none of its own: it takes itself away and sends the signal again.
void passOn(int signal)
{
    ::sigaction(signal, &before, nullptr);
    ::raise(signal);
}

// The same tensor in memory.
HostTensor inMemory(const HostTensor &stored)
{
    HostTensor tensor(stored.dtype(), stored.shape());
    for (std::int64_t i = 0; i < stored.elements(); ++i)
        tensor.set(i, stored.at(i));
    return tensor;
}

} // namespace

TEST_F(StoredTensors, areNotCopiedWhereTheyAreAligned)
{
    const HostTensor tensor = at(8, DType::U32, {2, 3});
    EXPECT_EQ(tensor.bytes().data(), tensor.unalignedBytes().data());
    EXPECT_EQ(tensor.at(0).asDouble(), 0x0B0A0908);
    EXPECT_EQ(tensor.at(5).asDouble(), 0x1F1E1D1C);
}

TEST_F(StoredTensors, areAlignedForWhoeverReadsElements)
{
    for (const DType dtype : {DType::U16, DType::U32, DType::U64, DType::U32x4})
        for (std::size_t offset = 0; offset < 16; ++offset) {
            const HostTensor tensor = at(offset, dtype, {3});
            EXPECT_TRUE(isAligned(tensor.bytes(), bytesOf(dtype))) << offset;
            EXPECT_EQ(tensor.unalignedBytes().front(), static_cast<std::byte>(offset));
            EXPECT_TRUE(std::ranges::equal(tensor.bytes(), tensor.unalignedBytes()));
            EXPECT_TRUE(tensor.isIdenticalTo(inMemory(tensor)));
            EXPECT_EQ(tensor.bytes().data(), HostTensor(tensor).bytes().data()) << "one copy for all who share it";
        }
}

TEST_F(StoredTensors, takeOtherShapesAndTypes)
{
    const HostTensor bytes = at(3, DType::U8, {2, 8});
    EXPECT_EQ(bytes.reshaped({16}).at(15).asDouble(), 18);
    const HostTensor words = bytes.reinterpreted(DType::U32, {4});
    EXPECT_TRUE(isAligned(words.bytes(), 4));
    EXPECT_EQ(words.at(0).asDouble(), 0x06050403);
    EXPECT_EQ(npyBytes(words), npyBytes(inMemory(words)));
}

TEST_F(StoredTensors, areComparedByPlaceAndByElements)
{
    const HostTensor tensor = at(16, DType::U8, {8});
    EXPECT_TRUE(tensor.isIdenticalTo(at(16, DType::U8, {8}))) << "the same place of another mapping";
    EXPECT_FALSE(tensor.isIdenticalTo(at(17, DType::U8, {8})));
    EXPECT_FALSE(tensor.isIdenticalTo(at(16, DType::U8, {2, 4})));
    std::ofstream(file(), std::ios::binary) << std::string(256, 'x');
    const HostTensor other = at(16, DType::U8, {8});
    EXPECT_TRUE(other.isIdenticalTo(at(40, DType::U8, {8}))) << "equal elements elsewhere";
    EXPECT_TRUE(other.isIdenticalTo(inMemory(other)));
}

TEST_F(StoredTensors, comeFromArchives)
{
    HostTensor large(DType::F32, {200, 200});
    for (std::int64_t i = 0; i < large.elements(); ++i)
        large.set(i, Scalar::of(DType::F32, static_cast<double>(i)));
    const std::filesystem::path archive = m_folder.path() / "w.safetensors";
    ASSERT_TRUE(writeTensorArchive(archive, {{"large", large}, {"small", HostTensor(DType::F32, {4})}}));
    const auto opened = TensorArchive::open(archive);
    ASSERT_TRUE(opened);
    const HostTensor read = opened->tensor("large").value();
    EXPECT_TRUE(read.isIdenticalTo(large));
    EXPECT_EQ(read.bytes().data(), opened->tensor("large").value().bytes().data()) << "it stays in the file";
    std::ofstream(archive, std::ios::app) << "more";
    EXPECT_FALSE(read.checkUnchanged());
    EXPECT_TRUE(opened->tensor("small").value().checkUnchanged()) << "it was read at once";
}

// Rows 0..3 and 4..7 side by side, step by step.
TEST_F(StoredTensors, areReadAsPanels)
{
    const HostTensor matrix = at(0, DType::U16, {8, 3});
    const Panels panels{.rows = 8, .steps = 3, .lanes = 4, .rowStride = 3};
    const HostTensor tensor = HostTensor::stored(DType::U16, {2, 3, 4}, std::make_shared<const StoredBytes>(matrix, panels));
    HostTensor expected(DType::U16, {2, 3, 4});
    for (std::int64_t row = 0; row < 8; ++row)
        for (std::int64_t step = 0; step < 3; ++step)
            expected.set((row / 4 * 3 + step) * 4 + row % 4, matrix.at(row * 3 + step));
    for (std::int64_t i = 0; i < tensor.elements(); ++i)
        EXPECT_EQ(tensor.at(i), expected.at(i)) << i;
    EXPECT_TRUE(std::ranges::equal(tensor.bytes(), expected.bytes()));
    EXPECT_TRUE(std::ranges::equal(tensor.unalignedBytes(), expected.bytes()));
    EXPECT_TRUE(tensor.isIdenticalTo(expected));
    EXPECT_EQ(tensor.reinterpreted(DType::U8, {48}).at(2), Scalar::of(DType::U8, 6.0)) << "half of row 1, step 0";
    EXPECT_TRUE(isAligned(tensor.bytes(), 64)) << "devices read it where it lies";
}

TEST_F(StoredTensors, areMadePanelsOfEverySize)
{
    for (const DType dtype : {DType::U8, DType::U16, DType::U32, DType::U64, DType::U32x4}) {
        const HostTensor tensor =
            HostTensor::stored(dtype, {1, 3, 2}, std::make_shared<const StoredBytes>(at(5, dtype, {2, 3}), Panels{2, 3, 2, 3}));
        EXPECT_TRUE(tensor.isIdenticalTo(inMemory(tensor))) << nameOf(dtype);
    }
}

// Single elements and comparisons of equal panels need none, and what was made stays right when the file changes.
TEST_F(StoredTensors, areMadePanelsWhenBytesAreAskedFor)
{
    const auto panels = [&] {
        const auto bytes = std::make_shared<const StoredBytes>(at(0, DType::U32, {4, 3}), Panels{4, 3, 2, 3});
        return HostTensor::stored(DType::U32, {2, 3, 2}, bytes);
    };
    const HostTensor early = panels();
    const HostTensor late = panels();
    static_cast<void>(early.bytes());
    static_cast<void>(late.at(0));
    EXPECT_TRUE(late.isIdenticalTo(early));
    std::ofstream(file(), std::ios::app) << "more";
    EXPECT_TRUE(early.checkUnchanged());
    static_cast<void>(late.bytes());
    EXPECT_FALSE(late.checkUnchanged()) << "read after the file had changed";
}

TEST_F(StoredTensors, areMadePanelsOfManyBytes)
{
    HostTensor matrix(DType::F32, {1024, 1536}); // more than two huge pages
    for (std::int64_t i = 0; i < matrix.elements(); i += 1000)
        matrix.set(i, Scalar::of(DType::F32, static_cast<double>(i)));
    const Panels panels{.rows = 1024, .steps = 1536, .lanes = 8, .rowStride = 1536};
    const HostTensor tensor = HostTensor::stored(DType::F32, {128, 1536, 8}, std::make_shared<const StoredBytes>(matrix, panels));
    EXPECT_TRUE(tensor.isIdenticalTo(inMemory(tensor)));
}

// Reading behind the end of a file that was cut off is no crash, and the file says that it has changed.
TEST_F(StoredTensors, areZeroWhereTheirFileWasCutOff)
{
    std::filesystem::resize_file(file(), 20'000);
    const HostTensor tensor = at(0, DType::U8, {20'000});
    EXPECT_EQ(tensor.at(255).asDouble(), 255);
    EXPECT_TRUE(tensor.checkUnchanged());
    std::filesystem::resize_file(file(), 100);
    EXPECT_EQ(tensor.at(19'999).asDouble(), 0);
    EXPECT_EQ(tensor.at(99).asDouble(), 99);
    EXPECT_FALSE(tensor.checkUnchanged());
}

// Handlers of other libraries come later and pass on what is not theirs.
TEST_F(StoredTensors, areZeroUnderAnotherHandler)
{
    std::filesystem::resize_file(file(), 20'000);
    const HostTensor tensor = at(0, DType::U8, {20'000});
    struct sigaction later{};
    later.sa_handler = passOn;
    sigemptyset(&later.sa_mask);
    ASSERT_EQ(::sigaction(SIGBUS, &later, &before), 0);
    std::filesystem::resize_file(file(), 100);
    EXPECT_EQ(tensor.at(19'999).asDouble(), 0);
    ASSERT_EQ(::sigaction(SIGBUS, &before, nullptr), 0);
}

} // namespace sw
