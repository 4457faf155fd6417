#pragma once
// How the rows of a comparison are told apart: by a colour and a sign.

#include "ui/text_view/text_rows.h"
#include "ui/theme/theme.h"

#include <QString>

#include <optional>

namespace stepwell::ui {

[[nodiscard]] bool isDifference(RowMark mark);
[[nodiscard]] std::optional<Role> roleOf(RowMark mark); // nothing: it does not stand out
[[nodiscard]] QString signOf(RowMark mark);             // in the gutter; empty: none

} // namespace stepwell::ui
