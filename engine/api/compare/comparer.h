#pragma once
// Compares what devices and options make of one program, for the window. It compiles for itself and keeps its devices open, so
// the compilation that the window shows stays as it is. Synchronous; serves one thread at a time.

#include "engine/api/compare/first_divergence.h"
#include "engine/api/compare/matrix.h"
#include "engine/api/compare/tensor_difference.h"
#include "engine/api/explorer.h"

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace sw {

// What to compare: a program, as it is compiled, and what it runs on.
struct ComparedProgram {
    ExploreRequest program; // its device and options are those of the columns instead
    RunInputs inputs;
};

// What one column makes of a kernel, without items. Null documents: the error says why.
struct KernelTexts {
    StageDocumentPtr code;
    StageDocumentPtr machine;
    std::string error;
};

struct DivergenceAnswer {
    FirstDivergence found;
    std::string error; // why it is not known; empty: it is
};

// A small program that shows the same, written to a file.
struct MinimalProgram {
    std::string file;    // its name ends as its text asks for
    std::string summary; // what it shows, and how small it became
    std::string error;   // why there is none; empty: there is
};

struct DifferenceAnswer {
    std::shared_ptr<const TensorDifference> difference;
    std::string error; // why there is none
};

class Comparer {
public:
    // figures: the store of what was measured on this machine, which tunings stand beside; null: there are none.
    explicit Comparer(const BackendRegistry &registry, std::string resourceFolder, const FiguresStore *figures = nullptr);
    ~Comparer();
    Comparer(const Comparer &) = delete;
    Comparer &operator=(const Comparer &) = delete;

    [[nodiscard]] Matrix matrix(const ComparedProgram &compared, std::vector<MatrixColumn> columns, const MatrixOptions &options);
    // Of the kernel with this number in the column's compilation.
    [[nodiscard]] KernelTexts kernelTexts(const ComparedProgram &compared, const MatrixColumn &column, std::uint32_t kernel,
                                          const std::stop_token &stop);
    [[nodiscard]] DivergenceAnswer divergence(const ComparedProgram &compared, const MatrixColumn &column,
                                              const DivergenceOptions &options);
    // Of what makes the column differ from the reference, or fail. What the program loads is written beside it.
    [[nodiscard]] MinimalProgram minimalProgram(const ComparedProgram &compared, const MatrixColumn &column,
                                                const std::string &file, const std::stop_token &stop,
                                                const ProgressCallback &onProgress = {});
    // Like differenceOf, with the error in words.
    [[nodiscard]] static DifferenceAnswer difference(const ValueOpening &before, const ValueOpening &after,
                                                     const TensorDifferenceOptions &options, const std::stop_token &stop);

private:
    struct Implementation;
    std::unique_ptr<Implementation> m_implementation;
};

} // namespace sw
