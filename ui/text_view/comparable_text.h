#pragma once
// Lines as they are compared: numbered values are written as what made them, so that a value that only got another number is no
// difference.

#include "engine/api/stage_document.h"

#include <string>
#include <vector>

namespace stepwell::ui {

// "%7 = mul %5, %6" becomes "%mul = mul %reshape, %expand". Named values ("%x") stay.
[[nodiscard]] std::vector<std::string> comparableTexts(const sw::StageDocument &document);

} // namespace stepwell::ui
