#pragma once
// What one compilation leaves for the next ones: see engine/passes/kernel_memo.h.

#include "engine/passes/kernel_memo.h"
#include "engine/pipeline/target.h"

#include <list>

namespace sw {

// Serves one compilation at a time. It holds what was made for the last few targets: who compares two devices compiles for them
// in turns.
class PipelineMemo {
public:
    // While a compilation runs. Where succeed() was not called, what it made is forgotten.
    class Use {
    public:
        Use(PipelineMemo *memo, const CompileTarget &target); // memo: may be null
        ~Use();
        Use(const Use &) = delete;
        Use &operator=(const Use &) = delete;

        [[nodiscard]] KernelMemo *kernels() const { return m_kernels; } // null: there is no memo
        void succeed() { m_isSuccessful = true; }

    private:
        KernelMemo *m_kernels = nullptr;
        bool m_isSuccessful = false;
    };

private:
    struct ForTarget {
        CompileTarget target;
        KernelMemo kernels;
    };
    // The last one used comes first.
    KernelMemo &of(CompileTarget target);

    std::list<ForTarget> m_known;
};

} // namespace sw
