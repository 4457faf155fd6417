// Graphs that once were compiled to something wrong (tests/fuzz/regressions), on every device with every option.

#include "engine/backend/native_backends.h"
#include "engine/execute/input_values.h"
#include "engine/graph/parser.h"
#include "tests/fuzz/device_under_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace sw {
namespace {

std::filesystem::path folder()
{
    return std::filesystem::path(STEPWELL_SOURCE_DIR) / "tests/fuzz/regressions";
}

std::vector<std::string> graphNames()
{
    std::vector<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(folder()))
        if (entry.path().extension() == ".graph")
            names.push_back(entry.path().stem().string());
    std::ranges::sort(names);
    return names;
}

std::vector<CompileOptions> allOptions()
{
    std::vector<CompileOptions> all;
    for (unsigned bits = 0; bits < 8; ++bits) {
        CompileOptions options;
        options.fuse = (bits & 1U) == 0;
        options.optimize = (bits & 2U) == 0;
        options.strict = (bits & 4U) != 0;
        all.push_back(options);
    }
    return all;
}

class Regressions : public testing::TestWithParam<std::string> {
protected:
    Regressions() { addNativeBackends(m_registry); }

    BackendRegistry m_registry;
};

TEST_P(Regressions, giveWhatTheReferenceGives)
{
    std::stringstream text;
    text << std::ifstream(folder() / (GetParam() + ".graph")).rdbuf();
    auto graph = parseGraph(text.str(), GetParam() + ".graph");
    ASSERT_TRUE(graph) << toText(graph.error());
    const auto values = placeholderValues(*graph, {}, 1);
    ASSERT_TRUE(values) << toText(values.error());
    const RandomGraph random{std::move(*graph), *values};
    for (const char *id : {"interpreter", "llvm", "c", "opencl"}) {
        SCOPED_TRACE(id);
        auto device = DeviceUnderTest::open(m_registry, id);
        if (!device)
            continue; // Differential says so
        for (const CompileOptions &options : allOptions()) {
            const auto outputs = device->run(random, options);
            ASSERT_TRUE(outputs) << toText(outputs.error());
            EXPECT_EQ(faultOf(random, *outputs), "")
                << "fuse " << options.fuse << ", optimize " << options.optimize << ", strict " << options.strict;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, Regressions, testing::ValuesIn(graphNames()), [](const auto &test) { return test.param; });

} // namespace
} // namespace sw
