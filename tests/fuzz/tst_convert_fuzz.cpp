// Random graphs as programs: what is written compiles to the same graph; what cannot be written is named.

#include "engine/api/convert/convert.h"

#include "engine/api/resources.h"
#include "engine/graph/printer.h"
#include "tests/fuzz/random_graph.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

constexpr std::uint64_t kGraphs = 1500;

TEST(ConvertFuzz, writesWhatCompilesToTheSameGraph)
{
    const test::TemporaryFolder folder;
    std::filesystem::create_directories(folder.path());
    const std::filesystem::path library = std::filesystem::path(findResourceFolder()) / "library";
    std::uint64_t written = 0;
    for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
        RandomGraphOptions random;
        random.seed = seed;
        random.patternPercent = seed % 3 == 0 ? 30 : 0;
        const Graph graph = randomGraph(random).graph;
        const auto made = convertGraph(graph, {.weightsFile = "w.safetensors", .libraryFolder = library});
        if (!made) {
            EXPECT_EQ(made.error().front().code, Code::Unsupported) << toText(made.error());
            continue;
        }
        ++written;
        ASSERT_TRUE(writeTensorArchive(folder.path() / "w.safetensors", made->weights));
        const auto same = checkConverted(graph, made->text, folder.path(), library);
        ASSERT_TRUE(same) << "seed " << seed << ": " << toText(same.error()) << made->text << printGraph(graph).text;
    }
    EXPECT_GT(written, kGraphs / 3);
}

} // namespace
} // namespace sw
