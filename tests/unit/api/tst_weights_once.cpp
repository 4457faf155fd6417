// The weights of a program that runs are in memory once: in the file that they are mapped from, or on the device.

#include "engine/api/compilation.h"
#include "engine/api/resources.h"
#include "engine/backend/host_memory.h"
#include "engine/backend/native_backends.h"
#include "engine/base/mapped_file.h"
#include "engine/execute/input_values.h"
#include "engine/execute/program_memory.h"
#include "engine/graph/interpreter.h"
#include "engine/types/npy.h"
#include "engine/types/random_fill.h"
#include "tests/support/resident_pages.h"
#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <fstream>

namespace sw {
namespace {

const Shape kShape{512, 600}; // 1.2 MB

class WeightsOnce : public testing::TestWithParam<const char *> {
protected:
    WeightsOnce()
    {
        addNativeBackends(m_registry);
        std::filesystem::create_directories(m_folder.path());
    }

    // A program that adds the weights to its input, compiled for the device.
    Compilation compiled(const std::string &weights)
    {
        CompileRequest request;
        request.program.fileName = (m_folder.path() / "test.graph").string();
        request.program.text =
            "stepwell graph 1\n%0 = placeholder {name = \"x\", role = input} : f32[512, 600]\n%1 = " + weights +
            " : f32[512, 600]\n%2 = add %0, %1 : f32[512, 600]\nsink %2 {names = [\"output\"]}\n";
        request.program.isText = true;
        request.program.resourceFolder = findResourceFolder();
        request.device = GetParam();
        Compilation made = m_compiler.compile(request, {});
        EXPECT_TRUE(made.succeeded) << toText(made.diagnostics);
        return made;
    }

    // Of a run that gives what the reference does.
    void expectRuns(const Compilation &compilation)
    {
        const auto values = placeholderValues(*compilation.graph, {}, 3).value();
        const auto devices = m_compiler.openedDevices(compilation).value();
        const auto executor = Executor::prepare(devices, compilation.program, values);
        ASSERT_TRUE(executor) << toText(executor.error());
        for (int round = 0; round < 2; ++round) {
            const auto result = (*executor)->run({}, {});
            ASSERT_TRUE(result) << toText(result.error());
            const HostTensor sum = result->outputs.front().value;
            for (const std::int64_t i : {std::int64_t{0}, std::int64_t{70'000}, kShape.elements() - 1})
                EXPECT_EQ(sum.at(i).asDouble(), static_cast<float>(values.front().at(i).asDouble() + m_weights.at(i).asDouble()));
        }
    }

    [[nodiscard]] std::filesystem::path file() const { return m_folder.path() / "w.npy"; }

    test::TemporaryFolder m_folder;
    BackendRegistry m_registry;
    ProgramCompiler m_compiler{m_registry};
    HostTensor m_weights = randomTensor(DType::F32, kShape, 5);
};

const HostTensor &constantIn(const Graph &graph)
{
    const auto found = std::ranges::find(graph.nodes(), NodeKind::Vconst, &Node::kind);
    return *attributesOf<TensorAttributes>(*found).value;
}

TEST_P(WeightsOnce, leaveTheirFileWhenTheyAreOnTheDevice)
{
    ASSERT_TRUE(writeNpyFile(file(), m_weights));
    for (const char *weights :
         {"vconst {value = load(\"w.npy\")}", "placeholder {name = \"w\", role = param, value = load(\"w.npy\")}"}) {
        const Compilation compilation = compiled(weights);
        ASSERT_TRUE(compilation.succeeded);
        HostTensor stored;
        for (const Node &node : compilation.graph->nodes()) {
            if (const auto *constant = std::get_if<TensorAttributes>(&node.attributes))
                stored = *constant->value;
            if (const auto *param = std::get_if<PlaceholderAttributes>(&node.attributes); param != nullptr && param->initial)
                stored = *param->initial;
        }
        ASSERT_TRUE(areMapped(stored.unalignedBytes()));
        expectRuns(compilation);
        EXPECT_LE(test::residentPages(stored.unalignedBytes()), 24U) << "what was looked at again, and the file's ends";
    }
}

// In column order, they are put in row order in memory.
TEST_P(WeightsOnce, areReadWhereTheyLieInMemory)
{
    HostTensor turned(DType::F32, Shape{kShape[1], kShape[0]});
    for (std::int64_t row = 0; row < kShape[0]; ++row)
        for (std::int64_t column = 0; column < kShape[1]; ++column)
            turned.set(column * kShape[0] + row, m_weights.at(row * kShape[1] + column));
    std::vector<std::byte> bytes = npyBytes(turned);
    std::string text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    const auto replace = [&](std::string_view from, std::string_view to) { text.replace(text.find(from), from.size(), to); };
    replace("'fortran_order': False", "'fortran_order': True ");
    replace("(600, 512)", "(512, 600)");
    std::ofstream(file(), std::ios::binary) << text;

    const Compilation compilation = compiled("vconst {value = load(\"w.npy\")}");
    ASSERT_TRUE(compilation.succeeded);
    ASSERT_TRUE(constantIn(*compilation.graph).isIdenticalTo(m_weights));
    expectRuns(compilation);
    const auto devices = m_compiler.openedDevices(compilation).value();
    const Schedule &schedule = *compilation.schedule;
    const auto memory = ProgramMemory::allocate(schedule, devices).value();
    const bool isCpu = devices.front()->info().kind == DeviceKind::Cpu;
    for (std::size_t i = 0; i < schedule.buffers.size(); ++i)
        EXPECT_EQ(isAdopted(devices.front()->runtime(), memory->of(BufferId(i))),
                  isCpu && schedule.buffers[i].role == BufferRole::Constant)
            << schedule.buffers[i].name;
}

INSTANTIATE_TEST_SUITE_P(Devices, WeightsOnce, testing::Values("llvm", "c", "interpreter"));

} // namespace
} // namespace sw
