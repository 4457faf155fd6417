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

bool isInProgram(const sw::Message &message, const QString &program)
{
    return message.line != 0 && message.file == program.toStdString();
}

// A note follows the message that it explains; what stands elsewhere is told with that message.
std::vector<PlacedMessage> messagesInProgram(const std::vector<sw::Message> &messages, const QString &program)
{
    std::vector<PlacedMessage> placed;
    bool hasOwner = false; // the last one placed is what notes explain
    for (const sw::Message &message : messages) {
        const bool isNote = message.severity == sw::MessageSeverity::Note;
        if (isInProgram(message, program)) {
            placed.push_back(
                {{message.line, message.column, message.endLine, message.endColumn}, message.severity, textOf(message)});
            hasOwner = !isNote || hasOwner;
        } else if (isNote && hasOwner && message.line != 0) {
            placed.back().text += QStringLiteral("\n%1:%2:%3: %4")
                                      .arg(QString::fromStdString(message.file))
                                      .arg(message.line)
                                      .arg(message.column)
                                      .arg(textOf(message));
        } else if (!isNote) {
            hasOwner = false;
        }
    }
    return placed;
}

} // namespace stepwell::ui
