#include "engine/api/catalog.h"

#include "engine/base/text.h"
#include "engine/graph/graph.h"
#include "engine/lowered/lowered.h"
#include "engine/passes/lowered/decompose_rules.h"
#include "engine/pipeline/pipeline.h"

#include <algorithm>
#include <array>

namespace sw {

namespace {

using Details = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view kTypes = "Element types";
constexpr std::string_view kOperations = "Operations";
constexpr std::string_view kNodes = "Graph nodes";
constexpr std::string_view kInstructions = "Lowered instructions";
constexpr std::string_view kPasses = "Passes";

void add(Details &details, std::string name, std::string value)
{
    if (!value.empty())
        details.emplace_back(std::move(name), std::move(value));
}

std::string commaSeparated(std::string_view words)
{
    std::string text(words);
    for (std::size_t at = text.find(' '); at != std::string::npos; at = text.find(' ', at + 2))
        text.insert(at, 1, ',');
    return text;
}

CatalogEntry typeEntry(DType dtype)
{
    const DTypeInfo &info = infoOf(dtype);
    CatalogEntry entry{std::string(kTypes), std::string(info.name), std::string(info.doc), {}};
    add(entry.details, "bytes", format("{}", info.bytes));
    add(entry.details, "also written", commaSeparated(info.alias));
    if (isFloat(dtype) || isInteger(dtype)) {
        add(entry.details, "lowest", toText(lowestOf(dtype)));
        add(entry.details, "highest", toText(isFloat(dtype) ? largestFiniteOf(dtype) : highestOf(dtype)));
    }
    return entry;
}

std::string acceptedText(Op op)
{
    std::vector<std::string_view> names;
    if (accepts(op, DType::Bool))
        names.emplace_back("bool");
    if (accepts(op, DType::I32))
        names.emplace_back("integers");
    if (accepts(op, DType::F32))
        names.emplace_back("floats");
    if (accepts(op, DType::U32x4))
        names.emplace_back("u32x4");
    return join(names, ", ");
}

std::string traitsText(Op op)
{
    static constexpr std::array<std::pair<Trait, std::string_view>, 4> kRows = {{{Trait::Commutative, "commutative"},
                                                                                 {Trait::Associative, "associative"},
                                                                                 {Trait::Idempotent, "idempotent"},
                                                                                 {Trait::ReduceOp, "can reduce an axis"}}};
    std::vector<std::string_view> names;
    for (const auto &[trait, name] : kRows)
        if (has(infoOf(op).traits, trait))
            names.push_back(name);
    return join(names, ", ");
}

std::string identityText(OpIdentity identity)
{
    switch (identity) {
    case OpIdentity::None:
        return {};
    case OpIdentity::Zero:
        return "0";
    case OpIdentity::One:
        return "1";
    case OpIdentity::Half:
        return "0.5, of floats";
    case OpIdentity::IntegerOne:
        return "1, of integers";
    case OpIdentity::Lowest:
        return "the lowest value";
    case OpIdentity::Highest:
        return "the highest value";
    case OpIdentity::AllOnes:
        return "all bits set";
    }
    SW_UNREACHABLE();
}

// The operand type that the operation is usually computed in.
DType exampleType(Op op)
{
    for (const DType dtype : {DType::F32, DType::I32, DType::Bool})
        if (accepts(op, dtype))
            return dtype;
    return DType::U32x4;
}

std::string formulaText(Op op)
{
    for (const DecompositionRule &rule : decompositionRules())
        if (rule.op == op)
            return std::string(rule.doc);
    return {};
}

CatalogEntry operationEntry(Op op)
{
    const OpInfo &info = infoOf(op);
    CatalogEntry entry{std::string(kOperations), std::string(info.name), std::string(info.doc), {}};
    add(entry.details, "operands", format("{}", info.arity));
    add(entry.details, "symbol", info.symbol.empty() ? "" : format("`{}`", info.symbol));
    add(entry.details, "accepts", acceptedText(op));
    add(entry.details, "gives", info.result == OpResult::Bool ? "bool" : "the operands' type");
    add(entry.details, "identity", identityText(info.identity));
    add(entry.details, "neutral on the left", identityText(info.leftNeutral));
    add(entry.details, "neutral on the right", identityText(info.rightNeutral));
    add(entry.details, "homogeneous", isHomogeneous(op) ? "" : "no: the first operand is bool");
    add(entry.details, "traits", traitsText(op));
    const DType dtype = exampleType(op);
    for (const auto &[language, title] : {std::pair{TargetLanguage::Llvm, "LLVM IR"}, std::pair{TargetLanguage::C, "C"},
                                          std::pair{TargetLanguage::OpenCl, "OpenCL C"}}) {
        const std::string_view spelling = spellingOf(op, language, dtype);
        add(entry.details, title, spelling.empty() ? "" : format("`{}`", spelling));
    }
    if (spellingOf(op, TargetLanguage::Llvm, dtype).empty())
        add(entry.details, "decomposed", formulaText(op));
    add(entry.details, "price", info.price == 1 ? "" : format("{} vector instructions", info.price));
    return entry;
}

std::string_view familyText(NodeFamily family)
{
    switch (family) {
    case NodeFamily::Leaf:
        return "no inputs";
    case NodeFamily::Elementwise:
        return "elementwise";
    case NodeFamily::Movement:
        return "a view: index arithmetic in the kernels that read it";
    case NodeFamily::Reduce:
        return "a reduction";
    case NodeFamily::Structural:
        return "structural";
    case NodeFamily::Indexing:
        return "reads at computed places";
    case NodeFamily::Composite:
        return "written as simpler nodes by a pass before scheduling";
    case NodeFamily::Marker:
        return "its input itself; taken away by a pass before scheduling";
    case NodeFamily::Root:
        return "the root of the graph";
    }
    SW_UNREACHABLE();
}

std::string countText(std::size_t least, std::size_t most)
{
    if (least == most)
        return format("{}", least);
    return most == kAnyInputs ? format("{} or more", least) : format("{} to {}", least, most);
}

CatalogEntry nodeEntry(NodeKind kind)
{
    const NodeKindInfo &info = infoOf(kind);
    CatalogEntry entry{std::string(kNodes), std::string(info.name), std::string(info.doc), {}};
    add(entry.details, "inputs", countText(info.minInputs, info.maxInputs));
    add(entry.details, "kind", std::string(familyText(info.family)));
    return entry;
}

CatalogEntry instructionEntry(InstructionKind kind)
{
    const InstructionKindInfo &info = infoOf(kind);
    CatalogEntry entry{std::string(kInstructions), std::string(info.name), std::string(info.doc), {}};
    add(entry.details, "operands", info.operands == kAnyOperands ? "1 or more" : format("{}", info.operands));
    add(entry.details, "makes a value", info.makesValue ? "yes" : "no");
    return entry;
}

CatalogEntry passEntry(const PassInfo &pass)
{
    return {std::string(kPasses), std::string(pass.id), std::string(pass.doc), {{"title", std::string(pass.title)}}};
}

// Escapes bars, which would end a cell of a table.
std::string cellText(std::string text)
{
    for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2))
        text.insert(at, 1, '\\');
    return text;
}

} // namespace

std::vector<CatalogEntry> catalog()
{
    std::vector<CatalogEntry> entries;
    for (const DType dtype : allDTypes())
        entries.push_back(typeEntry(dtype));
    for (const Op op : allOps())
        entries.push_back(operationEntry(op));
    for (const NodeKind kind : allNodeKinds())
        entries.push_back(nodeEntry(kind));
    for (const InstructionKind kind : allInstructionKinds())
        entries.push_back(instructionEntry(kind));
    for (const PassInfo &pass : standardPipeline())
        entries.push_back(passEntry(pass));
    return entries;
}

std::string catalogMarkdown()
{
    const std::vector<CatalogEntry> entries = catalog();
    std::string out =
        "# Reference\n\nEvery element type, operation, graph node, lowered instruction and pass, written from the tables "
        "that the compiler itself reads.\nTypes and passes are in their order: of promotion, and of running.\n";
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const CatalogEntry &entry = entries[i];
        if (i == 0 || entry.section != entries[i - 1].section)
            out += format("\n## {}\n\n| name | meaning | |\n|---|---|---|\n", entry.section);
        out += format("| `{}` | {} | {} |\n", cellText(entry.name), cellText(entry.summary),
                      cellText(join(entry.details, "; ",
                                    [](const auto &detail) { return format("{}: {}", detail.first, detail.second); })));
    }
    return out;
}

} // namespace sw
