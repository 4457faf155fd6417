#include "engine/types/npy.h"

#include "engine/base/mapped_file.h"
#include "engine/types/random_fill.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace sw {
namespace {

std::vector<std::byte> fileOf(std::string_view header, std::size_t dataBytes)
{
    std::string text = "\x93NUMPY\x01";
    text += '\0';
    text += static_cast<char>(header.size());
    text += '\0';
    text += header;
    std::vector<std::byte> bytes;
    for (const char c : text)
        bytes.push_back(static_cast<std::byte>(c));
    for (std::size_t i = 0; i < dataBytes; ++i)
        bytes.push_back(static_cast<std::byte>(i));
    return bytes;
}

TEST(Npy, readsWhatItWrites)
{
    for (const DType dtype : allDTypes()) {
        if (!hasValues(dtype))
            continue;
        for (const Shape &shape : {Shape{}, Shape{3}, Shape{2, 3, 4}, Shape{0, 5}}) {
            const HostTensor tensor = randomTensor(dtype, shape, 7);
            const auto read = parseNpy(npyBytes(tensor), "x.npy");
            ASSERT_TRUE(read) << toText(read.error());
            EXPECT_TRUE(read->isIdenticalTo(toRawBits(tensor)));
            EXPECT_TRUE(fromRawBits(*read, dtype).value_or(*read).isIdenticalTo(tensor)) << nameOf(dtype);
        }
    }
}

TEST(Npy, alignsItsData)
{
    const HostTensor tensor(DType::F32, Shape{3});
    EXPECT_EQ((npyBytes(tensor).size() - tensor.byteSize()) % 64, 0U);
}

TEST(Npy, readsColumnMajorTensors)
{
    const auto read = parseNpy(fileOf("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", 6), "x.npy");
    ASSERT_TRUE(read);
    const std::vector<double> expected{0, 2, 4, 1, 3, 5};
    EXPECT_TRUE(read->isIdenticalTo(HostTensor::ofValues(DType::U8, Shape{2, 3}, expected)));
}

TEST(Npy, refusesWhatIsNotWhole)
{
    for (std::size_t length = 0; length < 80; ++length) {
        auto bytes = npyBytes(HostTensor(DType::F32, Shape{2}));
        bytes.resize(length);
        EXPECT_FALSE(parseNpy(bytes, "x.npy"));
    }
    EXPECT_FALSE(parseNpy(fileOf("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", 9), "x.npy"));
    EXPECT_FALSE(parseNpy(fileOf("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }", 0), "x.npy"));
    EXPECT_FALSE(parseNpy(fileOf("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", 0), "x.npy"));
    EXPECT_FALSE(readNpyFile("no such file.npy"));
    EXPECT_FALSE(readNpyFile("/"));
}

TEST(Npy, namesTheFileOfAShapeThatOverflows)
{
    const auto read =
        parseNpy(fileOf("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }", 0), "x.npy");
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().front().where.file, "x.npy");
}

TEST(Npy, namesATypeThatItDoesNotHave)
{
    const auto read = parseNpy(fileOf("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", 4), "x.npy");
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().front().code, Code::UnsupportedDType);
    EXPECT_NE(read.error().front().message.find(">f4"), std::string::npos);
}

// Through a file, where what is large stays.
class NpyFiles : public testing::Test {
protected:
    NpyFiles() { std::filesystem::create_directories(m_folder.path()); }

    Result<HostTensor> read(std::string_view header, std::size_t dataBytes) const
    {
        const std::vector<std::byte> bytes = fileOf(header, dataBytes);
        std::ofstream(file(), std::ios::binary)
            .write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        return readNpyFile(file());
    }
    [[nodiscard]] std::filesystem::path file() const { return m_folder.path() / "x.npy"; }

private:
    test::TemporaryFolder m_folder;
};

TEST_F(NpyFiles, keepLargeElements)
{
    const HostTensor tensor = randomTensor(DType::F32, {300, 200}, 7);
    ASSERT_TRUE(writeNpyFile(file(), tensor));
    const auto read = readNpyFile(file());
    ASSERT_TRUE(read) << toText(read.error());
    EXPECT_TRUE(read->isIdenticalTo(tensor));
    EXPECT_TRUE(areMapped(read->bytes())) << "the data of what we write are aligned";
    EXPECT_TRUE(read->checkUnchanged());
    std::ofstream(file(), std::ios::app) << "more";
    EXPECT_FALSE(read->checkUnchanged());
}

TEST_F(NpyFiles, areReadWhereTheElementsLieOtherwise)
{
    const auto column = read("{'descr': '<f4', 'fortran_order': True, 'shape': (200, 100), }", 80'000);
    ASSERT_TRUE(column) << toText(column.error());
    EXPECT_FALSE(areMapped(column->unalignedBytes()));
    const auto row = read("{'descr': '<u1', 'fortran_order': True, 'shape': (80000,), }", 80'000);
    ASSERT_TRUE(row) << toText(row.error());
    EXPECT_TRUE(areMapped(row->unalignedBytes())) << "a vector has one order";
    const auto truths = read("{'descr': '|b1', 'fortran_order': False, 'shape': (80000,), }", 80'000);
    ASSERT_TRUE(truths) << toText(truths.error());
    EXPECT_EQ(truths->bytes()[7], std::byte{1}) << "7 in the file";
}

TEST_F(NpyFiles, areCheckedBeforeAnythingIsMadeOfThem)
{
    for (const std::size_t bytes : {std::size_t{79'999}, std::size_t{80'001}}) {
        const auto wrong = read("{'descr': '<f4', 'fortran_order': False, 'shape': (200, 100), }", bytes);
        ASSERT_FALSE(wrong);
        EXPECT_NE(toText(wrong.error()).find(format("needs 80000 bytes of data, and there are {}", bytes)), std::string::npos);
    }
    const auto overflow = read("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }", 80'000);
    ASSERT_FALSE(overflow);
    EXPECT_EQ(overflow.error().front().where.file, file().string());
    const auto big = read("{'descr': '>f4', 'fortran_order': False, 'shape': (200, 100), }", 80'000);
    ASSERT_FALSE(big);
    EXPECT_EQ(big.error().front().code, Code::UnsupportedDType);
}

TEST(RandomFill, isTheSameForTheSameSeed)
{
    const Shape shape{1000};
    EXPECT_TRUE(randomTensor(DType::F32, shape, 1).isIdenticalTo(randomTensor(DType::F32, shape, 1)));
    EXPECT_FALSE(randomTensor(DType::F32, shape, 1).isIdenticalTo(randomTensor(DType::F32, shape, 2)));
}

TEST(Npy, takesRawBitsOnlyForTheTypesThatTravelSo)
{
    EXPECT_EQ(toRawBits(HostTensor(DType::U32x4, Shape{2})).shape(), (Shape{2, 4}));
    EXPECT_FALSE(fromRawBits(HostTensor(DType::U32, Shape{2, 3}), DType::U32x4));
    EXPECT_FALSE(fromRawBits(HostTensor(DType::U32, Shape{}), DType::U32x4));
    EXPECT_FALSE(fromRawBits(HostTensor(DType::U16, Shape{2}), DType::F16));
    EXPECT_FALSE(fromRawBits(HostTensor(DType::U8, Shape{2}), DType::BF16));
    EXPECT_TRUE(fromRawBits(HostTensor(DType::U8, Shape{2}), DType::F8E4M3));
}

TEST(RandomFill, staysInItsRange)
{
    for (const DType dtype : scalarDTypes()) {
        const HostTensor tensor = randomTensor(dtype, Shape{1000}, 3);
        double sum = 0;
        for (std::int64_t i = 0; i < tensor.elements(); ++i) {
            const double value = tensor.at(i).asDouble();
            EXPECT_GE(value, isFloat(dtype) ? -1.0 : 0.0);
            EXPECT_LE(value, isFloat(dtype) ? 1.0 : 9.0);
            sum += value;
        }
        EXPECT_NEAR(sum / 1000, isFloat(dtype) ? 0 : dtype == DType::Bool ? 0.5 : 4.5, 0.3) << nameOf(dtype);
    }
}

} // namespace
} // namespace sw
