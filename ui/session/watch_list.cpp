#include "ui/session/watch_list.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace stepwell::ui {

namespace {

sw::ValueOpening outputOf(const sw::ReportPtr &measured, const std::string &name)
{
    if (!measured)
        return {nullptr, "not run yet"};
    const auto found = std::ranges::find(measured->outputs, name, [](const sw::TensorViewPtr &output) { return output->name(); });
    if (found == measured->outputs.end())
        return {nullptr, "the last run has no output of this name"};
    return {*found, {}};
}

// The values as they are now, and what changed since. The wanted ones are computed; of the others only outputs are taken anew.
std::vector<Watched> valuesNow(EngineService &service, std::vector<Watched> values, const sw::ReportPtr &measured,
                               const std::stop_token &stop, const std::function<bool(const Watched &)> &isWanted)
{
    std::vector<std::string> paths;
    for (const Watched &watched : values)
        if (watched.kind == WatchKind::Node && isWanted(watched))
            paths.push_back(watched.name);
    const std::vector<sw::ValueOpening> nodes =
        paths.empty() ? std::vector<sw::ValueOpening>() : service.valuesNamed(paths, sw::ValueSource::Reference, stop);
    std::size_t next = 0;
    for (Watched &watched : values) {
        if (watched.kind != WatchKind::Output && !isWanted(watched))
            continue;
        const sw::ValueOpening now = watched.kind == WatchKind::Node    ? nodes.at(next++)
                                     : watched.kind == WatchKind::Input ? service.inputValue(watched.name, stop)
                                                                        : outputOf(measured, watched.name);
        if (stop.stop_requested())
            break;
        if (now.value && watched.value != now.value)
            watched.change = watched.value ? sw::changeOf(*watched.value, *now.value, stop) : std::nullopt;
        watched.value = now.value;
        watched.error = now.error;
        if (watched.value)
            static_cast<void>(watched.value->statistics(stop));
    }
    return values;
}

} // namespace

WatchList::WatchList(Session &session, InputChoices &inputs, QObject *parent) : QObject(parent), m_session(session)
{
    connect(&session, &Session::snapshotChanged, this, [this](const SnapshotPtr &snapshot) {
        if (!snapshot) {
            m_values.clear();
            m_measured.reset();
            emit changed();
            return;
        }
        const bool isNew = snapshot->isFinal && std::exchange(m_compilation, snapshot->compilation) != snapshot->compilation;
        const bool hasRun = snapshot->measured != m_measured;
        m_measured = snapshot->measured;
        m_isStale = m_isStale || isNew;
        if (isNew || hasRun)
            refresh();
    });
    connect(&session, &Session::compileFinished, this, [this] {
        if (m_session.isDropped(RequestTag::Watch))
            refresh();
    });
    connect(&inputs, &InputChoices::taken, this, [this] {
        m_isStale = true;
        refresh();
    });
}

void WatchList::add(WatchKind kind, const std::string &name)
{
    const Watched added{kind, name};
    if (std::ranges::any_of(m_values, [&](const Watched &watched) { return watched.isSame(added); }))
        return;
    m_values.push_back(added);
    emit changed();
    refresh();
}

void WatchList::addNode(std::uint32_t node)
{
    // A newer question takes the place of one that has no answer yet, so it asks for those nodes as well.
    if (!m_session.isAsking(RequestTag::WatchName))
        m_unnamed.clear();
    m_unnamed.push_back(node);
    m_session.ask(
        RequestTag::WatchName, this,
        [nodes = m_unnamed](EngineService &service, const std::stop_token &) {
            std::vector<std::string> paths;
            for (const std::uint32_t each : nodes)
                paths.push_back(service.valuePath(each));
            return paths;
        },
        [this](const std::vector<std::string> &paths) {
            for (const std::string &path : paths)
                if (!path.empty())
                    add(WatchKind::Node, path);
        });
}

void WatchList::remove(std::size_t index)
{
    m_values.erase(m_values.begin() + static_cast<std::ptrdiff_t>(index));
    emit changed();
}

// A program that cannot be read keeps the values of the one before.
void WatchList::refresh()
{
    const SnapshotPtr &snapshot = m_session.snapshot();
    if (m_values.empty() || !snapshot || !snapshot->isFinal || snapshot->madeBy(sw::StageKind::Graph) != snapshot->compilation)
        return;
    m_session.ask(
        RequestTag::Watch, this,
        [values = m_values, measured = m_measured, isStale = m_isStale](EngineService &service, const std::stop_token &stop) {
            // A run with the same inputs changes nothing in the graph.
            const auto isWanted = [isStale](const Watched &watched) { return isStale || !watched.value; };
            return valuesNow(service, values, measured, stop, isWanted);
        },
        [this](const std::vector<Watched> &values) { take(values); });
}

// Those that were added or removed meanwhile stay as they are.
void WatchList::take(const std::vector<Watched> &values)
{
    m_isStale = false;
    for (Watched &watched : m_values)
        for (const Watched &now : values)
            if (watched.isSame(now))
                watched = now;
    emit changed();
}

} // namespace stepwell::ui
