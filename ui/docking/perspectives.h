#pragma once
// The layouts that come with Stepwell.

#include <span>

namespace stepwell::ui {

struct Perspective {
    const char *id;
    const char *title;  // in English
    const char *layout; // see layout_text.h. Panels that it does not name stand at their home
};

[[nodiscard]] std::span<const Perspective> builtInPerspectives();
[[nodiscard]] const char *defaultLayout(); // of the first start

} // namespace stepwell::ui
