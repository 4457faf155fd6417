#pragma once
// What to compare with, in the words of the command line: "--device c --no-fuse", "before.sw --show before".

#include "ui/session/baseline.h"

#include <QString>

#include <optional>

namespace stepwell::ui {

struct AgainstWords {
    CompileVariant variant;
    Shown shown = Shown::Difference;
    bool isFirst = false; // the first difference is asked for
    bool isRun = false;   // both are run in turn
};

// Nothing: `reason` says what is wrong.
[[nodiscard]] std::optional<AgainstWords> againstOf(const QString &words, QString &reason);

} // namespace stepwell::ui
