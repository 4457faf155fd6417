#pragma once
// The engine as the window uses it: every backend but the interpreter runs in a process of its own.

#include "engine/api/compare/comparer.h"
#include "engine/api/explorer.h"
#include "engine/api/instruments.h"
#include "engine/api/resources.h"
#include "engine/backend/host/hosted_backend.h"
#include "engine/execute/figures_store.h"
#include "ui/session/engine_service.h"

namespace stepwell {

class ExplorerService : public ui::EngineService {
public:
    // figuresFolder: the folder for measured device figures; if empty, nothing is measured. more: another backend; may be null.
    explicit ExplorerService(const std::filesystem::path &hostProgram, const std::filesystem::path &figuresFolder = {},
                             std::unique_ptr<sw::Backend> more = nullptr)
        : m_store(figuresFolder),
          m_explorer(m_registry, sw::findResourceFolder(), figuresFolder.empty() ? nullptr : &m_store),
          m_comparer(m_registry, sw::findResourceFolder(), figuresFolder.empty() ? nullptr : &m_store),
          m_instruments(m_registry, sw::findResourceFolder(), figuresFolder.empty() ? nullptr : &m_store)
    {
        sw::addHostedBackends(m_registry, hostProgram);
        if (more != nullptr)
            m_registry.add(std::move(more));
    }

    std::vector<sw::DeviceEntry> devices() override { return m_explorer.devices(); }
    std::vector<sw::ExampleEntry> examples() override { return m_explorer.examples(); }
    std::vector<sw::CatalogEntry> reference() override { return sw::catalog(); }
    sw::ReportPtr compile(const sw::ExploreRequest &request, const sw::ReportCallback &progress, std::stop_token stop) override
    {
        return m_explorer.compile(request, progress, std::move(stop));
    }
    const sw::WorkProgress *compileProgress() const override { return &m_explorer.compileProgress(); }
    sw::ReportPtr run(const sw::RunRequest &request, std::stop_token stop) override
    {
        return m_explorer.run(request, std::move(stop));
    }
    sw::Effect measureChange(const sw::ChangeRequest &request, std::stop_token stop) override
    {
        return m_explorer.measureChange(request, std::move(stop));
    }
    sw::RoofsAnswer roofs(sw::RoofsWanted wanted, std::stop_token stop) override
    {
        return m_explorer.roofs(wanted, std::move(stop));
    }
    sw::ReportPtr readMachineCode(const std::vector<std::uint32_t> &kernels, std::stop_token stop) override
    {
        return m_explorer.readMachineCode(kernels, std::move(stop));
    }
    sw::TargetCode targetCode(std::uint32_t kernel, const std::string &target) override
    {
        return m_explorer.targetCode(kernel, target);
    }
    sw::CompilerPassesPtr compilerPasses(std::uint32_t kernel) override { return m_explorer.compilerPasses(kernel); }
    sw::CyclesAnswer measuredCycles(const std::vector<std::uint32_t> &kernels, std::stop_token stop) override
    {
        return m_explorer.measuredCycles(kernels, stop);
    }
    sw::ReportPtr compileBaseline(const sw::ExploreRequest &request, std::stop_token stop) override
    {
        return m_explorer.compileBaseline(request, stop);
    }
    sw::ReportPtr baselineCode(const sw::ExploreRequest &request, std::stop_token stop) override
    {
        return m_explorer.baselineCode(request, stop);
    }
    sw::PartingAnswer partingPoint(const sw::ExploreRequest &baseline, std::stop_token stop) override
    {
        return m_explorer.partingPoint(baseline, stop);
    }
    sw::BothRuns runBoth(const sw::ExploreRequest &baseline, const sw::RunRequest &request, std::stop_token stop) override
    {
        return m_explorer.runBoth(baseline, request, std::move(stop));
    }
    sw::ValueOpening baselineValue(const sw::ExploreRequest &baseline, std::uint32_t node, sw::ValueSource source,
                                   std::stop_token stop) override
    {
        return m_explorer.baselineValue(baseline, node, source, std::move(stop));
    }
    sw::PassDocuments passDocuments(std::uint32_t index, std::uint32_t afterRewrites) override
    {
        return m_explorer.passDocuments(index, afterRewrites);
    }
    sw::MomentDocuments documentsAt(sw::MomentPlace place, std::stop_token stop) override
    {
        return m_explorer.documentsAt(place, std::move(stop));
    }
    void keepMoments(std::size_t mostBytes) override { m_explorer.keepMoments(mostBytes); }
    std::vector<sw::PassMatches> matchingRewrites(const sw::RewriteFilter &filter, std::stop_token stop) override
    {
        return m_explorer.matchingRewrites(filter, std::move(stop));
    }
    std::vector<sw::RewriteEntry> rewrites(std::uint32_t pass, std::uint32_t first, std::uint32_t count,
                                           std::stop_token stop) override
    {
        return m_explorer.rewrites(pass, first, count, std::move(stop));
    }
    sw::ItemLife lifeOf(const sw::MomentItem &item, std::stop_token stop) override
    {
        return m_explorer.lifeOf(item, std::move(stop));
    }
    std::optional<sw::WhyCard> why(sw::StageKind stage, sw::ItemIndex item, std::stop_token stop) override
    {
        return m_explorer.why(stage, item, std::move(stop));
    }
    sw::LoopCheck checkLoops(const std::string &value, const std::vector<std::string> &transforms) override
    {
        return m_explorer.checkLoops(value, transforms);
    }
    sw::KernelTuned tunedOf(std::uint32_t kernel) const override { return m_explorer.tunedOf(kernel); }
    void chooseInputs(sw::RunInputs inputs) override { m_explorer.chooseInputs(std::move(inputs)); }
    std::vector<sw::InputFacts> inputFacts(std::stop_token stop) override { return m_explorer.inputFacts(std::move(stop)); }
    sw::ValueOpening inputValue(const std::string &name, std::stop_token stop) override
    {
        return m_explorer.inputValue(name, std::move(stop));
    }
    std::vector<sw::ValueOpening> nodeValues(const std::vector<std::uint32_t> &nodes, sw::ValueSource source,
                                             std::stop_token stop) override
    {
        return m_explorer.nodeValues(nodes, source, std::move(stop));
    }
    sw::ValueOpening valueAt(const sw::MomentItem &item, sw::ValueSource source, std::stop_token stop) override
    {
        return m_explorer.valueAt(item, source, std::move(stop));
    }
    std::string valuePath(std::uint32_t node) const override { return m_explorer.valuePath(node); }
    std::vector<sw::ValueOpening> valuesNamed(const std::vector<std::string> &paths, sw::ValueSource source,
                                              std::stop_token stop) override
    {
        return m_explorer.valuesNamed(paths, source, std::move(stop));
    }
    sw::HealthReport health(const sw::ProgressCallback &onProgress, std::stop_token stop) override
    {
        return m_explorer.health(onProgress, std::move(stop));
    }
    sw::TraceOpening openKernel(std::uint32_t kernel, std::stop_token stop) override
    {
        return m_explorer.openKernel(kernel, std::move(stop));
    }
    sw::KernelCode kernelCode(std::uint32_t kernel, sw::StageKind stage) override { return m_explorer.kernelCode(kernel, stage); }
    sw::ChosenTransforms chosenTransforms(std::uint32_t kernel) const override { return m_explorer.chosenTransforms(kernel); }
    sw::TraceOpening openKernelWith(std::uint32_t kernel, std::size_t transforms, std::stop_token stop) override
    {
        return m_explorer.openKernelWith(kernel, transforms, std::move(stop));
    }
    sw::Comparer *comparer() override { return &m_comparer; }
    sw::Instruments *instruments() override { return &m_instruments; }
    std::string libraryText(const std::string &file) const override { return m_explorer.libraryText(file); }

private:
    sw::BackendRegistry m_registry;
    sw::FiguresStore m_store;
    sw::Explorer m_explorer;
    sw::Comparer m_comparer;
    sw::Instruments m_instruments;
};

} // namespace stepwell
