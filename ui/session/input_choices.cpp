#include "ui/session/input_choices.h"

#include <algorithm>
#include <utility>

namespace stepwell::ui {

InputChoices::InputChoices(Session &session, QObject *parent) : QObject(parent), m_session(session)
{
    connect(&session, &Session::snapshotChanged, this, &InputChoices::onSnapshot);
    connect(&session, &Session::compileFinished, this, [this] {
        if (m_session.isDropped(RequestTag::Inputs) || m_session.isDropped(RequestTag::InputFacts))
            tellEngine();
    });
}

const sw::InputEntry *InputChoices::entry(const std::string &name) const
{
    const auto found = std::ranges::find(m_entries, name, &sw::InputEntry::name);
    return found == m_entries.end() ? nullptr : &*found;
}

sw::InputChoice InputChoices::choice(const std::string &name) const
{
    const auto found = m_choices.find(name);
    if (found != m_choices.end())
        return found->second;
    sw::InputChoice usual;
    usual.name = name;
    return usual;
}

const sw::InputFacts *InputChoices::facts(const std::string &name) const
{
    const auto found = m_facts.find(name);
    return found == m_facts.end() ? nullptr : &found->second;
}

void InputChoices::onSnapshot(const SnapshotPtr &snapshot)
{
    if (!snapshot) { // another program
        m_entries.clear();
        m_choices.clear();
        m_facts.clear();
        m_notes.clear();
        m_session.setInputs({});
        emit changed();
        return;
    }
    // A program that cannot be read keeps the inputs of the one before.
    if (!snapshot->isFinal || !snapshot->report->graph || snapshot->compilation == m_entriesOf)
        return;
    m_entriesOf = snapshot->compilation;
    m_entries = snapshot->report->inputs;
    dropUnfit();
    tellEngine();
    emit changed();
}

void InputChoices::dropUnfit()
{
    for (const sw::InputEntry &entry : m_entries) {
        const auto found = m_choices.find(entry.name);
        if (found == m_choices.end())
            continue;
        const std::string reason = sw::whyUnfit(found->second, entry);
        if (reason.empty())
            continue;
        m_notes << tr("The choice for %1 (%2) was dropped: %3.")
                       .arg(QString::fromStdString(entry.name), QString::fromStdString(sw::describe(found->second)),
                            QString::fromStdString(reason));
        m_choices.erase(found);
    }
}

QString InputChoices::choose(const sw::InputChoice &choice)
{
    const sw::InputEntry *to = entry(choice.name);
    if (!to)
        return tr("The program has no input %1.").arg(QString::fromStdString(choice.name));
    if (const std::string reason = sw::whyUnfit(choice, *to); !reason.empty())
        return QStringLiteral("%1: %2").arg(QString::fromStdString(choice.name), QString::fromStdString(reason));
    sw::InputChoice usual;
    usual.name = choice.name;
    const bool isUsual = choice.fill == usual.fill && choice.changes.empty();
    if (isUsual)
        m_choices.erase(choice.name);
    else
        m_choices.insert_or_assign(choice.name, choice);
    m_notes.clear();
    onChange();
    return {};
}

QString InputChoices::changeCell(const std::string &name, const std::vector<std::int64_t> &coordinates, const std::string &value)
{
    sw::InputChoice changed = choice(name);
    std::erase_if(changed.changes, [&](const sw::CellChange &change) { return change.coordinates == coordinates; });
    changed.changes.push_back({coordinates, value});
    return choose(changed);
}

void InputChoices::restore(const std::vector<sw::InputChoice> &choices)
{
    for (const sw::InputChoice &choice : choices)
        m_choices.insert_or_assign(choice.name, choice);
}

void InputChoices::reset(const std::string &name)
{
    if (m_choices.erase(name) > 0)
        onChange();
}

void InputChoices::resetAll()
{
    if (m_choices.empty())
        return;
    m_choices.clear();
    m_notes.clear();
    onChange();
}

void InputChoices::setWatched(bool isWatched)
{
    if (std::exchange(m_isWatched, isWatched) != isWatched && isWatched && !m_entries.empty())
        askForFacts();
}

void InputChoices::onChange()
{
    m_isRunWanted = m_runsOnChange;
    tellEngine();
    emit changed();
}

// First the engine takes them, so that values can be asked for; then the program runs; then come the facts, which may take long.
void InputChoices::tellEngine()
{
    std::vector<sw::InputChoice> inputs;
    for (const auto &[name, choice] : m_choices)
        if (entry(name))
            inputs.push_back(choice);
    m_session.setInputs(std::move(inputs));
    const sw::RunInputs now = m_session.runInputs();
    if (m_told == now) { // values do not change
        goOn();
        return;
    }
    m_session.ask(
        RequestTag::Inputs, this,
        [now](EngineService &service, const std::stop_token &) {
            service.chooseInputs(now);
            return true;
        },
        [this, now](bool) {
            m_told = now;
            emit taken();
            goOn();
        });
}

void InputChoices::goOn()
{
    if (std::exchange(m_isRunWanted, false))
        m_session.run();
    if (m_isWatched)
        askForFacts();
}

void InputChoices::askForFacts()
{
    m_session.ask(
        RequestTag::InputFacts, this,
        [](EngineService &service, const std::stop_token &stop) { return service.inputFacts(stop); },
        [this](const std::vector<sw::InputFacts> &facts) {
            m_facts.clear();
            for (const sw::InputFacts &fact : facts)
                m_facts.emplace(fact.name, fact);
            emit changed();
        });
}

} // namespace stepwell::ui
