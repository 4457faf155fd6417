#pragma once
// Renders a lowered kernel as LLVM IR text: one function SYMBOL that runs one work item, and SYMBOL.range, which the runtime
// calls. The text has no line numbers; the compiler attaches them, so that edited text gets its own.
//
//   void SYMBOL.range(ptr args, i64 begin, i64 end, i64 gy, i64 gz, ptr faults)
//
// It runs the work items begin <= gx < end of row gy, gz. args: the buffers' addresses. faults: two i64 per IndexCheck.

#include "engine/backend/backend.h"
#include "engine/backend/source/prelude.h"

namespace sw {

inline constexpr std::string_view kRangeSuffix = ".range";

class LlvmRenderer final : public Renderer {
public:
    LlvmRenderer();
    [[nodiscard]] TargetLanguage language() const override { return TargetLanguage::Llvm; }
    [[nodiscard]] Result<RenderedSource> render(const LoweredKernel &kernel, const DeviceInfo &device) const override;

private:
    PreludeTemplates m_prelude;
};

} // namespace sw
