// Attention against oneDNN and PyTorch: a product, a softmax of its rows and a second product, on one and two threads, taking
// turns in one run. oneDNN has no attention, so it does the three one after the other, with the scale as an epilogue of the first
// product. As another epilogue, the mask of the causal case would make it take its slowest code, so a loop writes it.

#include "engine/backend/native_backends.h"
#include "tests/benchmarks/library_peers.h"
#include "tests/benchmarks/peer_threads.h"
#include "tests/benchmarks/prepared_program.h"
#include "tests/benchmarks/widest_kernels.h"

#include <algorithm>
#include <cmath>
#include <dnnl.hpp>
#include <map>
#include <memory>

namespace sw::benchmark {

namespace {

using dnnl::memory;

constexpr int kRounds = 11;
constexpr std::int64_t kHeads = 8;
constexpr std::int64_t kWidth = 64;
constexpr float kScale = 0.125F; // 1 / sqrt(64)

memory::desc described(const memory::dims &dims, memory::format_tag tag = memory::format_tag::abc)
{
    return {dims, memory::data_type::f32, tag};
}

// Made once for a number of threads, which decides how oneDNN splits the work.
class Composition {
public:
    Composition(std::int64_t rows, Mask mask, std::uint32_t threads)
        : m_rows(rows), m_hasMask(mask == Mask::Causal), m_scores(described({kHeads, rows, rows}), m_engine)
    {
        setPeerThreads(threads);
        const memory::desc narrow = described({kHeads, rows, kWidth});
        const memory::desc turned = described({kHeads, kWidth, rows}, memory::format_tag::acb);
        const memory::desc square = described({kHeads, rows, rows});
        dnnl::primitive_attr attributes;
        attributes.set_output_scales(0, {kScale});
        m_first = dnnl::matmul({dnnl::matmul::desc(narrow, turned, square), attributes, m_engine});
        m_softmax = dnnl::softmax_forward({dnnl::softmax_forward::desc(dnnl::prop_kind::forward_inference, square, 2), m_engine});
        m_second = dnnl::matmul({dnnl::matmul::desc(square, narrow, narrow), m_engine});
        m_query = memory(narrow, m_engine, nullptr);
        m_key = memory(turned, m_engine, nullptr);
        m_value = memory(narrow, m_engine, nullptr);
        m_out = memory(narrow, m_engine, nullptr);
    }

    // q, k and v, each [heads, rows, width].
    void run(const std::vector<HostTensor> &inputs, float *out)
    {
        const auto given = [&](memory &place, std::size_t input) {
            place.set_data_handle(const_cast<float *>(floatsOf(inputs[input]))); // oneDNN does not write to it
        };
        given(m_query, 0);
        given(m_key, 1);
        given(m_value, 2);
        m_out.set_data_handle(out);
        m_first.execute(m_stream, {{DNNL_ARG_SRC, m_query}, {DNNL_ARG_WEIGHTS, m_key}, {DNNL_ARG_DST, m_scores}});
        m_stream.wait();
        if (m_hasMask)
            maskScores(static_cast<float *>(m_scores.get_data_handle()), kHeads, m_rows);
        m_softmax.execute(m_stream, {{DNNL_ARG_SRC, m_scores}, {DNNL_ARG_DST, m_scores}});
        m_second.execute(m_stream, {{DNNL_ARG_SRC, m_scores}, {DNNL_ARG_WEIGHTS, m_value}, {DNNL_ARG_DST, m_out}});
        m_stream.wait();
    }

private:
    std::int64_t m_rows;
    bool m_hasMask;
    dnnl::engine m_engine{dnnl::engine::kind::cpu, 0};
    dnnl::stream m_stream{m_engine};
    memory m_scores, m_query, m_key, m_value, m_out;
    dnnl::primitive m_first, m_softmax, m_second;
};

// A ratio means nothing when one side computes something else.
double largestDifference(const HostTensor &ours, const std::vector<float> &theirs)
{
    double largest = 0;
    for (std::size_t i = 0; i < theirs.size(); ++i)
        largest = std::fmax(largest, std::fabs(static_cast<double>(floatsOf(ours)[i]) - static_cast<double>(theirs[i])));
    return largest;
}

std::vector<Peer> peersOf(std::int64_t rows, Mask mask, std::uint32_t threads)
{
    const auto composition = std::make_shared<Composition>(rows, mask, threads);
    const auto run = [composition](const std::vector<HostTensor> &inputs, float *out, std::uint32_t count) {
        setPeerThreads(count);
        composition->run(inputs, out);
    };
    std::vector<Peer> peers = torchAttention(kHeads, rows, kWidth, mask);
    peers.insert(peers.begin(), {"oneDNN", run});
    return peers;
}

void measure(const BackendRegistry &registry, std::int64_t rows, Mask mask, std::uint32_t threads)
{
    std::string text;
    for (const char *name : {"q", "k", "v"})
        text += format("input {}: f32[{}, {}, {}]\n", name, kHeads, rows, kWidth);
    text += format("output attention(q, k, v{})\n", mask == Mask::Causal ? ", causal = true" : "");
    PreparedProgram program(registry, text, threads);
    const HostTensor ours = program.output();
    const std::vector<Peer> peers = peersOf(rows, mask, threads);
    const auto elements = static_cast<std::size_t>(kHeads * rows * kWidth);
    std::vector<std::vector<float>> outs(peers.size(), std::vector<float>(elements));
    std::vector<Contender> contenders{{"stepwell", [&] { return program.run(); }}};
    for (std::size_t i = 0; i < peers.size(); ++i) {
        const auto run = [&, i] { peers[i].run(program.inputs(), outs[i].data(), threads); };
        contenders.push_back({peers[i].name, [run] { return timeOf(run); }});
    }
    const std::vector<Timing> timings = measureInTurns(contenders, kRounds, kPauseForSpinners);
    print(format("attention {} x {} x {}{:<8} {} thread{}  stepwell {:>12}", kHeads, rows, kWidth,
                 mask == Mask::Causal ? " causal" : "", threads, threads == 1 ? " " : "s", millisecondsText(timings[0].median)));
    for (std::size_t i = 0; i < peers.size(); ++i)
        print(format("  {} {:>12} ratio {:.2f} (max difference {:.1g})", peers[i].name, millisecondsText(timings[i + 1].median),
                     static_cast<double>(timings[i + 1].median.count()) / static_cast<double>(timings[0].median.count()),
                     largestDifference(ours, outs[i])));
    print("\n");
}

} // namespace
} // namespace sw::benchmark

// With so many rows, as 8192; without a number, with 512 and with 2048.
int main(int argumentCount, char **arguments)
{
    sw::benchmark::runWithBestPeers(arguments);
    sw::BackendRegistry registry;
    sw::addNativeBackends(registry);
    sw::benchmark::print(sw::format("ratio: how many times faster than the peer; peers: {} in three steps; {}\n",
                                    sw::benchmark::oneDnnText(), sw::benchmark::torchText()));
    const std::int64_t only = argumentCount > 1 ? std::atoll(arguments[1]) : 0;
    for (const std::int64_t rows : only == 0 ? std::vector<std::int64_t>{512, 2048} : std::vector{only})
        for (const auto mask : {sw::benchmark::Mask::No, sw::benchmark::Mask::Causal})
            for (const std::uint32_t threads : {1U, 2U})
                sw::benchmark::measure(registry, rows, mask, threads);
    return 0;
}
