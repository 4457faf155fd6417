#pragma once
// Where things come from. Every item of every stage carries an Origin: the non-empty, sorted set of source items that it was made
// for. Two items of different stages belong together when their origins share a source item. A SourceId names an expression of
// the user's program in its call context (or a node of an imported model), so one line of a library function that is called
// twice makes two source items.

#include "engine/base/diagnostic.h"
#include "engine/base/id.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sw {

class Origin {
public:
    explicit Origin(SourceId source);
    explicit Origin(std::vector<SourceId> sources); // at least one; sorted and made unique here

    // Both origins together. An item that stands for the whole program (a kernel's frame, say) is made for all of its parts.
    [[nodiscard]] static Origin merged(const Origin &a, const Origin &b);

    [[nodiscard]] std::span<const SourceId> sources() const { return m_many ? std::span(*m_many) : std::span(&m_one, 1); }
    [[nodiscard]] bool contains(SourceId source) const;
    [[nodiscard]] bool meets(const Origin &other) const;
    bool operator==(const Origin &other) const;
    // Both are one list in memory. Equal ones may be two.
    [[nodiscard]] bool isSameAs(const Origin &other) const { return m_many == other.m_many && m_one == other.m_one; }

private:
    // Nodes and instructions are copied in each pass, and with them their origins.
    SourceId m_one;                                      // the first
    std::shared_ptr<const std::vector<SourceId>> m_many; // shared by copies; null: there is only one
};

struct SourceFile {
    std::string name; // as given by the user; "library/nn.sw" for the library
    std::string text; // what the program stage shows
};

// A named call ("layer", "softmax") or a level of an imported model's node names ("/block1/conv"); scopes nest.
struct Scope {
    std::string name;
    ScopeId parent; // invalid for the top level
    SourceId call;  // the call that opened the scope; invalid for imported models and the top level
};

struct SourceItem {
    FileId file;
    SourceRange range;
    ScopeId scope;     // the scope that contains the item
    SourceId caller;   // the call expression whose body contains the item; invalid at the top level
    std::string label; // "softmax", "x @ w", "Conv_3": the item's name in lists
};

// The table that origins point into. A front end builds it; then it is immutable, and all stages of a compilation share it.
class SourceMap {
public:
    SourceMap();

    FileId addFile(SourceFile file);
    ScopeId addScope(Scope scope);
    SourceId addItem(SourceItem item);

    [[nodiscard]] const SourceFile &file(FileId id) const { return m_files.at(id.value); }
    [[nodiscard]] const Scope &scope(ScopeId id) const { return m_scopes.at(id.value); }
    [[nodiscard]] const SourceItem &item(SourceId id) const { return m_items.at(id.value); }
    [[nodiscard]] std::span<const SourceFile> files() const { return m_files; }
    [[nodiscard]] std::span<const Scope> scopes() const { return m_scopes; }
    [[nodiscard]] std::span<const SourceItem> items() const { return m_items; }

    // The top-level scope, which always exists. The program itself is file 0 once it has been added.
    [[nodiscard]] static ScopeId rootScope() { return ScopeId(0U); }
    [[nodiscard]] static FileId programFile() { return FileId(0U); }

    // The place in the user's own program (file 0): the item's own place, or the place of the call that led to it.
    [[nodiscard]] SourceRange programRange(SourceId id) const;
    [[nodiscard]] SourceRange programRange(const Origin &origin) const;

    // "layer/softmax"; empty at the top level.
    [[nodiscard]] std::string scopePath(ScopeId id) const;

private:
    std::vector<SourceFile> m_files;
    std::vector<Scope> m_scopes;
    std::vector<SourceItem> m_items;
};

using SourceMapPtr = std::shared_ptr<const SourceMap>;

} // namespace sw
