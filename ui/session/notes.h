#pragma once
// What a person noted: texts pinned to items, and bookmarks of moments. They belong to the program and are kept in its session.
// After an edit a note finds its item again: the nearest one of the same label in its stage.

#include "engine/api/session_file/session_contents.h"
#include "ui/session/moment.h"

#include <QObject>
#include <QString>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stepwell::ui {

class Notes : public QObject {
    Q_OBJECT

public:
    Notes(Session &session, Moment &moment, QObject *parent = nullptr);

    [[nodiscard]] const std::vector<sw::PinnedNote> &notes() const { return m_notes; }
    [[nodiscard]] const std::vector<sw::MomentBookmark> &bookmarks() const { return m_bookmarks; }
    // The item of a note in the documents that the window shows; nothing: the note is about the program as a whole, or its item
    // is gone.
    [[nodiscard]] std::optional<StageItem> placeOf(std::size_t note) const;
    [[nodiscard]] bool isGone(std::size_t note) const { return m_notes.at(note).stage && !placeOf(note); }
    // The items of a document that have notes, with their texts, which stand one below the other.
    [[nodiscard]] std::vector<std::pair<sw::ItemIndex, QString>> of(const sw::StageDocumentPtr &document) const;

    // place: of the documents that the window shows; nothing: the program as a whole. An empty text adds nothing.
    void add(const std::optional<StageItem> &place, const QString &text);
    void setText(std::size_t note, const QString &text);
    void remove(std::size_t note);
    // The moment that the window shows; at the end there is none to keep, and false is returned.
    bool addBookmark();
    void rename(std::size_t bookmark, const QString &name);
    void removeBookmark(std::size_t bookmark);
    // Whether the bookmark's moment is one of the compilation that is shown.
    [[nodiscard]] bool hasMoment(std::size_t bookmark) const;

    // Notes of a session; nothing of the earlier ones stays.
    void restore(std::vector<sw::PinnedNote> notes, std::vector<sw::MomentBookmark> bookmarks);
    // There are changes that are in no session file.
    [[nodiscard]] bool isModified() const { return m_isModified; }
    void setSaved();

signals:
    void changed();

private:
    void onSnapshot(const SnapshotPtr &snapshot);
    void onChange();

    Session &m_session;
    Moment &m_moment;
    std::vector<sw::PinnedNote> m_notes;
    std::vector<sw::MomentBookmark> m_bookmarks;
    bool m_isModified = false;
};

} // namespace stepwell::ui
