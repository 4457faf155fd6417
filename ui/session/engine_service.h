#pragma once
// What the window needs from the engine. The application implements it with sw::Explorer, tests with handwritten documents. All
// calls come from the session's worker thread, one at a time.

#include "engine/api/catalog.h"
#include "engine/api/explorer.h"

namespace sw {
class Comparer;
class Instruments;
} // namespace sw

namespace stepwell::ui {

class EngineService {
public:
    virtual ~EngineService() = default;

    [[nodiscard]] virtual std::vector<sw::DeviceEntry> devices() = 0;
    [[nodiscard]] virtual std::vector<sw::ExampleEntry> examples() = 0;
    [[nodiscard]] virtual std::vector<sw::CatalogEntry> reference() = 0;
    // Null when cancelled.
    [[nodiscard]] virtual sw::ReportPtr compile(const sw::ExploreRequest &request, const sw::ReportCallback &progress,
                                                std::stop_token stop) = 0;
    // How far it is; any thread may ask. Null: the service cannot tell.
    [[nodiscard]] virtual const sw::WorkProgress *compileProgress() const { return nullptr; }
    [[nodiscard]] virtual sw::ReportPtr run(const sw::RunRequest &request, std::stop_token stop) = 0;
    [[nodiscard]] virtual sw::Effect measureChange(const sw::ChangeRequest &request, std::stop_token stop) = 0;
    [[nodiscard]] virtual sw::RoofsAnswer roofs(sw::RoofsWanted wanted, std::stop_token stop) = 0;
    [[nodiscard]] virtual sw::ReportPtr readMachineCode(const std::vector<std::uint32_t> &kernels, std::stop_token stop) = 0;
    // Of a kernel of the last compilation.
    [[nodiscard]] virtual sw::TargetCode targetCode(std::uint32_t kernel, const std::string &target) = 0;
    [[nodiscard]] virtual sw::CompilerPassesPtr compilerPasses(std::uint32_t kernel) = 0;
    [[nodiscard]] virtual sw::CyclesAnswer measuredCycles(const std::vector<std::uint32_t> &kernels, std::stop_token stop) = 0;
    // A second compilation, beside the last one.
    [[nodiscard]] virtual sw::ReportPtr compileBaseline(const sw::ExploreRequest &request, std::stop_token stop) = 0;
    [[nodiscard]] virtual sw::ReportPtr baselineCode(const sw::ExploreRequest &request, std::stop_token stop) = 0;
    [[nodiscard]] virtual sw::PartingAnswer partingPoint(const sw::ExploreRequest &baseline, std::stop_token stop) = 0;
    [[nodiscard]] virtual sw::BothRuns runBoth(const sw::ExploreRequest &baseline, const sw::RunRequest &request,
                                               std::stop_token stop) = 0;
    [[nodiscard]] virtual sw::ValueOpening baselineValue(const sw::ExploreRequest &baseline, std::uint32_t node,
                                                         sw::ValueSource source, std::stop_token stop) = 0;
    [[nodiscard]] virtual sw::PassDocuments passDocuments(std::uint32_t index, std::uint32_t afterRewrites) = 0;
    [[nodiscard]] virtual sw::MomentDocuments documentsAt(sw::MomentPlace place, std::stop_token stop) = 0;
    virtual void keepMoments(std::size_t mostBytes) = 0;
    [[nodiscard]] virtual std::vector<sw::PassMatches> matchingRewrites(const sw::RewriteFilter &filter,
                                                                        std::stop_token stop) = 0;
    // `count` rewrites of a pass of the last compilation, from `first` on.
    [[nodiscard]] virtual std::vector<sw::RewriteEntry> rewrites(std::uint32_t pass, std::uint32_t first, std::uint32_t count,
                                                                 std::stop_token stop) = 0;
    [[nodiscard]] virtual sw::ItemLife lifeOf(const sw::MomentItem &item, std::stop_token stop) = 0;
    [[nodiscard]] virtual std::optional<sw::WhyCard> why(sw::StageKind stage, sw::ItemIndex item, std::stop_token stop) = 0;
    [[nodiscard]] virtual sw::LoopCheck checkLoops(const std::string &value, const std::vector<std::string> &transforms) = 0;
    [[nodiscard]] virtual sw::KernelTuned tunedOf(std::uint32_t) const { return {}; }
    [[nodiscard]] virtual sw::KernelCode kernelCode(std::uint32_t kernel, sw::StageKind stage) = 0;
    virtual void chooseInputs(sw::RunInputs inputs) = 0;
    [[nodiscard]] virtual std::vector<sw::InputFacts> inputFacts(std::stop_token stop) = 0;
    [[nodiscard]] virtual sw::ValueOpening inputValue(const std::string &name, std::stop_token stop) = 0;
    [[nodiscard]] virtual std::vector<sw::ValueOpening> nodeValues(const std::vector<std::uint32_t> &nodes,
                                                                   sw::ValueSource source, std::stop_token stop) = 0;
    [[nodiscard]] virtual sw::ValueOpening valueAt(const sw::MomentItem &item, sw::ValueSource source, std::stop_token stop) = 0;
    [[nodiscard]] virtual std::string valuePath(std::uint32_t node) const = 0;
    [[nodiscard]] virtual std::vector<sw::ValueOpening> valuesNamed(const std::vector<std::string> &paths, sw::ValueSource source,
                                                                    std::stop_token stop) = 0;
    [[nodiscard]] virtual sw::HealthReport health(const sw::ProgressCallback &onProgress, std::stop_token stop) = 0;
    [[nodiscard]] virtual sw::TraceOpening openKernel(std::uint32_t kernel, std::stop_token stop) = 0;
    [[nodiscard]] virtual sw::ChosenTransforms chosenTransforms(std::uint32_t kernel) const = 0;
    [[nodiscard]] virtual sw::TraceOpening openKernelWith(std::uint32_t kernel, std::size_t transforms, std::stop_token stop) = 0;
    // Compares devices and options. Null: this engine has none to compare.
    [[nodiscard]] virtual sw::Comparer *comparer() { return nullptr; }
    // Records and sweeps. Null: this engine cannot.
    [[nodiscard]] virtual sw::Instruments *instruments() { return nullptr; }
    // The text of a library file, by its name in messages: "library/softmax.sw"; empty: no such file. Callable from any thread.
    [[nodiscard]] virtual std::string libraryText(const std::string &file) const = 0;
};

} // namespace stepwell::ui
