#include "engine/api/tensor_files.h"

#include "engine/types/npy.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/api/random_tensor.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <sstream>

namespace sw {
namespace {

class TensorFilesTest : public testing::Test {
protected:
    TensorFilesTest() { std::filesystem::create_directories(m_folder.path()); }
    std::filesystem::path file(const char *name) const { return m_folder.path() / name; }
    std::filesystem::path written(const char *name, const char *text) const
    {
        std::ofstream(file(name)) << text;
        return file(name);
    }

    test::TemporaryFolder m_folder;
};

std::string contents(const std::filesystem::path &file)
{
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

TEST_F(TensorFilesTest, everyTypeComesBackFromBothKinds)
{
    for (const DType dtype : test::numberTypes()) {
        const TensorView view("x", test::randomBits(dtype, Shape({4, 5}), 3));
        ASSERT_TRUE(saveNpy(view, file("x.npy")));
        const Result<TensorViewPtr> npy = loadNpy(file("x.npy"));
        ASSERT_TRUE(npy);
        EXPECT_TRUE((*npy)->tensor().isIdenticalTo(toRawBits(view.tensor()))) << nameOf(dtype);
        ASSERT_TRUE(saveCsv(view, file("x.csv"), {}));
        const Result<TensorViewPtr> csv = loadCsv(file("x.csv"), view.elementType(), view.shape());
        ASSERT_TRUE(csv) << toText(csv.error());
        EXPECT_TRUE((*csv)->tensor().isIdenticalTo(view.tensor())) << nameOf(dtype);
    }
}

TEST_F(TensorFilesTest, csvHasTheLastAxisAcross)
{
    const std::array<std::int64_t, 3> shape{2, 2, 3};
    const std::vector<double> numbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    ASSERT_TRUE(saveCsv(*tensorOfNumbers("x", "f32", shape, numbers), file("x.csv"), {}));
    EXPECT_EQ(contents(file("x.csv")), "0.0,1.0,2.0\n3.0,4.0,5.0\n6.0,7.0,8.0\n9.0,10.0,11.0\n");
    ASSERT_TRUE(
        saveCsv(*tensorOfNumbers("x", "f32", std::array<std::int64_t, 1>{3}, std::vector<double>{1, 2.5, 3}), file("v.csv"), {}));
    EXPECT_EQ(contents(file("v.csv")), "1.0\n2.5\n3.0\n");
}

TEST_F(TensorFilesTest, csvMayBeSeparatedInSeveralWays)
{
    const auto path = written("a.csv", "# a comment\n1; 2\t3\r\n4 5,6 # the end\n");
    const std::array<std::int64_t, 2> shape{2, 3};
    const Result<TensorViewPtr> read = loadCsv(path, "i32", shape);
    ASSERT_TRUE(read) << toText(read.error());
    EXPECT_EQ((*read)->texts(0, 6, ValueFormat::Decimal), (std::vector<std::string>{"1", "2", "3", "4", "5", "6"}));
}

TEST_F(TensorFilesTest, csvErrorsNameThePlaceOrTheCounts)
{
    const std::array<std::int64_t, 2> shape{2, 2};
    EXPECT_EQ(loadCsv(written("a.csv", "1,2\n3,x\n"), "f32", shape).error().front().message,
              "line 2 of a.csv: \"x\" is not a value of type f32");
    EXPECT_EQ(loadCsv(written("b.csv", "1,2,3\n"), "f32", shape).error().front().message,
              "b.csv holds 3 values, and f32[2, 2] needs 4");
    EXPECT_EQ(loadCsv(written("c.csv", "1,2,3,4,5\n"), "f32", shape).error().front().message,
              "c.csv holds 5 values, and f32[2, 2] needs 4");
    EXPECT_FALSE(loadCsv(file("none.csv"), "f32", shape));
}

TEST_F(TensorFilesTest, aStoppedFileIsNotThere)
{
    const TensorView view("x", HostTensor(DType::F32, Shape({100'000})));
    std::stop_source stopped;
    stopped.request_stop();
    EXPECT_FALSE(saveCsv(view, file("x.csv"), stopped.get_token()));
    EXPECT_TRUE(std::filesystem::is_empty(m_folder.path()));
}

} // namespace
} // namespace sw
