#include "ui/models/message_model.h"

namespace stepwell::ui {

namespace {

struct SeverityLook {
    const char *icon;
    Role color;
};

SeverityLook lookOf(sw::MessageSeverity severity)
{
    switch (severity) {
    case sw::MessageSeverity::Error:
        return {"error", Role::Error};
    case sw::MessageSeverity::Warning:
        return {"warning", Role::Warning};
    case sw::MessageSeverity::Note:
        return {"note", Role::Note};
    }
    Q_UNREACHABLE();
}

QString placeOf(const sw::Message &message)
{
    const QString file = QString::fromStdString(message.file);
    if (message.line == 0)
        return file;
    const QString place = QStringLiteral("%1:%2").arg(message.line).arg(message.column);
    return file.isEmpty() || message.isInProgram ? place : QStringLiteral("%1:%2").arg(file, place);
}

QString textOf(const sw::Message &message)
{
    QString text = QString::fromStdString(message.text);
    if (!message.hint.empty())
        text += QStringLiteral("  \u2014 ") + QString::fromStdString(message.hint);
    return text;
}

} // namespace

MessageModel::MessageModel(const Appearance &appearance, QObject *parent) : QAbstractTableModel(parent), m_appearance(appearance)
{
}

void MessageModel::setMessages(std::vector<sw::Message> messages)
{
    beginResetModel();
    m_messages = std::move(messages);
    endResetModel();
}

int MessageModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_messages.size());
}
int MessageModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant MessageModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const sw::Message &message = m_messages[static_cast<std::size_t>(index.row())];
    const SeverityLook look = lookOf(message.severity);
    if (role == Qt::DecorationRole && index.column() == Place)
        return m_appearance.icon(QLatin1String(look.icon));
    if (role == Qt::ForegroundRole)
        return m_appearance.color(index.column() == Text ? Role::Text : index.column() == Place ? look.color : Role::Muted);
    if (role == Qt::ToolTipRole)
        return textOf(message);
    if (role != Qt::DisplayRole)
        return {};
    switch (static_cast<Column>(index.column())) {
    case Place:
        return placeOf(message);
    case Text:
        return textOf(message);
    case Code:
        return QString::fromStdString(message.code);
    case ColumnCount:
        break;
    }
    Q_UNREACHABLE();
}

QVariant MessageModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (static_cast<Column>(section)) {
    case Place:
        return tr("Place");
    case Text:
        return tr("Message");
    case Code:
        return tr("Kind");
    case ColumnCount:
        break;
    }
    Q_UNREACHABLE();
}

} // namespace stepwell::ui
