#pragma once
// Cards and effects as rich text, for the panels that show them. A part's title is a link: "item:12".

#include "engine/api/effect.h"
#include "engine/api/why.h"
#include "ui/theme/appearance.h"

#include <QString>

namespace stepwell::ui {

[[nodiscard]] QString cardHead(const sw::WhyCard &card, const Appearance &appearance);
// Everything below the decision: the reason, the rule, the numbers, the alternative and the parts.
[[nodiscard]] QString cardBody(const sw::WhyCard &card, const Appearance &appearance);
[[nodiscard]] QString effectHtml(const QString &name, const sw::Effect &effect, const Appearance &appearance);

} // namespace stepwell::ui
