// Tensors that a model keeps in files beside it.

#include "tests/unit/onnx/model_bytes.h"
#include "tests/unit/onnx/operator_fixture.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>

namespace sw::test {

namespace {

namespace fs = std::filesystem;

class ExternalData : public testing::Test {
protected:
    void SetUp() override
    {
        m_folder = fs::temp_directory_path() / format("stepwell_external_{}", getpid());
        fs::create_directories(m_folder / "model" / "data");
        std::ofstream weights(m_folder / "model/data/weights.bin", std::ios::binary);
        const std::vector<float> values{9, 9, 9, 1, 2, 3};
        weights.write(reinterpret_cast<const char *>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(float)));
        std::ofstream(m_folder / "secret.bin") << std::string(100, 'x');
    }
    void TearDown() override { fs::remove_all(m_folder); }

    struct Place {
        std::string location = "data/weights.bin";
        std::string offset = "12";
        std::string length = "12";
        std::int64_t extent = 3;
    };
    // x + w of a model in the folder
    ModelResult import(const Place &place)
    {
        const auto entry = [](std::string_view key, std::string_view value) { return Message().text(1, key).text(2, value); };
        Message w = Message().number(1, place.extent).number(2, kFloat).text(8, "w");
        w.message(13, entry("location", place.location)).message(13, entry("offset", place.offset));
        if (!place.length.empty())
            w.message(13, entry("length", place.length));
        w.number(14, 1);
        const ModelText model{.inputs = {valueInfo("x", {3})},
                              .nodes = {{.op = "Add", .inputs = {"x", "w"}, .outputs = {"y"}}},
                              .outputs = {valueInfo("y", {3})},
                              .initializers = {w}};
        const auto bytes = modelBytes(model);
        const fs::path file = m_folder / "model/test.onnx";
        std::ofstream(file, std::ios::binary)
            .write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        return importOnnx(file, libraryOptions(), {});
    }
    std::string errorOf(const Place &place)
    {
        const ModelResult result = import(place);
        EXPECT_FALSE(result.graph);
        return result.diagnostics.empty() ? std::string() : result.diagnostics.front().message;
    }

    fs::path m_folder;
};

std::vector<double> parameterOf(const ModelResult &result)
{
    EXPECT_TRUE(result.graph) << toText(result.diagnostics);
    if (result.graph)
        for (const NodeId id : result.graph->placeholders())
            if (const auto &initial = attributesOf<PlaceholderAttributes>(result.graph->node(id)).initial)
                return elementsOf(*initial);
    return {};
}

} // namespace

TEST_F(ExternalData, isReadFromTheModelsFolder)
{
    EXPECT_EQ(parameterOf(import({})), (std::vector<double>{1, 2, 3}));
    EXPECT_EQ(parameterOf(import({.length = ""})), (std::vector<double>{1, 2, 3}));
    EXPECT_EQ(parameterOf(import({.location = "./data/weights.bin", .offset = "4"})), (std::vector<double>{9, 9, 1}));
}

TEST_F(ExternalData, staysInTheFolder)
{
    constexpr std::string_view kOutside = "which is not a path inside of the model's folder";
    EXPECT_NE(errorOf({.location = "../secret.bin"}).find(kOutside), std::string::npos);
    EXPECT_NE(errorOf({.location = "data/../../secret.bin"}).find(kOutside), std::string::npos);
    EXPECT_NE(errorOf({.location = (m_folder / "secret.bin").string()}).find(kOutside), std::string::npos);
    EXPECT_NE(errorOf({.location = ""}).find(kOutside), std::string::npos);
    fs::create_symlink(m_folder / "secret.bin", m_folder / "model/link.bin");
    EXPECT_NE(errorOf({.location = "link.bin"}).find("a link that leads out"), std::string::npos);
    fs::create_symlink("data/weights.bin", m_folder / "model/inside.bin");
    EXPECT_EQ(parameterOf(import({.location = "inside.bin"})), (std::vector<double>{1, 2, 3}));
}

TEST_F(ExternalData, mustBeThere)
{
    EXPECT_NE(errorOf({.location = "none.bin"}).find("tensor 'w': its data are in 'none.bin', which cannot be read"),
              std::string::npos);
    EXPECT_NE(errorOf({.location = "data"}).find("which is not a file"), std::string::npos);
    EXPECT_NE(errorOf({.offset = "16"}).find("which has 24 bytes; the tensor has 12 from byte 16 on"), std::string::npos);
    EXPECT_NE(errorOf({.offset = "18446744073709551615"}).find("which has 24 bytes"), std::string::npos);
    EXPECT_NE(errorOf({.offset = "-1"}).find("'-1' is no number of bytes"), std::string::npos);
    EXPECT_NE(errorOf({.length = "8"}).find("where it has 8 bytes; its shape and type want 12"), std::string::npos);
    EXPECT_NE(errorOf({.length = "", .extent = std::int64_t{1} << 40}).find("which has 24 bytes"),
              std::string::npos); // not allocated
}

} // namespace sw::test
