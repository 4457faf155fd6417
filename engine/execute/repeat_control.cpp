#include "engine/execute/repeat_control.h"

#include "engine/base/assert.h"

#include <algorithm>

namespace sw {

namespace {

using Nanoseconds = std::chrono::nanoseconds;

constexpr std::size_t kWindow = 3;    // runs whose median is compared with that of as many before them
constexpr double kSettled = 0.98;     // times that fall by less than 2 % have settled
constexpr std::size_t kMostLooks = 8; // looks at the bands while the number of rounds doubles, to spare time between rounds

double medianOf(std::span<const Nanoseconds> times)
{
    std::vector<Nanoseconds> sorted(times.begin(), times.end());
    std::ranges::sort(sorted);
    return static_cast<double>(sorted[(sorted.size() - 1) / 2].count());
}

} // namespace

void WarmUp::add(Nanoseconds time)
{
    m_spent += time;
    m_times.push_back(time);
}

bool WarmUp::isSettled() const
{
    if (m_times.empty())
        return false;
    if (m_spent >= m_most)
        return true;
    if (m_times.size() < 2 * kWindow)
        return false;
    const std::span<const Nanoseconds> newest = std::span(m_times).last(2 * kWindow);
    return medianOf(newest.last(kWindow)) >= kSettled * medianOf(newest.first(kWindow));
}

void RepeatControl::addRound(std::span<const Nanoseconds> times)
{
    SW_ASSERT(times.size() == m_times.size(), "a time of each program");
    for (std::size_t program = 0; program < times.size(); ++program)
        m_times[program].push_back(static_cast<double>(std::max(times[program], Nanoseconds(1)).count()));
}

MedianBand RepeatControl::ratioOf(std::size_t program) const
{
    return ratioBand({.before = m_times.front(), .after = m_times[program]});
}

bool RepeatControl::isPrecise() const
{
    const auto isNarrow = [&](const MedianBand &band, double confidence) {
        return band.confidence >= confidence && band.precision() <= m_plan.precision;
    };
    if (rounds() == 0)
        return false;
    if (m_times.size() == 1)
        return isNarrow(medianBand(m_times.front(), kTimeConfidence), kTimeConfidence);
    for (std::size_t program = 1; program < m_times.size(); ++program)
        if (!isNarrow(ratioOf(program), kDifferenceConfidence))
            return false;
    return true;
}

bool RepeatControl::isEnough(Nanoseconds spent)
{
    const std::size_t done = rounds();
    if (m_plan.repeats)
        return done >= *m_plan.repeats;
    if (done == 0)
        return false;
    const bool isPair = m_times.size() == 1 || done % 2 == 0;
    if (spent >= m_plan.budget)
        return isPair || done == 1;
    if (!isPair || done < m_nextLook)
        return false;
    m_nextLook = done + std::max<std::size_t>(1, done / kMostLooks);
    return isPrecise();
}

std::size_t programInTurn(std::size_t round, std::size_t place, std::size_t programs)
{
    return round % 2 == 0 ? place : programs - 1 - place;
}

} // namespace sw
