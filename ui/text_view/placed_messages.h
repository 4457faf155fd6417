#pragma once
// Where messages are marked in the program: at their own place, or, for messages from inside a library function, where the
// program calls that function.

#include "engine/api/report.h"
#include "ui/theme/theme.h"

#include <QString>

#include <vector>

namespace stepwell::ui {

struct PlacedMessage {
    sw::DocumentPlace place; // in the program
    sw::MessageSeverity severity = sw::MessageSeverity::Error;
    QString text; // with the hint, and with the message's own place if that is elsewhere
};

// Messages without a place are left out.
[[nodiscard]] std::vector<PlacedMessage> messagesInProgram(const std::vector<sw::Message> &messages);

[[nodiscard]] Role roleOf(sw::MessageSeverity severity);

} // namespace stepwell::ui
