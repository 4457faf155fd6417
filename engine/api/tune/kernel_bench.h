#pragma once
// One kernel of a program on its device, with what it finds in its buffers in a run: other loops for the same kernel are
// compiled, compared with the compiler's choice, and timed in turn with the best so far.

#include "engine/api/compilation.h"
#include "engine/api/inputs.h"
#include "engine/tune/candidate.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace sw {

class KernelBench {
public:
    // compilation: with its machine code, made by the compiler; both must stay. Runs what comes before the kernel.
    [[nodiscard]] static Result<std::unique_ptr<KernelBench>> prepare(ProgramCompiler &compiler, const Compilation &compilation,
                                                                      KernelId kernel, const RunInputs &inputs,
                                                                      const std::stop_token &stop);
    ~KernelBench();
    KernelBench(const KernelBench &) = delete;
    KernelBench &operator=(const KernelBench &) = delete;

    // The first nest is the compiler's own choice: its values count as right. Later ones are timed in turn with the fastest so
    // far.
    [[nodiscard]] CandidateTrial tryOut(const LoopNest &nest, const std::stop_token &stop);
    // The fastest so far in turn with the first one: toBest is the ratio of their times.
    [[nodiscard]] CandidateTrial compareBestWithFirst(const std::stop_token &stop);
    // What the values of a candidate are compared by: "equal bit for bit", or why they may differ and how far.
    [[nodiscard]] const std::string &ruleOfValues() const { return m_rule; }

private:
    struct Version {
        ArtifactPtr artifact;
        std::array<std::int64_t, 3> globalSize{1, 1, 1};
        std::array<std::int64_t, 3> localSize{1, 1, 1};
    };
    struct Times {
        std::vector<double> other; // nanoseconds, by round
        std::vector<double> own;
    };
    KernelBench(const Compilation &compilation, KernelId kernel, OpenedDevice &device);

    Result<Done> fill(std::vector<HostTensor> values);
    Result<Done> setLimits(const RunInputs &inputs, std::span<const HostTensor> values, const std::stop_token &stop);
    Result<Done> renew();
    void freeBuffers();
    Result<Done> resetWritten();
    Result<LoweredKernel> lowered(const LoopNest &nest, const std::stop_token &stop) const;
    Result<ArtifactPtr> compiled(const LoweredKernel &kernel, const std::stop_token &stop);
    Result<double> launch(const Version &version, const std::stop_token &stop);
    Result<std::vector<HostTensor>> written();
    [[nodiscard]] std::string differenceIn(const std::vector<HostTensor> &values, std::uint64_t &maxUlp) const;
    Result<CandidateTrial> tried(const LoopNest &nest, const std::stop_token &stop);
    [[nodiscard]] CandidateTrial sizeOf(const LoweredKernel &kernel) const;
    Result<CandidateTrial> launchedOnce(const Version &version, const std::stop_token &stop);
    Result<bool> isFarOff(const Version &version, CandidateTrial &trial, const std::stop_token &stop);
    Result<Done> warmUp(const Version &version, const std::stop_token &stop);
    Result<Done> timeInTurn(const Version &version, const Version &other, CandidateTrial &trial, const std::stop_token &stop);
    Result<Done> timeFirst(const Version &version, CandidateTrial &trial, const std::stop_token &stop);
    [[nodiscard]] std::size_t launchesPerRound() const;
    [[nodiscard]] CandidateTrial outcomeOf(Result<CandidateTrial> trial, const std::stop_token &stop);

    const Compilation &m_compilation;
    KernelId m_kernel;
    OpenedDevice &m_device;
    std::vector<std::size_t> m_first;                // by argument: the first one that is the same buffer
    std::vector<HostTensor> m_initial;               // by argument
    std::vector<DeviceBufferId> m_buffers;           // by argument
    std::vector<std::size_t> m_written;              // arguments that the kernel stores to, each once
    std::vector<HostTensor> m_expected;              // by place in m_written
    std::vector<std::optional<HostTensor>> m_limits; // likewise
    bool m_isExact = false;
    std::string m_rule;
    Version m_model; // the first one
    Version m_best;  // no artifact: nothing was tried yet
    double m_bestNanoseconds = 0;
    bool m_isLost = false; // the process that ran kernels ended, and the buffers with it
};

} // namespace sw
