#pragma once
// Which kernel the views of a stepped run should show: that of what is selected.

#include "ui/session/debugger.h"
#include "ui/session/moment.h"
#include "ui/session/selection.h"

#include <optional>

namespace stepwell::ui {

// The kernel to open now; nothing: none, or the one that is open. A run that has begun is not left for a selection, unless a
// kernel is selected itself; and a kernel whose opening takes long, because it runs what comes before, is opened only then.
[[nodiscard]] std::optional<std::uint32_t> kernelToOpen(const Debugger &debugger, const Selection &selection,
                                                        const Moment &moment, const SnapshotPtr &end);

} // namespace stepwell::ui
