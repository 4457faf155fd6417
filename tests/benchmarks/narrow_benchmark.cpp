// Times matrix products of narrow elements on llvm, with the tensor instructions of this processor and without, next to oneDNN
// with its best code for it. Both factors are fresh: what is packed is packed in each run. The values are compared in the same
// run.

#include "engine/backend/native_backends.h"
#include "tests/benchmarks/clean_environment.h"
#include "tests/benchmarks/peer_threads.h"
#include "tests/benchmarks/prepared_program.h"

#include <cmath>
#include <cstring>
#include <dnnl.hpp>

namespace sw::benchmark {
namespace {

using dnnl::memory;

constexpr int kRounds = 9;

struct Types {
    DType a = DType::BF16;
    DType b = DType::BF16;
    DType sum = DType::F32;
};

memory::data_type libraryType(DType dtype)
{
    if (dtype == DType::BF16)
        return memory::data_type::bf16;
    if (dtype == DType::F32)
        return memory::data_type::f32;
    if (dtype == DType::I32)
        return memory::data_type::s32;
    return dtype == DType::I8 ? memory::data_type::s8 : memory::data_type::u8;
}

class LibraryProduct {
public:
    LibraryProduct(const Types &types, std::int64_t size, std::uint32_t threads)
    {
        setPeerThreads(threads); // decides how it splits the work
        const auto described = [&](DType dtype) {
            return memory::desc({size, size}, libraryType(dtype), memory::format_tag::ab);
        };
        const dnnl::matmul::desc wanted(described(types.a), described(types.b), described(types.sum));
        const dnnl::matmul::primitive_desc primitive(wanted, m_engine);
        m_name = primitive.impl_info_str();
        m_product = dnnl::matmul(primitive);
        m_a = memory(described(types.a), m_engine, nullptr);
        m_b = memory(described(types.b), m_engine, nullptr);
        m_sum = memory(described(types.sum), m_engine, nullptr);
    }

    void run(const std::vector<HostTensor> &inputs, std::byte *out, std::uint32_t threads)
    {
        setPeerThreads(threads);
        // It takes inputs as plain pointers too, and does not write to them.
        m_a.set_data_handle(const_cast<std::byte *>(inputs[0].bytes().data()));
        m_b.set_data_handle(const_cast<std::byte *>(inputs[1].bytes().data()));
        m_sum.set_data_handle(out);
        m_product.execute(m_stream, {{DNNL_ARG_SRC, m_a}, {DNNL_ARG_WEIGHTS, m_b}, {DNNL_ARG_DST, m_sum}});
        m_stream.wait();
    }

    [[nodiscard]] const std::string &name() const { return m_name; }

private:
    dnnl::engine m_engine{dnnl::engine::kind::cpu, 0};
    dnnl::stream m_stream{m_engine};
    dnnl::matmul m_product;
    memory m_a;
    memory m_b;
    memory m_sum;
    std::string m_name;
};

double largestDifference(const HostTensor &ours, const HostTensor &theirs)
{
    double largest = 0;
    for (std::int64_t i = 0; i < ours.shape().elements(); ++i)
        largest = std::fmax(largest, std::fabs(ours.at(i).asDouble() - theirs.at(i).asDouble()));
    return largest;
}

void measure(const BackendRegistry &registry, const Types &types, std::int64_t size, std::uint32_t threads)
{
    const std::string text = format("input a: {}[{}, {}]\ninput b: {}[{}, {}]\noutput a.cast({}) @ b.cast({})\n", nameOf(types.a),
                                    size, size, nameOf(types.b), size, size, nameOf(types.sum), nameOf(types.sum));
    PreparedProgram program(registry, text, threads);
    PreparedProgram plain(registry, text, threads, {.tensorInstructions = false});
    LibraryProduct library(types, size, threads);
    const HostTensor ours = program.output();
    HostTensor theirs(ours.dtype(), ours.shape());
    const auto turn = [&] { return timeOf([&] { library.run(program.inputs(), theirs.mutableBytes().data(), threads); }); };
    const std::vector<Timing> timings =
        measureInTurns({{"stepwell", [&] { return program.run(); }}, {"without", [&] { return plain.run(); }}, {"oneDNN", turn}},
                       kRounds, kPauseForSpinners);
    const auto ratio = [&](std::size_t other) {
        return static_cast<double>(timings[other].median.count()) / static_cast<double>(timings[0].median.count());
    };
    const double operations = 2.0 * static_cast<double>(size) * static_cast<double>(size) * static_cast<double>(size);
    print(format("{} x {} in {} {:>4}  {} thread{}  stepwell {:>11} ({:.0f} G/s)  without {:>11} ratio {:.2f}  oneDNN {} {:>11} "
                 "ratio {:.2f} (max difference {:.1g})\n",
                 nameOf(types.a), nameOf(types.b), nameOf(types.sum), size, threads, threads == 1 ? " " : "s",
                 millisecondsText(timings[0].median), operations / static_cast<double>(timings[0].median.count()),
                 millisecondsText(timings[1].median), ratio(1), library.name(), millisecondsText(timings[2].median), ratio(2),
                 largestDifference(ours, theirs)));
}

} // namespace
} // namespace sw::benchmark

// The sizes after the program's name; without any, 512, 1024 and 2048.
int main(int argumentCount, char **arguments)
{
    sw::benchmark::runWithCleanEnvironment(arguments);
    sw::BackendRegistry registry;
    sw::addNativeBackends(registry);
    std::vector<std::int64_t> sizes;
    for (int i = 1; i < argumentCount; ++i)
        sizes.push_back(std::atoll(arguments[i]));
    if (sizes.empty())
        sizes = {512, 1024, 2048};
    using sw::DType;
    sw::benchmark::print("ratio: how many times faster than the other\n");
    for (const sw::benchmark::Types &types : {sw::benchmark::Types{}, sw::benchmark::Types{DType::I8, DType::I8, DType::I32},
                                              sw::benchmark::Types{DType::U8, DType::I8, DType::I32}})
        for (const std::int64_t size : sizes)
            for (const std::uint32_t threads : {1U, 2U})
                sw::benchmark::measure(registry, types, size, threads);
    return 0;
}
