// Files of many tensors: what is written reads back, and a file that lies is refused before anything is allocated.

#include "engine/types/safetensors.h"

#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <fstream>

namespace sw {
namespace {

class Safetensors : public testing::Test {
protected:
    Safetensors() { std::filesystem::create_directories(m_folder.path()); }
    std::filesystem::path write(const std::string &header, const std::string &data) const
    {
        const std::uint64_t length = header.size();
        std::string bytes(8, '\0');
        std::memcpy(bytes.data(), &length, bytes.size());
        return writeBytes(bytes + header + data);
    }
    std::filesystem::path writeBytes(const std::string &bytes) const
    {
        std::ofstream(path(), std::ios::binary) << bytes;
        return path();
    }
    std::filesystem::path path() const { return m_folder.path() / "w.safetensors"; }
    // Of a tensor "x", or of the file.
    std::string errorOf(const std::filesystem::path &file) const
    {
        const auto archive = TensorArchive::open(file);
        if (!archive)
            return archive.error().front().message;
        const auto tensor = archive->tensor("x");
        return tensor ? std::string() : tensor.error().front().message;
    }
    static bool contains(const std::string &text, std::string_view part) { return text.find(part) != std::string::npos; }

    test::TemporaryFolder m_folder;
};

TEST_F(Safetensors, keepEveryTypeAndShape)
{
    NamedTensors tensors;
    for (const DType dtype : allDTypes()) {
        if (dtype == DType::Unit)
            continue;
        HostTensor tensor(dtype, Shape{2, 3});
        for (std::size_t i = 0; i < tensor.byteSize(); ++i)
            tensor.mutableBytes()[i] = dtype == DType::Bool ? std::byte(i % 2) : std::byte(i * 7);
        tensors.emplace_back(nameOf(dtype), tensor);
    }
    tensors.emplace_back("empty", HostTensor(DType::F32, Shape{0, 4}));
    tensors.emplace_back("a \"quoted\" name/with.dots", HostTensor::ofScalar(Scalar::of(DType::I64, std::int64_t{-5})));
    ASSERT_TRUE(writeTensorArchive(path(), tensors));
    const auto archive = TensorArchive::open(path());
    ASSERT_TRUE(archive) << toText(archive.error());
    EXPECT_EQ(archive->names().size(), tensors.size());
    for (const auto &[name, value] : tensors) {
        const auto read = archive->tensor(name);
        ASSERT_TRUE(read) << toText(read.error());
        if (value.dtype() == DType::U32x4) // the format does not have it
            EXPECT_TRUE(read->isIdenticalTo(value.reinterpreted(DType::U32, Shape{2, 3, 4})));
        else
            EXPECT_TRUE(read->isIdenticalTo(value)) << name;
    }
}

TEST_F(Safetensors, readWhatOtherProgramsWrite)
{
    const std::array<float, 2> values{1.5F, -2.0F};
    const std::string data(reinterpret_cast<const char *>(values.data()), sizeof values);
    const auto archive = TensorArchive::open(
        write(R"({"__metadata__":{"format":"pt"},"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}  )", data));
    ASSERT_TRUE(archive) << toText(archive.error());
    const auto x = archive->tensor("x");
    ASSERT_TRUE(x) << toText(x.error());
    EXPECT_TRUE(x->isIdenticalTo(HostTensor::ofValues(DType::F32, Shape{2}, std::array{1.5, -2.0})));
    EXPECT_EQ(archive->names(), std::vector<std::string>{"x"});
    const auto missing = archive->tensor("y");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().front().code, Code::UnknownName);
}

TEST_F(Safetensors, refuseFilesThatLie)
{
    EXPECT_TRUE(contains(errorOf(m_folder.path() / "none"), "cannot read"));
    EXPECT_TRUE(contains(errorOf(m_folder.path()), "cannot read"));
    EXPECT_TRUE(contains(errorOf(writeBytes("")), "ends in its header"));
    EXPECT_TRUE(contains(errorOf(writeBytes("\xff\xff\xff\xff\xff\xff\xff\xff")), "ends in its header"));
    EXPECT_FALSE(errorOf(write("{", "")).empty());
    EXPECT_TRUE(contains(errorOf(write("[]", "")), "not a table of tensors"));
    EXPECT_TRUE(contains(errorOf(write(R"({"x":{"dtype":"F32","shape":[2]}})", "")), "does not name"));
    EXPECT_TRUE(
        contains(errorOf(write(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", "1234")), "takes bytes 0 to 8"));
    EXPECT_TRUE(contains(errorOf(write(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[4,0]}})", "12345678")), "takes bytes"));
    EXPECT_TRUE(
        contains(errorOf(write(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[-8,0]}})", "12345678")), "takes bytes"));
    EXPECT_TRUE(contains(errorOf(write(R"({"x":{"dtype":"F32","shape":[1000000000000],"data_offsets":[0,8]}})", "12345678")),
                         "has 1000000000000 elements"));
    EXPECT_FALSE(errorOf(write(R"({"x":{"dtype":"F32","shape":[-1],"data_offsets":[0,0]}})", "")).empty());
    EXPECT_TRUE(contains(errorOf(write(R"({"x":{"dtype":"C64","shape":[1],"data_offsets":[0,8]}})", "12345678")), "\"C64\""));
}

} // namespace
} // namespace sw
