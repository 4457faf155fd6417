#pragma once
// Why a pane has no difference to show, in a sentence.

#include "ui/session/baseline.h"

namespace stepwell::ui {

// Empty: there is one.
[[nodiscard]] QString differenceHint(const Baseline &baseline, sw::StageKind stage);
// Why the baseline has no document of the stage. Empty: it has one.
[[nodiscard]] QString beforeHint(const Baseline &baseline, sw::StageKind stage);
// "2 changed, 1 added, 3 removed": of lines, or of the items of a graph; empty: nothing differs.
[[nodiscard]] QString differenceNote(const StageDifference &difference);

} // namespace stepwell::ui
