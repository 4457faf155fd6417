#pragma once
// The compiler half of a CPU backend. Each backend has its own translator from text to an object; loading the object, and
// disassembling it when somebody looks, are the same for all. Kernels are compiled in parallel, and results are kept: equal
// text is not compiled again, and with a store not even by the next process.

#include "engine/backend/cpu/kernel_table.h"
#include "engine/backend/llvm/object_store.h"
#include "engine/backend/work_recorder.h"

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>

namespace sw {

using Translator = // several threads call it at the same time
    std::function<Result<Translation>(const RenderedSource &, std::stop_token)>;

class NativeCompiler : public Compiler, public WorkRecorder {
public:
    // rangeSuffix: what the entry point for a row of work items appends to the kernel's symbol. store: null: objects live no
    // longer than this compiler.
    NativeCompiler(std::unique_ptr<CodeLoader> loader, Translator translate, std::string rangeSuffix,
                   std::shared_ptr<KernelTable> kernels, std::unique_ptr<ObjectStore> store = nullptr);

    [[nodiscard]] std::vector<Result<Artifact>> compile(std::span<const RenderedSource> sources, std::stop_token stop) override;
    [[nodiscard]] Result<MachineCode> machineCode(ArtifactId artifact) override;
    void release(ArtifactId artifact) override;
    [[nodiscard]] Result<Done> startRecording(WithCounters counters) override;
    [[nodiscard]] Result<RecordedWork> takeRecorded() override;

private:
    struct Compiled {
        std::string text;
        ObjectBytes object; // for when somebody looks at its instructions
        std::shared_ptr<const LoadedCode> code;
        RangeFunction run = nullptr;
        Artifact artifact; // without its id
    };
    using CompiledPtr = std::shared_ptr<const Compiled>;
    // An artifact that was handed out, with the lines of the text it was requested for.
    struct Given {
        CompiledPtr compiled;
        std::vector<SourceLine> lines;
    };

    struct Work {
        const RenderedSource *source = nullptr;
        std::uint64_t key = 0; // hash of symbol and text
        std::optional<Result<CompiledPtr>> made = {};
        WorkSpan span = {};
    };

    [[nodiscard]] Work workOf(const RenderedSource &source) const;
    void compileAll(std::span<Work *const> works, const std::stop_token &stop) const;
    [[nodiscard]] Result<CompiledPtr> compiledAnew(const RenderedSource &source, const std::stop_token &stop) const;
    [[nodiscard]] Result<CompiledPtr> loaded(const RenderedSource &source, Translation translation) const;
    void keep(std::uint64_t key, const CompiledPtr &made);

    std::unique_ptr<CodeLoader> m_loader;
    Translator m_translate;
    std::string m_rangeSuffix;
    std::shared_ptr<KernelTable> m_kernels;
    std::unique_ptr<ObjectStore> m_store;
    std::unordered_map<std::uint64_t, CompiledPtr> m_cache; // by Work::key
    std::deque<std::uint64_t> m_oldest;
    std::map<ArtifactId, Given> m_given;
    std::optional<RecordedWork> m_recorded; // nothing: nobody records
};

} // namespace sw
