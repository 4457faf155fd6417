#include "tests/gui/fake_engine.h"

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

sw::PartingAnswer FakeEngine::partingPoint(const sw::ExploreRequest &, std::stop_token)
{
    return {};
}

} // namespace stepwell::ui
