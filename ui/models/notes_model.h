#pragma once
// The notes, and after them the bookmarks: a row each.

#include "ui/session/notes.h"
#include "ui/theme/appearance.h"

#include <QAbstractTableModel>

#include <optional>
#include <vector>

namespace stepwell::ui {

class NotesModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column : int { Place, Text, kColumns };

    NotesModel(const Appearance &appearance, Notes &notes, const Moment &moment, QObject *parent = nullptr);

    void refresh();
    [[nodiscard]] std::optional<std::size_t> noteAt(int row) const; // nothing: it is a bookmark
    [[nodiscard]] std::optional<std::size_t> bookmarkAt(int row) const;

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    bool setData(const QModelIndex &index, const QVariant &value, int role) override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex &index) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    // Copied: a view may look at it while the window is being destroyed, and the notes with it.
    struct Row {
        bool isNote = false;
        std::size_t index = 0; // of the note or the bookmark
        QString place;
        QString text;
        bool isGone = false;
        bool operator==(const Row &) const = default;
    };
    [[nodiscard]] Row rowOfNote(std::size_t note) const;
    [[nodiscard]] Row rowOfBookmark(std::size_t bookmark) const;

    const Appearance &m_appearance;
    Notes &m_notes;
    const Moment &m_moment;
    std::vector<Row> m_rows;
};

} // namespace stepwell::ui
