// What a session asks the engine about moments of compiling, and what it keeps of the answers.

#include "ui/session/session.h"

#include <algorithm>
#include <utility>

namespace stepwell::ui {

// After a compilation that was stopped, the engine has the one before.
std::uint64_t Session::knownCompilation() const
{
    return m_activity == Activity::Compiling || !m_snapshot ? m_compilation : m_snapshot->compilation;
}

MomentStagesPtr Session::preparedAt(sw::MomentPlace place) const
{
    const auto found = std::ranges::find_if(
        m_prepared, [&](const MomentStagesPtr &each) { return each->place == place && each->compilation == knownCompilation(); });
    return found == m_prepared.end() ? nullptr : *found;
}

void Session::requestMoment(sw::MomentPlace place)
{
    if (const MomentStagesPtr stages = preparedAt(place)) {
        m_queue.cancel(RequestTag::Moment);
        const auto answer = [this, stages, isWanted = expectAnswer(RequestTag::Moment, this)] {
            if (isWanted())
                emit momentReady(stages);
        };
        QMetaObject::invokeMethod(this, answer, Qt::QueuedConnection);
        return;
    }
    const std::uint64_t compilation = knownCompilation();
    ask(
        RequestTag::Moment, this,
        [place, compilation, end = m_snapshot, bytes = m_momentBytes](EngineService &service, const std::stop_token &stop) {
            service.keepMoments(bytes);
            const sw::MomentDocuments documents = service.documentsAt(place, stop);
            return stop.stop_requested() ? nullptr : makeMomentStages(*end, documents, place, compilation);
        },
        [this](const MomentStagesPtr &stages) {
            keepPrepared(stages);
            emit momentReady(stages);
        });
}

void Session::prepareMoments(std::vector<sw::MomentPlace> places)
{
    std::erase_if(m_prepared,
                  [&](const MomentStagesPtr &each) { return std::ranges::find(places, each->place) == places.end(); });
    std::erase_if(places, [this](sw::MomentPlace place) { return preparedAt(place) != nullptr; });
    if (places.empty() || !m_snapshot || m_activity == Activity::Compiling) {
        m_queue.cancel(RequestTag::Ahead);
        return;
    }
    // What is done when another request interrupts it is not done again.
    const auto left = std::make_shared<std::vector<sw::MomentPlace>>(std::move(places));
    m_queue.post(RequestTag::Ahead,
                 [this, left, end = m_snapshot, compilation = knownCompilation()](const std::stop_token &stop) {
                     while (!left->empty()) {
                         const sw::MomentDocuments documents = m_service.documentsAt(left->front(), stop);
                         if (stop.stop_requested())
                             return;
                         const MomentStagesPtr stages = makeMomentStages(*end, documents, left->front(), compilation);
                         left->erase(left->begin());
                         QMetaObject::invokeMethod(this, [this, stages] { keepPrepared(stages); });
                     }
                 });
}

void Session::keepPrepared(const MomentStagesPtr &stages)
{
    if (stages->compilation == knownCompilation() && !preparedAt(stages->place))
        m_prepared.push_back(stages);
}

} // namespace stepwell::ui
