#include "engine/api/tune/use_tunings.h"

#include "engine/base/today.h"
#include "engine/execute/figures_store.h"

#include <chrono>

namespace sw {

TuningStore tuningsBeside(const FiguresStore &figures)
{
    return TuningStore(figures.roofsFileOf({}, 1).parent_path() / "tunings");
}

KeptTunings::KeptTunings(const FiguresStore *figures)
{
    if (figures != nullptr)
        m_store.emplace(tuningsBeside(*figures));
}

// Other processes add and remove tunings, too.
std::shared_ptr<const Tunings> KeptTunings::current()
{
    const auto changed = m_store ? m_store->changed() : std::nullopt;
    if (changed && changed == m_readAt)
        return m_tunings;
    const auto read = changed ? m_store->read() : nullptr;
    // Who compares what was compiled with what is kept compares pointers.
    if (const Tunings now = read ? *read : Tunings(); now != *m_tunings)
        m_tunings = std::make_shared<const Tunings>(now);
    // A change soon after this one may carry the same time.
    constexpr std::chrono::milliseconds kClockStep{100};
    m_readAt = changed && std::filesystem::file_time_type::clock::now() - *changed > kClockStep ? changed : std::nullopt;
    return m_tunings;
}

Result<Done> keepCandidate(const TuningStore &store, const KernelTuning &tuning, std::size_t candidate, std::uint64_t seed)
{
    const Candidate &found = tuning.search.candidates.at(candidate);
    if (found.time <= 0)
        return Diagnostic::error(Code::Argument, {}, "candidate {} of {} has no time: {}", found.number, tuning.kernel,
                                 verdictOf(tuning.search, candidate));
    const Tuning kept{.transforms = found.transforms, .gain = 1 / found.time, .measuredOn = today(), .seed = seed};
    return store.keep(tuning.key, kept, format("{} on {}", tuning.kernel, tuning.device));
}

Result<Done> keepTuning(const TuningStore &store, const KernelTuning &tuning, std::uint64_t seed)
{
    if (tuning.search.best != 0)
        return keepCandidate(store, tuning, tuning.search.best, seed);
    SW_CHECK(store.remove(tuning.key));
    return Done{};
}

} // namespace sw
