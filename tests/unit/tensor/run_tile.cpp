#include "tests/unit/tensor/run_tile.h"

#include "engine/backend/cpu/kernel_table.h"
#include "engine/backend/llvm/cross_compiler.h"
#include "engine/backend/llvm/llvm_renderer.h"
#include "engine/backend/llvm/native_code.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace sw::test {

namespace {

struct Aligned {
    explicit Aligned(std::size_t bytes) : memory(static_cast<std::byte *>(std::aligned_alloc(64, (bytes + 127) / 64 * 64))) {}
    ~Aligned() { std::free(memory); }
    Aligned(const Aligned &) = delete;
    Aligned &operator=(const Aligned &) = delete;
    std::byte *memory;
};

} // namespace

Result<HostTensor> runTile(const LoweredProgram &program, const std::vector<HostTensor> &inputs, const HostTensor &like,
                           const DeviceInfo &device, bool hasTiles)
{
    const LoweredKernel &kernel = program.kernels.at(0);
    SW_TRY(const RenderedSource source, LlvmRenderer().render(kernel, device));
    // Its own features may not be more than this machine has, but for the tiles, which may be emulated.
    std::string features = "+avx512vbmi,+avx512vnni,+avx512bf16";
    if (hasTiles)
        features += ",+amx-tile,+amx-bf16,+amx-int8";
    const CrossTarget target{.name = "test",
                             .triple = "x86_64-unknown-linux-gnu",
                             .cpu = "x86-64-v4", // which any processor that canRun() asks for has
                             .features = features,
                             .doc = ""};
    SW_TRY(const ObjectBytes object, crossObject(source, target));
    SW_TRY(const auto loader, CodeLoader::create());
    const std::array<std::string, 1> entry{source.symbol + std::string(kRangeSuffix)};
    SW_TRY(const auto code, loader->load(object, entry));
    const auto run = reinterpret_cast<RangeFunction>(code->address(entry[0]));

    std::vector<std::unique_ptr<Aligned>> places;
    std::vector<void *> arguments;
    HostTensor result(like.dtype(), like.shape());
    std::byte *out = nullptr;
    const Schedule &schedule = *program.schedule;
    for (const BufferId id : kernel.arguments) {
        const Node &node = schedule.graph->node(schedule.buffer(id).node);
        places.push_back(std::make_unique<Aligned>(static_cast<std::size_t>(schedule.buffer(id).bytes())));
        arguments.push_back(places.back()->memory);
        if (node.kind == NodeKind::Vconst) {
            std::ranges::copy(attributesOf<TensorAttributes>(node).value->bytes(), places.back()->memory);
            continue;
        }
        if (node.kind != NodeKind::Placeholder) {
            out = places.back()->memory;
            continue;
        }
        const std::size_t which = attributesOf<PlaceholderAttributes>(node).name == "a" ? 0 : 1;
        std::ranges::copy(inputs.at(which).bytes(), places.back()->memory);
    }
    std::array<std::int64_t, 64> faults{};
    for (std::int64_t z = 0; z < kernel.globalSize[2]; ++z)
        for (std::int64_t y = 0; y < kernel.globalSize[1]; ++y)
            run(arguments.data(), 0, kernel.globalSize[0], y, z, faults.data());
    std::memcpy(result.mutableBytes().data(), out, result.byteSize());
    return result;
}

} // namespace sw::test
