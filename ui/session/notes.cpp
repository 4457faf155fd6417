#include "ui/session/notes.h"

#include <algorithm>
#include <utility>

namespace stepwell::ui {

namespace {

// The item of that label that is nearest to where it was; nothing: there is none.
std::optional<sw::ItemIndex> itemNear(const sw::StageDocument &document, const std::string &label, sw::ItemIndex place)
{
    std::optional<sw::ItemIndex> nearest;
    const auto away = [place](sw::ItemIndex item) { return item > place ? item - place : place - item; };
    for (sw::ItemIndex item = 0; item < document.items.size(); ++item)
        if (document.items[item].label == label && (!nearest || away(item) < away(*nearest)))
            nearest = item;
    return nearest;
}

} // namespace

Notes::Notes(Session &session, Moment &moment, QObject *parent) : QObject(parent), m_session(session), m_moment(moment)
{
    connect(&session, &Session::snapshotChanged, this, &Notes::onSnapshot);
}

void Notes::onSnapshot(const SnapshotPtr &snapshot)
{
    if (!snapshot) { // another program
        restore({}, {});
        return;
    }
    if (!snapshot->isFinal)
        return;
    for (std::size_t i = 0; m_moment.isAtEnd() && i < m_notes.size(); ++i)
        if (const std::optional<StageItem> place = placeOf(i))
            m_notes[i].item = place->item;
    emit changed();
}

std::optional<StageItem> Notes::placeOf(std::size_t note) const
{
    const sw::PinnedNote &pinned = m_notes.at(note);
    const SnapshotPtr &snapshot = m_moment.snapshot();
    if (!pinned.stage || !snapshot || !snapshot->stage(*pinned.stage).document)
        return {};
    const std::optional<sw::ItemIndex> item = itemNear(*snapshot->stage(*pinned.stage).document, pinned.label, pinned.item);
    return item ? std::optional(StageItem{*pinned.stage, *item}) : std::nullopt;
}

std::vector<std::pair<sw::ItemIndex, QString>> Notes::of(const sw::StageDocumentPtr &document) const
{
    std::vector<std::pair<sw::ItemIndex, QString>> found;
    for (const sw::PinnedNote &note : m_notes) {
        if (!document || note.stage != document->kind)
            continue;
        const std::optional<sw::ItemIndex> item = itemNear(*document, note.label, note.item);
        if (!item)
            continue;
        const QString text = QString::fromStdString(note.text);
        const auto same = std::ranges::find(found, *item, &std::pair<sw::ItemIndex, QString>::first);
        if (same == found.end())
            found.emplace_back(*item, text);
        else
            same->second += u'\n' + text;
    }
    return found;
}

void Notes::add(const std::optional<StageItem> &place, const QString &text)
{
    if (text.trimmed().isEmpty())
        return;
    sw::PinnedNote note;
    note.text = text.trimmed().toStdString();
    const SnapshotPtr &shown = m_moment.snapshot();
    if (place && shown) {
        const sw::StageDocumentPtr &document = shown->stage(place->stage).document;
        if (!document || place->item >= document->items.size())
            return;
        note.stage = place->stage;
        note.item = place->item;
        note.label = document->items[place->item].label;
    }
    m_notes.push_back(std::move(note));
    onChange();
}

void Notes::setText(std::size_t note, const QString &text)
{
    const std::string wanted = text.trimmed().toStdString();
    if (wanted.empty() || std::exchange(m_notes.at(note).text, wanted) == wanted)
        return;
    onChange();
}

void Notes::remove(std::size_t note)
{
    m_notes.erase(m_notes.begin() + static_cast<std::ptrdiff_t>(note));
    onChange();
}

bool Notes::addBookmark()
{
    const std::optional<sw::MomentPlace> &place = m_moment.place();
    const sw::PassEntry *pass = m_moment.pass();
    if (!place || !pass)
        return false;
    const QString title = QString::fromStdString(pass->title);
    const QString name = place->rewrites == sw::kNoIndex ? tr("after %1").arg(title)
                         : place->rewrites == 0          ? tr("before %1").arg(title)
                                                         : tr("%1, rewrite %2").arg(title).arg(place->rewrites);
    m_bookmarks.push_back({name.toStdString(), *place});
    onChange();
    return true;
}

void Notes::rename(std::size_t bookmark, const QString &name)
{
    const std::string wanted = name.trimmed().toStdString();
    if (wanted.empty() || std::exchange(m_bookmarks.at(bookmark).name, wanted) == wanted)
        return;
    onChange();
}

void Notes::removeBookmark(std::size_t bookmark)
{
    m_bookmarks.erase(m_bookmarks.begin() + static_cast<std::ptrdiff_t>(bookmark));
    onChange();
}

bool Notes::hasMoment(std::size_t bookmark) const
{
    return m_bookmarks.at(bookmark).place.pass < m_moment.passes().size() && !m_session.isKept();
}

void Notes::restore(std::vector<sw::PinnedNote> notes, std::vector<sw::MomentBookmark> bookmarks)
{
    m_notes = std::move(notes);
    m_bookmarks = std::move(bookmarks);
    m_isModified = false;
    emit changed();
}

void Notes::setSaved()
{
    if (std::exchange(m_isModified, false))
        emit changed();
}

void Notes::onChange()
{
    m_isModified = true;
    emit changed();
}

} // namespace stepwell::ui
