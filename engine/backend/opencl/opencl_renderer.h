#pragma once
// Renders a lowered kernel as OpenCL C 1.2: one kernel SYMBOL with the buffers as arguments and, last, the records of indices out
// of range (two long per IndexCheck). The size of a group is fixed in the text, because drivers compile once per size.

#include "engine/backend/backend.h"
#include "engine/backend/source/prelude.h"

namespace sw {

class OpenClRenderer final : public Renderer {
public:
    OpenClRenderer();
    [[nodiscard]] TargetLanguage language() const override { return TargetLanguage::OpenCl; }
    [[nodiscard]] Result<RenderedSource> render(const LoweredKernel &kernel, const DeviceInfo &device) const override;

private:
    PreludeTemplates m_prelude;
};

} // namespace sw
