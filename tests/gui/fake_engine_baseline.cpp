#include "tests/gui/fake_engine.h"

#include <string>
#include <utility>

namespace stepwell::ui {

sw::ReportPtr FakeEngine::compileBaseline(const sw::ExploreRequest &request, std::stop_token stop)
{
    const sw::ReportPtr last = m_last;
    const int count = compilations;
    const sw::ReportPtr made = compile(request, [](const sw::ReportPtr &) {}, std::move(stop));
    m_last = last;
    compilations = count;
    return made;
}

sw::ReportPtr FakeEngine::baselineCode(const sw::ExploreRequest &request, std::stop_token stop)
{
    return compileBaseline(request, std::move(stop));
}

// The baseline is compiled, and only the program has times.
sw::BothRuns FakeEngine::runBoth(const sw::ExploreRequest &baseline, const sw::RunRequest &request, std::stop_token stop)
{
    sw::BothRuns runs;
    runs.baseline = compileBaseline(baseline, stop);
    runs.now = run(request, std::move(stop));
    return runs;
}

sw::ValueOpening FakeEngine::baselineValue(const sw::ExploreRequest &, std::uint32_t node, sw::ValueSource, std::stop_token)
{
    return {value("%" + std::to_string(node)), {}};
}

sw::PartingAnswer FakeEngine::partingPoint(const sw::ExploreRequest &, std::stop_token)
{
    return {};
}

} // namespace stepwell::ui
