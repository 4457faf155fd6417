#include "engine/types/npy.h"

#include "engine/types/random_fill.h"

#include <gtest/gtest.h>

#include <filesystem>

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
