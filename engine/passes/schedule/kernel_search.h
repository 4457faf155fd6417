#pragma once
// Whether kernels depend on each other through other kernels.

#include "engine/base/id.h"

#include <cstdint>
#include <span>
#include <vector>

namespace sw {

// What a search needs to know about a kernel.
struct SearchedKernel {
    NodeId first; // of its members
    NodeId root;
    std::span<const std::uint32_t> readers; // kernels that read its results
};

class KernelSearch {
public:
    // Is there a chain of kernels from `from` to `to`, each reading a result of the one before? kernelAt(number) is a
    // SearchedKernel; withSeveralResults holds the numbers of all kernels of several results, and may hold others.
    template <class KernelAt>
    bool reaches(std::uint32_t from, std::uint32_t to, std::size_t kernels, std::span<const std::uint32_t> withSeveralResults,
                 const KernelAt &kernelAt)
    {
        const NodeId root = SearchedKernel(kernelAt(to)).root;
        // A kernel with several results may be read before the target and itself read values that come after it.
        bool mayLeadBack = false;
        for (const std::uint32_t number : withSeveralResults) {
            const SearchedKernel kernel = kernelAt(number);
            mayLeadBack = mayLeadBack || (kernel.first < root && kernel.root > root);
        }
        m_visitedIn.resize(kernels, 0);
        ++m_search;
        m_pending.assign(1, from);
        m_visitedIn[from] = m_search;
        while (!m_pending.empty()) {
            const std::uint32_t current = m_pending.back();
            m_pending.pop_back();
            if (current == to)
                return true;
            const SearchedKernel kernel = kernelAt(current);
            // A value has a smaller id than its readers, so a kernel that begins after the target's root is past the target.
            if (!mayLeadBack && kernel.first >= root)
                continue;
            for (const std::uint32_t next : kernel.readers)
                if (m_visitedIn[next] != m_search) {
                    m_visitedIn[next] = m_search;
                    m_pending.push_back(next);
                }
        }
        return false;
    }

private:
    std::vector<std::uint64_t> m_visitedIn; // by kernel: the number of the last search that came there
    std::uint64_t m_search = 0;
    std::vector<std::uint32_t> m_pending;
};

} // namespace sw
