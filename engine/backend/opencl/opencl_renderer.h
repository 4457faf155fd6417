#pragma once
// Renders a lowered kernel as OpenCL C 1.2: one kernel SYMBOL that takes the buffers and, last, the records of out-of-range
// indices (two long per IndexCheck). The text fixes the group size, because drivers compile once per size.

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
