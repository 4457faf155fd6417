#include "engine/pipeline/memo.h"

#include "engine/passes/common_options.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace sw {

namespace {

constexpr std::size_t kMostTargets = 3;

} // namespace

PipelineMemo::Use::Use(PipelineMemo *memo, const CompileTarget &target) : m_kernels(memo == nullptr ? nullptr : &memo->of(target))
{
}

PipelineMemo::Use::~Use()
{
    if (m_kernels != nullptr)
        m_kernels->endCompilation(m_isSuccessful);
}

KernelMemo &PipelineMemo::of(CompileTarget target)
{
    target.options = commonOptions(std::move(target.options));
    const auto known = std::ranges::find(m_known, target, &ForTarget::target);
    if (known != m_known.end()) {
        m_known.splice(m_known.begin(), m_known, known);
        return m_known.front().kernels;
    }
    m_known.push_front({std::move(target), {}});
    if (m_known.size() > kMostTargets)
        m_known.pop_back();
    return m_known.front().kernels;
}

} // namespace sw
