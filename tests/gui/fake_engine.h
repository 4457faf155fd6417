#pragma once
// An engine for tests of the window: makes documents of every stage out of a program of lines "name = operation(operand, ...)",
// without compiling anything. An operation named "sum" or "matmul" begins a kernel; "scope/name" stands in a scope; "?" is an
// error.

#include "ui/session/engine_service.h"

#include <atomic>

namespace stepwell::ui {

class FakeEngine : public EngineService {
public:
    [[nodiscard]] std::vector<sw::DeviceEntry> devices() override;
    [[nodiscard]] std::vector<sw::ExampleEntry> examples() override;
    [[nodiscard]] std::vector<sw::CatalogEntry> reference() override;
    [[nodiscard]] sw::ReportPtr compile(const sw::ExploreRequest &request, const sw::ReportCallback &progress,
                                        std::stop_token stop) override;
    [[nodiscard]] sw::ReportPtr run(const sw::RunRequest &request, std::stop_token stop) override;
    [[nodiscard]] sw::Effect measureChange(const sw::ChangeRequest &, std::stop_token) override { return {}; }
    [[nodiscard]] sw::RoofsAnswer roofs(sw::RoofsWanted, std::stop_token) override { return {}; }
    [[nodiscard]] sw::ReportPtr readMachineCode(const std::vector<std::uint32_t> &kernels, std::stop_token stop) override;
    [[nodiscard]] sw::TargetCode targetCode(std::uint32_t, const std::string &) override { return {}; }
    [[nodiscard]] sw::CompilerPassesPtr compilerPasses(std::uint32_t) override
    {
        return std::make_shared<const sw::CompilerPasses>();
    }
    [[nodiscard]] sw::CyclesAnswer measuredCycles(const std::vector<std::uint32_t> &, std::stop_token) override { return {}; }
    [[nodiscard]] sw::ReportPtr compileBaseline(const sw::ExploreRequest &request, std::stop_token stop) override;
    [[nodiscard]] sw::ReportPtr baselineCode(const sw::ExploreRequest &request, std::stop_token stop) override;
    [[nodiscard]] sw::PartingAnswer partingPoint(const sw::ExploreRequest &baseline, std::stop_token stop) override;
    [[nodiscard]] sw::BothRuns runBoth(const sw::ExploreRequest &baseline, const sw::RunRequest &request,
                                       std::stop_token stop) override;
    [[nodiscard]] sw::ValueOpening baselineValue(const sw::ExploreRequest &baseline, std::uint32_t node, sw::ValueSource source,
                                                 std::stop_token stop) override;
    [[nodiscard]] sw::PassDocuments passDocuments(std::uint32_t index, std::uint32_t afterRewrites) override;
    [[nodiscard]] sw::MomentDocuments documentsAt(sw::MomentPlace place, std::stop_token stop) override;
    void keepMoments(std::size_t mostBytes) override { keptMoments = mostBytes; }
    [[nodiscard]] std::vector<sw::PassMatches> matchingRewrites(const sw::RewriteFilter &filter, std::stop_token stop) override;
    [[nodiscard]] std::vector<sw::RewriteEntry> rewrites(std::uint32_t, std::uint32_t, std::uint32_t, std::stop_token) override
    {
        return {};
    }
    [[nodiscard]] sw::ItemLife lifeOf(const sw::MomentItem &item, std::stop_token stop) override;
    [[nodiscard]] std::optional<sw::WhyCard> why(sw::StageKind stage, sw::ItemIndex item, std::stop_token stop) override;
    [[nodiscard]] sw::LoopCheck checkLoops(const std::string &value, const std::vector<std::string> &transforms) override;
    void chooseInputs(sw::RunInputs inputs) override;
    [[nodiscard]] std::vector<sw::InputFacts> inputFacts(std::stop_token stop) override;
    [[nodiscard]] sw::ValueOpening inputValue(const std::string &name, std::stop_token stop) override;
    [[nodiscard]] std::vector<sw::ValueOpening> nodeValues(const std::vector<std::uint32_t> &nodes, sw::ValueSource source,
                                                           std::stop_token stop) override;
    [[nodiscard]] sw::ValueOpening valueAt(const sw::MomentItem &item, sw::ValueSource source, std::stop_token stop) override;
    [[nodiscard]] std::string valuePath(std::uint32_t node) const override;
    [[nodiscard]] std::vector<sw::ValueOpening> valuesNamed(const std::vector<std::string> &paths, sw::ValueSource source,
                                                            std::stop_token stop) override;
    [[nodiscard]] sw::HealthReport health(const sw::ProgressCallback &onProgress, std::stop_token stop) override;
    // The value of every node and output: f32[16, 8], 0.25 more from element to element, element 9 NaN.
    [[nodiscard]] static sw::TensorViewPtr value(const std::string &name);
    [[nodiscard]] sw::TraceOpening openKernel(std::uint32_t kernel, std::stop_token stop) override;
    [[nodiscard]] sw::KernelCode kernelCode(std::uint32_t kernel, sw::StageKind stage) override;
    [[nodiscard]] sw::ChosenTransforms chosenTransforms(std::uint32_t kernel) const override;
    [[nodiscard]] sw::TraceOpening openKernelWith(std::uint32_t kernel, std::size_t transforms, std::stop_token stop) override;
    [[nodiscard]] std::string libraryText(const std::string &file) const override;

    std::atomic<int> compilations = 0;
    std::atomic<std::size_t> keptMoments = 0; // bytes, as the last request said
    std::string exampleFolder;                // where examples() says they are

private:
    sw::ReportPtr m_last;
};

// A program with `layers` layers in scopes, for screenshots and measurements.
[[nodiscard]] std::string fakeProgram(int layers);

} // namespace stepwell::ui
