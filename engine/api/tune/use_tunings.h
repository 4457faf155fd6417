#pragma once
// What was found for kernels by measuring, as compilations are given it (CompileOptions::tunings).

#include "engine/api/tune/tune_run.h"
#include "engine/tune/tuning_store.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

namespace sw {

class FiguresStore;

// Tunings hold for a machine, as its figures do: they stand beside each other.
[[nodiscard]] TuningStore tuningsBeside(const FiguresStore &figures);

// What is kept now. The folder is read again only when a tuning has come or gone.
class KeptTunings {
public:
    // figures: null: nothing is kept.
    explicit KeptTunings(const FiguresStore *figures);

    // Never null.
    [[nodiscard]] std::shared_ptr<const Tunings> current();

private:
    std::optional<TuningStore> m_store;
    std::shared_ptr<const Tunings> m_tunings = std::make_shared<const Tunings>();
    std::optional<std::filesystem::file_time_type> m_readAt; // when the folder had changed last; nothing: it has to be read again
};

// Lets later compilations use the list of a candidate. Errors: it has no time, because it failed or computes other values.
[[nodiscard]] Result<Done> keepCandidate(const TuningStore &store, const KernelTuning &tuning, std::size_t candidate,
                                         std::uint64_t seed);
// Likewise the best list; where that is the compiler's own, what was kept earlier goes.
[[nodiscard]] Result<Done> keepTuning(const TuningStore &store, const KernelTuning &tuning, std::uint64_t seed);

} // namespace sw
