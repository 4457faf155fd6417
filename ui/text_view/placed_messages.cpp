#include "ui/text_view/placed_messages.h"

namespace stepwell::ui {

namespace {

QString textOf(const sw::Message &message)
{
    QString text = QString::fromStdString(message.text);
    if (!message.hint.empty())
        text += u'\n' + QString::fromStdString(message.hint);
    return text;
}

} // namespace

Role roleOf(sw::MessageSeverity severity)
{
    switch (severity) {
    case sw::MessageSeverity::Error:
        return Role::Error;
    case sw::MessageSeverity::Warning:
        return Role::Warning;
    case sw::MessageSeverity::Note:
        return Role::Note;
    }
    Q_UNREACHABLE();
}

// A note follows the message that it explains; a note from elsewhere is shown with that message, at the call.
std::vector<PlacedMessage> messagesInProgram(const std::vector<sw::Message> &messages)
{
    std::vector<PlacedMessage> placed;
    bool hasOwner = false; // notes explain the last message placed
    for (const sw::Message &message : messages) {
        const bool isNote = message.severity == sw::MessageSeverity::Note;
        if (message.isInProgram && message.line != 0) {
            placed.push_back(
                {{message.line, message.column, message.endLine, message.endColumn}, message.severity, textOf(message)});
            hasOwner = true;
            continue;
        }
        hasOwner = hasOwner && isNote;
        const QString text = QStringLiteral("%1:%2:%3: %4")
                                 .arg(QString::fromStdString(message.file))
                                 .arg(message.line)
                                 .arg(message.column)
                                 .arg(textOf(message));
        if (hasOwner && message.line != 0)
            placed.back().text += u'\n' + text;
        else if (message.call.line != 0)
            placed.push_back({message.call, message.severity, text});
    }
    return placed;
}

} // namespace stepwell::ui
