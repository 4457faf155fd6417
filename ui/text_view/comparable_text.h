#pragma once
// Lines prepared for comparison: a numbered value is replaced by the word that made it, so that a changed number alone is not a
// difference.

#include "engine/api/stage_document.h"

#include <string>
#include <vector>

namespace stepwell::ui {

// "%7 = mul %5, %6" becomes "%mul = mul %reshape, %expand". Named values ("%x") stay.
[[nodiscard]] std::vector<std::string> comparableTexts(const sw::StageDocument &document);

} // namespace stepwell::ui
