#include "ui/models/notes_model.h"

#include "ui/models/stage_name.h"

#include <utility>

namespace stepwell::ui {

NotesModel::NotesModel(const Appearance &appearance, Notes &notes, const Moment &moment, QObject *parent)
    : QAbstractTableModel(parent), m_appearance(appearance), m_notes(notes), m_moment(moment)
{
}

NotesModel::Row NotesModel::rowOfNote(std::size_t note) const
{
    const sw::PinnedNote &pinned = m_notes.notes()[note];
    const QString place =
        pinned.stage ? tr("%1, %2").arg(QString::fromStdString(pinned.label), stageName(*pinned.stage)) : tr("The program");
    return {true, note, place, QString::fromStdString(pinned.text), m_notes.isGone(note)};
}

NotesModel::Row NotesModel::rowOfBookmark(std::size_t bookmark) const
{
    const sw::MomentBookmark &kept = m_notes.bookmarks()[bookmark];
    const std::uint32_t pass = kept.place.pass;
    const QString place =
        pass < m_moment.passes().size() ? QString::fromStdString(m_moment.passes()[pass].title) : tr("Pass %1").arg(pass + 1);
    return {false, bookmark, place, QString::fromStdString(kept.name), !m_notes.hasMoment(bookmark)};
}

void NotesModel::refresh()
{
    std::vector<Row> rows;
    for (std::size_t i = 0; i < m_notes.notes().size(); ++i)
        rows.push_back(rowOfNote(i));
    for (std::size_t i = 0; i < m_notes.bookmarks().size(); ++i)
        rows.push_back(rowOfBookmark(i));
    if (rows == m_rows)
        return;
    const bool isSameSize = rows.size() == m_rows.size();
    if (!isSameSize)
        beginResetModel();
    m_rows = std::move(rows);
    if (!isSameSize)
        endResetModel();
    else
        emit dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
}

std::optional<std::size_t> NotesModel::noteAt(int row) const
{
    const auto at = static_cast<std::size_t>(row);
    return at < m_rows.size() && m_rows[at].isNote ? std::optional(m_rows[at].index) : std::nullopt;
}

std::optional<std::size_t> NotesModel::bookmarkAt(int row) const
{
    const auto at = static_cast<std::size_t>(row);
    return at < m_rows.size() && !m_rows[at].isNote ? std::optional(m_rows[at].index) : std::nullopt;
}

int NotesModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}
int NotesModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : kColumns;
}

QVariant NotesModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || static_cast<std::size_t>(index.row()) >= m_rows.size())
        return {};
    const Row &row = m_rows[static_cast<std::size_t>(index.row())];
    if (role == Qt::DecorationRole && index.column() == Place)
        return m_appearance.icon(row.isNote ? QStringLiteral("pin") : QStringLiteral("bookmark"));
    if (role == Qt::ForegroundRole && row.isGone)
        return m_appearance.color(Role::Muted);
    if (role == Qt::ToolTipRole && row.isGone)
        return row.isNote ? tr("There is no such item now.") : tr("This moment cannot be shown now.");
    if (role == Qt::EditRole)
        return row.text;
    if (role == Qt::DisplayRole)
        return index.column() == Place ? row.place : row.text.simplified();
    return {};
}

bool NotesModel::setData(const QModelIndex &index, const QVariant &value, int role)
{
    if (!index.isValid() || index.column() != Text || role != Qt::EditRole)
        return false;
    if (const std::optional<std::size_t> note = noteAt(index.row()))
        m_notes.setText(*note, value.toString());
    else if (const std::optional<std::size_t> bookmark = bookmarkAt(index.row()))
        m_notes.rename(*bookmark, value.toString());
    return true;
}

Qt::ItemFlags NotesModel::flags(const QModelIndex &index) const
{
    return QAbstractTableModel::flags(index) | (index.column() == Text ? Qt::ItemIsEditable : Qt::NoItemFlags);
}

QVariant NotesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == Place ? tr("Where") : tr("Note");
}

} // namespace stepwell::ui
