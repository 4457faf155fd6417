#include "ui/session/moment.h"

#include <algorithm>
#include <utility>

namespace stepwell::ui {

Moment::Moment(Session &session, const Selection &selection, QObject *parent) : QObject(parent), m_session(session)
{
    connect(&session, &Session::snapshotChanged, this, &Moment::onSnapshot);
    // It hears of a snapshot after this object: by then the selection was found again in it.
    m_filter = new MomentFilter(session, selection, this);
    connect(&session, &Session::momentReady, this, &Moment::onStages);
    connect(&session, &Session::compileFinished, this, [this] { // it was stopped, or is another one
        if (m_place && canMove() && m_session.isDropped(RequestTag::Moment))
            m_session.requestMoment(*m_place);
    });
}

const std::vector<sw::PassEntry> &Moment::passes() const
{
    static const std::vector<sw::PassEntry> kNone;
    return m_end && m_end->good ? m_end->good->passes : kNone;
}

const std::vector<sw::KernelEntry> &Moment::kernels() const
{
    static const std::vector<sw::KernelEntry> kNone;
    return m_end && m_end->good ? m_end->good->kernels : kNone;
}

const sw::PassEntry *Moment::pass() const
{
    return m_place && m_place->pass < passes().size() ? &passes()[m_place->pass] : nullptr;
}

std::uint32_t Moment::done() const
{
    const sw::PassEntry *current = pass();
    return current ? std::min(m_place->rewrites, current->rewrites) : 0;
}

const sw::RewriteEntry *Moment::rewrite() const
{
    return m_place && m_stages && m_stages->place == *m_place && m_stages->rewrite ? &*m_stages->rewrite : nullptr;
}

bool Moment::canMove() const
{
    return m_end && m_end->isFinal && m_end->good && m_end->goodCompilation == m_end->compilation;
}

void Moment::onSnapshot(const SnapshotPtr &end)
{
    const sw::ReportPtr passesBefore = m_end ? m_end->good : nullptr;
    m_end = end;
    if (!end) {
        m_place.reset();
        m_stages.reset();
        m_session.cancel(RequestTag::Moment);
    }
    if (passesBefore != (end ? end->good : nullptr) || !end)
        emit passesChanged();
    if (m_place && canMove() && m_placeOf != end->compilation)
        findAgain();
    show();
    if (!end)
        emit placeChanged();
}

// Finds the same pass in a newer compilation, at the same rewrite if it has that many.
void Moment::findAgain()
{
    const auto &all = passes();
    const auto same = std::ranges::find(all, m_passId, &sw::PassEntry::id);
    if (same == all.end()) {
        goToEnd();
        return;
    }
    const auto index = static_cast<std::uint32_t>(same - all.begin());
    moveTo(
        sw::MomentPlace{index, m_place->rewrites == sw::kNoIndex ? sw::kNoIndex : std::min(m_place->rewrites, same->rewrites)});
}

void Moment::moveTo(std::optional<sw::MomentPlace> place)
{
    m_place = place;
    if (place) {
        m_passId = passes()[place->pass].id;
        m_placeOf = m_end->compilation;
        m_session.requestMoment(*place);
    } else {
        m_session.cancel(RequestTag::Moment);
        m_stages.reset();
    }
    emit placeChanged();
}

void Moment::onStages(const MomentStagesPtr &stages)
{
    if (!m_place || stages->place != *m_place || !m_end || stages->compilation != m_end->compilation)
        return; // the answer to an earlier question
    if (stages->isEmpty) {
        goToEnd();
        return;
    }
    m_stages = stages;
    show();
    emit placeChanged();
    prepareNeighbours();
}

void Moment::show()
{
    m_shown = m_end && m_place && m_stages ? atMoment(m_end, m_stages) : m_end;
    emit snapshotChanged(m_shown);
}

void Moment::goTo(sw::MomentPlace place)
{
    if (!canMove() || place.pass >= passes().size())
        return;
    if (place.rewrites != sw::kNoIndex)
        place.rewrites = std::min(place.rewrites, passes()[place.pass].rewrites);
    if (m_place != place)
        moveTo(place);
}

QString Moment::goToNamed(const QString &words)
{
    const QString id = words.section(u':', 0, 0);
    const auto &all = passes();
    const auto pass = std::ranges::find(all, id.toStdString(), &sw::PassEntry::id);
    if (!canMove() || pass == all.end())
        return tr("no pass of the compilation is called %1").arg(id);
    std::uint32_t rewrites = sw::kNoIndex;
    if (words.contains(u':')) {
        bool isNumber = false;
        rewrites = words.section(u':', 1).toUInt(&isNumber);
        if (!isNumber || rewrites > pass->rewrites)
            return tr("%1 has %2 rewrites, not %3").arg(id).arg(pass->rewrites).arg(words.section(u':', 1));
    }
    goTo({static_cast<std::uint32_t>(pass - all.begin()), rewrites});
    return {};
}

void Moment::goToStart()
{
    goTo({0, 0});
}

void Moment::goToEnd()
{
    if (!m_place)
        return;
    moveTo(std::nullopt);
    show();
}

bool Moment::isWorthSeeing(std::size_t pass) const
{
    return m_filter->isActive() ? m_filter->matchesIn(pass) > 0 : passes()[pass].changed;
}

bool Moment::isShown(std::size_t pass) const
{
    return !m_filter->hidesUnchanged() || isWorthSeeing(pass) || passes()[pass].failed;
}

int Moment::nextChanged(int from, int direction) const
{
    const auto &all = passes();
    for (int next = from + direction; next >= 0 && next < static_cast<int>(all.size()); next += direction)
        if (isWorthSeeing(static_cast<std::size_t>(next)))
            return next;
    return -1;
}

void Moment::stepChanged(int direction)
{
    const int count = static_cast<int>(passes().size());
    const int from = m_place ? static_cast<int>(m_place->pass) : direction > 0 ? -1 : count;
    const int next = nextChanged(from, direction);
    if (next >= 0)
        goTo({static_cast<std::uint32_t>(next)});
    else if (direction > 0)
        goToEnd();
    else
        goToStart();
}

void Moment::stepPass(int direction)
{
    const int count = static_cast<int>(passes().size());
    int next = (m_place ? static_cast<int>(m_place->pass) : count) + direction;
    while (next >= 0 && next < count && !isShown(static_cast<std::size_t>(next)))
        next += direction;
    if (next >= count)
        goToEnd();
    else if (next < 0)
        goToStart();
    else
        goTo({static_cast<std::uint32_t>(next)});
}

void Moment::stepStage(int direction)
{
    const auto &all = passes();
    const int count = static_cast<int>(all.size());
    const auto endsStage = [&](int pass) {
        const auto at = static_cast<std::size_t>(pass);
        return pass + 1 == count || all[at].output != all[at + 1].output;
    };
    int next = m_place ? static_cast<int>(m_place->pass) : count;
    if (direction > 0 && m_place && endsStage(next) && m_place->rewrites != sw::kNoIndex) {
        goTo({m_place->pass}); // the stage that it stands in is not done yet
        return;
    }
    for (next += direction; next >= 0 && next < count && !endsStage(next);)
        next += direction;
    if (next >= count)
        goToEnd();
    else if (next < 0)
        goToStart();
    else
        goTo({static_cast<std::uint32_t>(next)});
}

std::optional<sw::MomentPlace> Moment::beside(int direction) const
{
    const std::optional<sw::MomentPlace> none = direction > 0 ? std::nullopt : std::optional(sw::MomentPlace{0, 0});
    const sw::PassEntry *current = pass();
    const int at = current ? static_cast<int>(m_place->pass) : static_cast<int>(passes().size());
    if (m_filter->isActive()) {
        const std::optional<sw::MomentPlace> match = m_filter->nextMatch(static_cast<std::size_t>(at), done(), direction);
        return match ? match : none;
    }
    if (current && direction > 0 && done() < current->rewrites)
        return sw::MomentPlace{m_place->pass, done() + 1};
    if (current && direction < 0 && done() > 0)
        return sw::MomentPlace{m_place->pass, done() - 1};
    const int next = nextChanged(at, direction);
    if (next < 0)
        return none;
    return sw::MomentPlace{static_cast<std::uint32_t>(next),
                           direction > 0 && passes()[static_cast<std::size_t>(next)].rewrites > 0 ? 1 : sw::kNoIndex};
}

void Moment::stepRewrite(int direction)
{
    if (!canMove() || (m_filter->isActive() && m_filter->isPending()))
        return;
    if (const std::optional<sw::MomentPlace> next = beside(direction))
        goTo(*next);
    else
        goToEnd();
}

// Whoever looks at a rewrite looks at the one beside it next.
void Moment::prepareNeighbours()
{
    if (!canMove() || (m_filter->isActive() && m_filter->isPending()))
        return;
    std::vector<sw::MomentPlace> places{*m_place};
    for (const int direction : {1, -1})
        if (const std::optional<sw::MomentPlace> next = beside(direction))
            places.push_back(*next);
    m_session.prepareMoments(std::move(places));
}

} // namespace stepwell::ui
