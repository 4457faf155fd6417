#pragma once
// Where messages are marked in the program: at their own place, or, for what stands in a function of the library, where the
// program calls it.

#include "engine/api/report.h"
#include "ui/theme/theme.h"

#include <QString>

#include <vector>

namespace stepwell::ui {

struct PlacedMessage {
    sw::DocumentPlace place; // in the program
    sw::MessageSeverity severity = sw::MessageSeverity::Error;
    QString text; // with the hint, and with its own place where that is another one
};

// Those without a place are left out.
[[nodiscard]] std::vector<PlacedMessage> messagesInProgram(const std::vector<sw::Message> &messages);

[[nodiscard]] Role roleOf(sw::MessageSeverity severity);

} // namespace stepwell::ui
