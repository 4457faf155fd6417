#pragma once
// What the passes below the schedule made in the compilations before, so that a compilation after an edit does again only what
// the edit changed. Everything is found by content: transformations by what choosing looks at, the body that a loop nest is
// lowered to by all that lowering looks at, and what a pass makes of a body by the body itself, which the stage before gave as
// the same object. It holds for one target; engine/pipeline/memo.h sees to that.

#include "engine/loops/loop_nest.h"
#include "engine/lowered/lowered.h"
#include "engine/passes/rewrite_log.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sw {

class PassContext;

// Returns the rewritten kernel, or nothing if there is nothing to do.
using KernelPass = std::optional<LoweredKernel> (*)(const LoweredKernel &kernel, PassContext &context);

// A table whose entries are forgotten when neither this round nor the one before asked for them. Pointers into it are valid until
// the round ends.
template <class Key, class Value, class Hash = std::hash<Key>>
class RecentTable {
public:
    // Null: not known.
    [[nodiscard]] const Value *find(const Key &key)
    {
        const auto known = m_entries.find(key);
        if (known == m_entries.end())
            return nullptr;
        known->second.lastUse = m_round;
        return &known->second.value;
    }
    void keep(Key key, Value value) { m_entries.insert_or_assign(std::move(key), Entry{std::move(value), m_round, true}); }
    // What a round kept that failed is forgotten. Such a round is not counted: it may not have come as far as to ask for all.
    void endRound(bool succeeded)
    {
        std::erase_if(m_entries,
                      [&](const auto &entry) { return succeeded ? entry.second.lastUse + 1 < m_round : entry.second.isNew; });
        if (!succeeded)
            return;
        for (auto &[key, entry] : m_entries)
            entry.isNew = false;
        ++m_round;
    }
    [[nodiscard]] std::size_t size() const { return m_entries.size(); }
    template <class Visit>
    void forEach(const Visit &visit) const
    {
        for (const auto &[key, entry] : m_entries)
            visit(entry.value);
    }

private:
    struct Entry {
        Value value;
        std::uint64_t lastUse = 0; // a round
        bool isNew = false;        // kept in this round
    };

    std::unordered_map<Key, Entry, Hash> m_entries;
    std::uint64_t m_round = 0;
};

// What a body has of the first kernel that it was made for. Nothing that lowering and the passes do depends on it.
struct BodyIdentity {
    KernelId kernel;
    std::string name;
    std::vector<BufferId> arguments = {};
    std::vector<std::string> argumentNames = {};
    bool operator==(const BodyIdentity &) const = default;
};

class KernelMemo {
public:
    using Body = KernelList::Body;

    // What lowering or a pass made of one body, and the rewrites that it counted, which are all of the body's kernel.
    struct Made {
        Body body; // null: the pass left it as it was
        std::shared_ptr<const RewriteLog> log;
    };

    // Nothing or null where it is not known.
    [[nodiscard]] const std::vector<Transform> *chosen(const std::string &choiceKey) { return m_chosen.find(choiceKey); }
    // The body of a nest with that structure, in which it is called by this identity.
    [[nodiscard]] std::optional<Made> lowered(const std::string &structure, const BodyIdentity &identity);
    [[nodiscard]] std::optional<Made> rewritten(KernelPass pass, const Body &body);
    // A compilation before has verified it; its arguments belong to the program, and were not looked at.
    [[nodiscard]] bool isSound(const Body &body) const;
    // It was made for the memo in this compilation or before. No other body will be met again as the same object.
    [[nodiscard]] bool gave(const Body &body) const { return m_bodies.contains(body); }

    void keepChosen(const std::string &choiceKey, std::vector<Transform> transforms)
    {
        m_chosen.keep(choiceKey, std::move(transforms));
    }
    void keepLowered(const std::string &structure, Made made);
    void keepRewritten(KernelPass pass, const Body &body, Made made); // gave(body)

    // succeeded: every stage was verified.
    void endCompilation(bool succeeded);
    [[nodiscard]] std::size_t size() const { return m_chosen.size() + m_lowered.size() + m_rewritten.size(); }

private:
    struct Rewriting {
        KernelPass pass = nullptr;
        Body body;
        bool operator==(const Rewriting &) const = default;
    };
    struct RewritingHash {
        std::size_t operator()(const Rewriting &of) const
        {
            return std::hash<KernelPass>()(of.pass) * 31 + std::hash<Body>()(of.body);
        }
    };

    [[nodiscard]] const Body &keptFor(const Body &body) const;
    [[nodiscard]] Body calledBy(const BodyIdentity &identity, const Body &kept);

    RecentTable<std::string, std::vector<Transform>> m_chosen;
    RecentTable<std::string, Made> m_lowered;
    RecentTable<Rewriting, Made, RewritingHash> m_rewritten;
    std::unordered_map<Body, bool> m_bodies; // those in the tables; whether they are sound
    // Copies that this compilation was given, because its numbers and names are others than when the body was made; each with the
    // body that is kept.
    std::unordered_map<Body, Body> m_copies;
};

} // namespace sw
