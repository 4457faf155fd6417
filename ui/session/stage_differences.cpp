#include "ui/session/stage_differences.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace stepwell::ui {

namespace {

bool isUnread(const sw::StageDocumentPtr &document)
{
    return std::ranges::any_of(document->parts, [](const sw::DocumentPart &part) { return !part.isRead; });
}

QString tr(const char *text)
{
    return QCoreApplication::translate("Difference", text);
}

// "changed: operands, type"
QString kindText(const sw::ItemDifference &item)
{
    switch (item.kind) {
    case sw::ItemKind::Same:
        return {};
    case sw::ItemKind::Renamed:
        return tr("renamed");
    case sw::ItemKind::Removed:
        return tr("removed: only the baseline has it");
    case sw::ItemKind::Added:
        return tr("added: the baseline does not have it");
    case sw::ItemKind::Changed:
        break;
    }
    QStringList parts;
    if (item.operationChanged)
        parts << tr("operation");
    if (item.typeChanged)
        parts << tr("type");
    if (item.operandsChanged)
        parts << tr("operands");
    for (const sw::FieldChange &field : item.fields)
        parts << QString::fromStdString(field.name);
    return tr("changed: %1").arg(parts.join(QStringLiteral(", ")));
}

// Says in the fields of each item what differs, so that whoever shows it shows that first: "before -> after".
void tell(sw::GraphDifference &difference, const sw::StageDocument &before)
{
    auto both = std::make_shared<sw::StageDocument>(*difference.both);
    for (std::size_t i = 0; i < both->items.size(); ++i) {
        const sw::ItemDifference &item = difference.items[i];
        if (item.kind == sw::ItemKind::Same)
            continue;
        std::vector<sw::DocumentField> told{{tr("difference").toStdString(), kindText(item).toStdString()}};
        const auto add = [&told](const std::string &name, const std::string &from, const std::string &to) {
            told.push_back({name, (from.empty() ? "\u2013" : from) + " \u2192 " + (to.empty() ? "\u2013" : to)});
        };
        if (item.operationChanged)
            add(tr("operation").toStdString(), before.items[item.before].label, both->items[i].label);
        if (item.typeChanged)
            add(tr("type").toStdString(), before.items[item.before].detail, both->items[i].detail);
        for (const sw::FieldChange &field : item.fields)
            add(field.name, field.before, field.after);
        for (const sw::DocumentField &field : both->items[i].fields)
            if (std::ranges::find(told, field.name, &sw::DocumentField::name) == told.end())
                told.push_back(field);
        both->items[i].fields = std::move(told);
    }
    difference.both = std::move(both);
}

} // namespace

std::uint32_t StageDifference::count() const
{
    if (after->kind == sw::StageKind::Graph || after->kind == sw::StageKind::Schedule)
        return items.count(sw::ItemKind::Changed) + items.count(sw::ItemKind::Removed) + items.count(sw::ItemKind::Added);
    return text.count(sw::RowKind::Moved) + text.count(sw::RowKind::Changed) + text.count(sw::RowKind::Removed) +
           text.count(sw::RowKind::Added);
}

StageDifferencePtr stageDifference(const sw::StageDocumentPtr &before, const sw::StageDocumentPtr &after)
{
    auto made = std::make_shared<StageDifference>();
    made->before = before;
    made->after = after;
    made->text = sw::differenceOf(*before, *after);
    made->items = sw::graphDifferenceOf(*before, *after);
    tell(made->items, *before);
    made->afterOf.assign(before->items.size(), sw::kNoIndex);
    for (const sw::ItemDifference &item : made->items.items)
        if (item.before != sw::kNoIndex)
            made->afterOf[item.before] = item.after;
    return made;
}

StageDifferences::StageDifferences(Session &session, QObject *parent) : QObject(parent), m_session(session)
{
    // A compilation that was stopped has dropped what was asked.
    connect(&session, &Session::compileFinished, this, [this] {
        if (m_session.isDropped(RequestTag::Difference))
            askNext();
    });
}

void StageDifferences::compare(const SnapshotPtr &before, const SnapshotPtr &now)
{
    std::vector<sw::StageKind> other;
    for (const sw::StageKind stage : kStages) {
        const std::size_t at = indexOf(stage);
        const sw::StageDocumentPtr from = before ? before->stage(stage).document : nullptr;
        const sw::StageDocumentPtr to = now ? now->stage(stage).document : nullptr;
        const DifferenceState was = m_states[at];
        if (from == m_before[at] && to == m_now[at] && was != DifferenceState::None && before && now)
            continue;
        m_before[at] = from;
        m_now[at] = to;
        if (!before || !now)
            m_states[at] = DifferenceState::None;
        else if (!from)
            m_states[at] = DifferenceState::NotBefore;
        else if (!to)
            m_states[at] = DifferenceState::NotNow;
        else if (isUnread(from) || isUnread(to))
            m_states[at] = DifferenceState::Unread;
        else
            m_states[at] = DifferenceState::Pending;
        if (m_states[at] != DifferenceState::Pending)
            m_differences[at].reset();
        if (was != DifferenceState::None || m_states[at] != DifferenceState::None)
            other.push_back(stage);
    }
    for (const sw::StageKind stage : other)
        emit changed(stage);
    if (!other.empty() || !m_session.isAsking(RequestTag::Difference))
        askNext();
}

bool StageDifferences::isPending() const
{
    return std::ranges::find(m_states, DifferenceState::Pending) != m_states.end();
}

void StageDifferences::askNext()
{
    const auto next = std::ranges::find(m_states, DifferenceState::Pending);
    if (next == m_states.end()) {
        m_session.cancel(RequestTag::Difference);
        return;
    }
    const auto at = static_cast<std::size_t>(next - m_states.begin());
    m_session.ask(
        RequestTag::Difference, this,
        [before = m_before[at], now = m_now[at]](EngineService &, const std::stop_token &) {
            return stageDifference(before, now);
        },
        [this, at](StageDifferencePtr made) {
            m_states[at] = made->isDifferent() ? DifferenceState::Different : DifferenceState::Equal;
            m_differences[at] = std::move(made);
            emit changed(kStages[at]);
            askNext();
        });
}

} // namespace stepwell::ui
