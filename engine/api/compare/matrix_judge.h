#pragma once
// The conformance of a column of a matrix: of what each of its kernels stores, against the reference of its own graph; of the
// outputs, against the reference of the program and against the first column.

#include "engine/api/compare/kernel_results.h"
#include "engine/api/compare/matrix.h"
#include "engine/execute/executor.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace sw {

// What a kernel reads and stores, by paths of values. Kernels of which that is the same are comparable, whatever they do in
// between.
struct KernelMeaning {
    std::uint64_t identity = 0;
    std::string stores; // for people: "softmax/exp", the ends of the paths
};
[[nodiscard]] std::vector<KernelMeaning> meaningsOf(const Schedule &schedule); // by kernel

// bounds: f64, of the same shape; infinite: anything is right.
[[nodiscard]] MatrixVerdict verdictOf(const HostTensor &expected, const HostTensor &actual, const HostTensor &bounds);

class MatrixJudge {
public:
    MatrixJudge(ProgramCompiler &compiler, const MatrixOptions &options) : m_compiler(compiler), m_options(options) {}

    // Fills in the verdicts of `result`. An error: it was stopped, or the devices failed. What the reference refuses is Unknown.
    [[nodiscard]] Result<Done> judge(const Compilation &compilation, const RunInputs &inputs,
                                     const std::vector<NamedTensor> &outputs, MatrixColumnResult &result);

private:
    // The program's own outputs by the reference.
    struct ProgramReference {
        BoundedOutputs outputs;
        std::string missing; // why there are none
    };

    void judgeOutputs(const Compilation &compilation, const RunInputs &inputs, const std::vector<NamedTensor> &outputs,
                      MatrixColumnResult &result);
    [[nodiscard]] Result<BoundedOutputs> programReference(const Compilation &compilation, const RunInputs &inputs) const;
    [[nodiscard]] Result<Done> judgeKernels(const Compilation &compilation, const RunInputs &inputs, MatrixColumnResult &result);
    [[nodiscard]] Result<Done> judgePortion(const Compilation &compilation, const ResultInputs &inputs,
                                            std::span<const KernelResult> results, std::vector<MatrixVerdict> &verdicts);

    ProgramCompiler &m_compiler;
    const MatrixOptions &m_options;
    std::optional<ProgramReference> m_reference;    // of the first column that ran
    std::vector<NamedTensor> m_first;               // its outputs
    std::uint64_t m_graph = 0;                      // of the column that is judged: its text
    std::map<std::uint64_t, MatrixVerdict> m_known; // by graph, node, and bits of the value
};

} // namespace sw
