#include "engine/backend/cpu/kernel_table.h"

namespace sw {

ArtifactId KernelTable::add(NativeKernel kernel)
{
    const std::scoped_lock lock(m_mutex);
    const ArtifactId id(m_next++);
    m_kernels.emplace(id, std::make_shared<const NativeKernel>(std::move(kernel)));
    return id;
}

void KernelTable::remove(ArtifactId id)
{
    const std::scoped_lock lock(m_mutex);
    m_kernels.erase(id);
}

std::shared_ptr<const NativeKernel> KernelTable::find(ArtifactId id) const
{
    const std::scoped_lock lock(m_mutex);
    const auto found = m_kernels.find(id);
    return found == m_kernels.end() ? nullptr : found->second;
}

} // namespace sw
