#pragma once
// The compilations that one can compare with: the earlier ones of this session, as far as there is room for them, and those that
// the user asked for.

#include "engine/api/explorer.h"
#include "ui/session/snapshot.h"

#include <QDateTime>
#include <QString>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace stepwell::ui {

// Earlier: a compilation of this session. Pinned: what the window showed when it was pinned. Variant: the program as it is,
// compiled in another way; it follows the program. File: another program, compiled as this one is.
enum class BaselineKind : unsigned char { Earlier, Pinned, Variant, File };

// What a compilation has other than the window's; what is empty is as in the window.
struct CompileVariant {
    QString device = {};
    std::array<std::optional<bool>, sw::kCompileSwitches.size()> switches = {}; // by row of sw::kCompileSwitches
    QString file = {};
    bool operator==(const CompileVariant &) const = default;

    [[nodiscard]] std::optional<bool> &operator[](bool sw::CompileSwitches::*which);
    [[nodiscard]] std::optional<bool> operator[](bool sw::CompileSwitches::*which) const { return CompileVariant(*this)[which]; }
    [[nodiscard]] sw::ExploreRequest of(sw::ExploreRequest request) const;
    [[nodiscard]] QString name() const; // "device c, without fusion"
};

// What a compilation changed since the one before: whether each stage is other than it was.
using ChangedStages = std::array<bool, kStageCount>;

struct BaselineEntry {
    std::uint64_t id = 0;
    BaselineKind kind = BaselineKind::Earlier;
    QString name;
    QString changes; // "1 kernel fewer, 2 lines of the program"; empty: it is the first, or not known yet
    ChangedStages changed{};
    bool isTold = false; // the two above are known, and documents are shared with the one before
    QDateTime made;
    std::uint64_t compilation = 0; // of the session; 0: another one
    sw::ExploreRequest request;    // makes it again
    CompileVariant variant;        // of a Variant or File
    sw::ReportPtr report;          // null: not compiled yet
    SnapshotPtr moment;            // pinned at a moment before the end

    // It is compiled again when the program is.
    [[nodiscard]] bool isFollowing() const { return kind == BaselineKind::Variant || kind == BaselineKind::File; }
};

// What the later of two compilations changed: "2 kernels more, 3 lines of the program"; "nothing".
struct CompilationChange {
    QString text;
    ChangedStages changed{};
};
// Takes time: not for the GUI thread.
[[nodiscard]] CompilationChange changeBetween(const sw::Report &before, const sw::Report &after);

// The last compilations of this session are kept: so many, and so much memory of documents. A document that several share counts
// once. What is pinned, or compared with, stays.
inline constexpr std::size_t kKeptCompilations = 20;
inline constexpr std::size_t kKeptBytes = std::size_t{256} << 20;

class BaselineList {
public:
    explicit BaselineList(std::size_t mostBytes = kKeptBytes) : m_mostBytes(mostBytes) {}

    [[nodiscard]] const std::vector<BaselineEntry> &entries() const { return m_entries; } // the newest last
    [[nodiscard]] BaselineEntry *find(std::uint64_t id);                                  // null: there is none
    [[nodiscard]] const BaselineEntry *find(std::uint64_t id) const;
    [[nodiscard]] BaselineEntry *earlier(std::uint64_t compilation); // the entry of a compilation; null: there is none
    // Gives the entry a number.
    std::uint64_t add(BaselineEntry entry);
    void remove(std::uint64_t id)
    {
        std::erase_if(m_entries, [id](const BaselineEntry &entry) { return entry.id == id; });
    }
    // Drops the oldest earlier compilations that there is no room for, but not `kept` and not the newest.
    void trim(std::uint64_t kept);

private:
    std::size_t m_mostBytes;
    std::uint64_t m_last = 0;
    std::vector<BaselineEntry> m_entries;
};

} // namespace stepwell::ui
