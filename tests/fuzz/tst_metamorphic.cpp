// What must not change a result: fusing kernels, optimising loops, the number of threads, and the compiler behind the code. In
// strict mode, without contracted products, all do the same operations in the same order, so that the results agree to the last
// bit. (The interpreter takes exp and its like from the C library instead of writing them as simpler operations.)

#include "engine/accuracy/error_bounds.h"
#include "engine/accuracy/error_rules.h"
#include "engine/accuracy/first_difference.h"
#include "engine/backend/native_backends.h"
#include "engine/graph/printer.h"
#include "tests/fuzz/device_under_test.h"
#include "tests/fuzz/merged_graphs.h"

#include <gtest/gtest.h>

#include <vector>

namespace sw {
namespace {

constexpr std::uint64_t kPrograms = 5;
constexpr std::uint64_t kGraphsPerProgram = 25;
constexpr std::uint64_t kFirstSeed = 700'000;

struct Variant {
    const char *name;
    const char *device;
    bool fuse;
    bool optimize;
    std::uint32_t threads;
};

constexpr Variant kVariants[] = {
    {"in C", "c", true, true, 0},         {"not fused", "llvm", false, true, 0}, {"not optimised", "llvm", true, false, 0},
    {"neither", "llvm", false, false, 0}, {"one thread", "llvm", true, true, 1}, {"three threads", "llvm", true, true, 3},
};

std::vector<RandomGraph> graphsFrom(std::uint64_t firstSeed)
{
    std::vector<RandomGraph> graphs;
    for (std::uint64_t seed = firstSeed; seed < firstSeed + kGraphsPerProgram; ++seed) {
        RandomGraphOptions options;
        options.seed = seed;
        options.steps = 4 + seed % 7;
        options.maxElements = seed % 2 == 0 ? 4096 : 256;
        options.patternPercent = seed % 3 == 0 ? 40 : 0;
        options.specialValues = seed % 4 == 0;
        graphs.push_back(randomGraph(options));
    }
    return graphs;
}

// Exact, but for what may be anything by the reference.
HostTensor exactBounds(const HostTensor &bounds)
{
    HostTensor exact(DType::F64, bounds.shape());
    for (std::int64_t i = 0; i < bounds.elements(); ++i)
        if (bounds.at(i).asDouble() == kAnything)
            exact.set(i, bounds.at(i));
    return exact;
}

class Metamorphic : public testing::Test {
protected:
    Metamorphic() { addNativeBackends(m_registry); }

    Result<std::vector<NamedTensor>> outputs(const RandomGraph &graph, const Variant &variant)
    {
        SW_TRY(DeviceUnderTest device, DeviceUnderTest::open(m_registry, variant.device, {.threads = variant.threads}));
        CompileOptions options;
        options.strict = true;
        options.contract = false;
        options.fuse = variant.fuse;
        options.optimize = variant.optimize;
        return device.run(graph, options);
    }

    BackendRegistry m_registry;
};

TEST_F(Metamorphic, resultsStayTheSameToTheLastBit)
{
    for (std::uint64_t program = 0; program < kPrograms; ++program) {
        const std::uint64_t firstSeed = kFirstSeed + program * kGraphsPerProgram;
        const std::vector<RandomGraph> graphs = graphsFrom(firstSeed);
        const MergedGraphs merged = mergedGraphs(graphs);
        const auto base = outputs(merged.all, {"base", "llvm", true, true, 0});
        ASSERT_TRUE(base) << toText(base.error());
        const auto bounds = interpretWithBounds(merged.all.graph, merged.all.inputs);
        ASSERT_TRUE(bounds) << toText(bounds.error());
        for (const Variant &variant : kVariants) {
            const auto other = outputs(merged.all, variant);
            ASSERT_TRUE(other) << toText(other.error());
            for (std::size_t i = 0; i < base->size(); ++i) {
                const auto difference =
                    firstDifference(base->at(i).value, other->at(i).value, exactBounds(bounds->bounds[i]), {.zeroSigns = true});
                EXPECT_FALSE(difference) << "seeds from " << firstSeed << ", " << variant.name << ", " << base->at(i).name << ": "
                                         << *difference;
            }
        }
    }
}

} // namespace
} // namespace sw
