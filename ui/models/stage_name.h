#pragma once
// What a person calls a stage.

#include "engine/api/stage_document.h"

#include <QString>

namespace stepwell::ui {

[[nodiscard]] QString stageName(sw::StageKind stage);

} // namespace stepwell::ui
