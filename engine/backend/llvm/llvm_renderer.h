#pragma once
// Renders a lowered kernel as LLVM IR text: one function SYMBOL that runs one work item, and SYMBOL.range, which the runtime
// calls. Line numbers are not in the text; the compiler attaches them, so that edited text keeps its own.
//
//   void SYMBOL.range(ptr args, i64 begin, i64 end, i64 gy, i64 gz, ptr faults)
//
// args: the buffers' addresses; it runs the work items begin <= gx < end of row gy, gz; faults: two i64 per IndexCheck.

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
