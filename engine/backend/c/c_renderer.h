#pragma once
// Renders a lowered kernel as C11 with Clang's vector types. As in LLVM IR, there are two functions: SYMBOL runs one work item,
// and SYMBOL_range runs a row of them, with the arguments that llvm_renderer.h describes.

#include "engine/backend/backend.h"
#include "engine/backend/source/prelude.h"

namespace sw {

inline constexpr std::string_view kCRangeSuffix = "_range";

class CRenderer final : public Renderer {
public:
    CRenderer();
    [[nodiscard]] TargetLanguage language() const override { return TargetLanguage::C; }
    [[nodiscard]] Result<RenderedSource> render(const LoweredKernel &kernel, const DeviceInfo &device) const override;

private:
    PreludeTemplates m_prelude;
};

} // namespace sw
