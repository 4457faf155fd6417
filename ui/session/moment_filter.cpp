#include "ui/session/moment_filter.h"

#include <algorithm>
#include <utility>

namespace stepwell::ui {

MomentFilter::MomentFilter(Session &session, const Selection &selection, QObject *parent)
    : QObject(parent), m_session(session), m_selection(selection)
{
    connect(&session, &Session::snapshotChanged, this, &MomentFilter::onSnapshot);
    connect(&session, &Session::compileFinished, this, [this] {
        if (m_session.isDropped(RequestTag::Filter))
            apply();
    });
    connect(&selection, &Selection::selectionChanged, this, &MomentFilter::onSelection);
}

void MomentFilter::setRule(const std::string &rule)
{
    m_wanted.rule = rule;
    apply();
}

void MomentFilter::setKernel(std::uint32_t kernel)
{
    const SnapshotPtr &snapshot = m_session.snapshot();
    const bool isKnown = snapshot && snapshot->good && kernel < snapshot->good->kernels.size();
    m_wanted.kernel = isKnown ? kernel : sw::kNoIndex;
    m_kernelName = isKnown ? snapshot->good->kernels[kernel].name : std::string();
    apply();
}

void MomentFilter::setTouchesSelection(bool touchesSelection)
{
    m_wanted.sources = touchesSelection ? m_selection.selectedSources() : std::vector<std::uint32_t>();
    m_touchesSelection = !m_wanted.sources.empty();
    m_selectionNumber = m_selection.number();
    apply();
}

void MomentFilter::setHidesUnchanged(bool hidesUnchanged)
{
    m_hidesUnchanged = hidesUnchanged;
    emit changed();
}

void MomentFilter::clear()
{
    m_wanted = {};
    m_touchesSelection = false;
    m_hidesUnchanged = false;
    apply();
}

// Moving the window to another moment finds the selection again in other stages; only a selection that the user makes counts.
void MomentFilter::onSelection()
{
    if (m_touchesSelection && m_selection.number() != m_selectionNumber)
        setTouchesSelection(true);
}

// Sources and kernels are numbered anew by each compilation.
void MomentFilter::onSnapshot(const SnapshotPtr &snapshot)
{
    if (!snapshot) {
        const bool hidesUnchanged = m_hidesUnchanged;
        clear();
        setHidesUnchanged(hidesUnchanged);
        return;
    }
    if (!snapshot->isFinal || snapshot->compilation == m_compilation)
        return;
    m_compilation = snapshot->compilation;
    if (!isActive() || !snapshot->good || snapshot->goodCompilation != snapshot->compilation)
        return;
    findKernelAgain(*snapshot->good);
    if (m_touchesSelection)
        setTouchesSelection(true);
    else
        apply();
}

void MomentFilter::findKernelAgain(const sw::Report &report)
{
    if (m_wanted.kernel == sw::kNoIndex)
        return;
    const auto same = std::ranges::find_if(report.kernels, [this](const sw::KernelEntry &kernel) {
        return withoutKernelNumber(kernel.name) == withoutKernelNumber(m_kernelName);
    });
    m_wanted.kernel = same == report.kernels.end() ? sw::kNoIndex : static_cast<std::uint32_t>(same - report.kernels.begin());
}

void MomentFilter::apply()
{
    m_matches.clear();
    if (!isActive()) {
        m_session.cancel(RequestTag::Filter);
        emit changed();
        return;
    }
    m_session.ask(
        RequestTag::Filter, this,
        [wanted = m_wanted](EngineService &service, const std::stop_token &stop) {
            return service.matchingRewrites(wanted, stop);
        },
        [this](std::vector<sw::PassMatches> matches) {
            m_matches = std::move(matches);
            emit changed();
        });
    emit changed();
}

std::uint32_t MomentFilter::matchesIn(std::size_t pass) const
{
    return pass < m_matches.size() ? static_cast<std::uint32_t>(m_matches[pass].size()) : 0;
}

std::uint32_t MomentFilter::matches() const
{
    std::uint32_t sum = 0;
    for (std::size_t pass = 0; pass < m_matches.size(); ++pass)
        sum += matchesIn(pass);
    return sum;
}

std::uint32_t MomentFilter::matchingPasses() const
{
    return static_cast<std::uint32_t>(
        std::ranges::count_if(m_matches, [](const sw::PassMatches &matches) { return !matches.empty(); }));
}

std::optional<sw::MomentPlace> MomentFilter::nextMatch(std::size_t pass, std::uint32_t done, int direction) const
{
    const auto placeOf = [](std::size_t at, std::uint32_t rewrites) {
        return sw::MomentPlace{static_cast<std::uint32_t>(at), rewrites};
    };
    const auto count = m_matches.size();
    if (pass < count) {
        const sw::PassMatches &here = m_matches[pass];
        if (direction > 0) {
            if (const auto next = std::ranges::upper_bound(here, done); next != here.end())
                return placeOf(pass, *next);
        } else if (const auto next = std::ranges::lower_bound(here, done); next != here.begin()) {
            return placeOf(pass, *std::prev(next));
        }
    }
    if (direction > 0) {
        for (std::size_t at = pass + 1; at < count; ++at)
            if (!m_matches[at].empty())
                return placeOf(at, m_matches[at].front());
        return std::nullopt;
    }
    for (std::size_t at = std::min(pass, count); at-- > 0;)
        if (!m_matches[at].empty())
            return placeOf(at, m_matches[at].back());
    return std::nullopt;
}

} // namespace stepwell::ui
