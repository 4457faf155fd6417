#include "engine/api/describe.h"
#include "engine/api/describe_common.h"
#include "engine/base/parallel.h"
#include "engine/lowered/kernel_origin.h"
#include "engine/lowered/printer.h"

#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace sw {

namespace {

constexpr std::size_t kFrameLines = 2; // of each kernel: its first and its last

std::string typeOf(const Instruction &instruction)
{
    if (!infoOf(instruction.kind).makesValue)
        return {};
    return instruction.lanes == 1 ? std::string(nameOf(instruction.dtype))
                                  : format("{}x{}", nameOf(instruction.dtype), instruction.lanes);
}

bool isTranscendental(const Instruction &instruction)
{
    return instruction.kind == InstructionKind::Alu && has(infoOf(instruction.op).traits, Trait::Transcendental);
}

// "alu", "transcendental", "vector"
std::vector<std::string> tagsOf(const Instruction &instruction)
{
    std::vector<std::string> tags{std::string(nameOf(instruction.kind))};
    if (isTranscendental(instruction))
        tags.emplace_back("transcendental");
    if (instruction.lanes > 1)
        tags.emplace_back("vector");
    return tags;
}

std::vector<DocumentField> fieldsOf(const Instruction &instruction, const std::string &kernel)
{
    const bool isAlu = instruction.kind == InstructionKind::Alu;
    std::vector<DocumentField> fields{{"kernel", kernel}};
    if (std::string type = typeOf(instruction); !type.empty())
        fields.push_back({"type", std::move(type)});
    fields.push_back({"what it does", std::string(isAlu ? infoOf(instruction.op).doc : infoOf(instruction.kind).doc)});
    return fields;
}

// Gives equal keys the same number, from 0 on, and keeps a value that was met with each.
template <class Key, class Value, class Less = std::less<Key>>
class Numbers {
public:
    std::uint32_t of(const Key &key, const Value &value)
    {
        const auto [found, isNew] = m_numbers.try_emplace(key, static_cast<std::uint32_t>(m_numbers.size()));
        if (isNew)
            m_values.push_back(value);
        return found->second;
    }
    // A list of each.
    template <class List, class Make>
    [[nodiscard]] std::vector<List> lists(const Make &make) const
    {
        std::vector<List> made;
        for (const Value &value : m_values)
            made.emplace_back(make(value));
        return made;
    }

private:
    std::map<Key, std::uint32_t, Less> m_numbers;
    std::vector<Value> m_values;
};

struct LessOrigin {
    bool operator()(const Origin *a, const Origin *b) const
    {
        return std::ranges::lexicographical_compare(a->sources(), b->sources());
    }
};

// What the items of all kernels with one body have in common: a program has hundreds of kernels, and few bodies.
class BodyItems {
public:
    BodyItems(const LoweredProgram &program, std::size_t firstKernel)
        : m_body(program.kernels.bodyOf(firstKernel)), m_printer(program.kernels, firstKernel)
    {
        m_items.reserve(m_body.instructions.size());
        for (std::size_t i = 0; i < m_body.instructions.size(); ++i)
            add(m_body.instructions[i], i);
    }

    // Writes the items and the lines of a kernel to where they stand in the document.
    void write(const LoweredProgram &program, std::size_t kernel, StageDocument &document, ItemIndex firstItem,
               std::size_t firstLine) const
    {
        writeItems(program, kernel, document, firstItem);
        const LoweredText text = m_printer.print(kernel);
        forEachLine(text.text, [&](std::size_t number, std::string_view line) {
            DocumentLine &to = document.lines[firstLine + number];
            to.text = line;
            const InstructionId instruction = text.lineInstructions.at(number);
            if (!instruction.isValid())
                return;
            to.item = firstItem + instruction.value;
            const auto at = static_cast<std::uint32_t>(firstLine + number + 1);
            document.items[to.item].place = {at, 1, at, static_cast<std::uint32_t>(line.size()) + 1};
        });
    }

private:
    struct Item {
        std::string label;
        std::string detail;
        std::uint32_t fields = 0; // numbers in lists that each kernel has of its own
        std::uint32_t tags = 0;
        std::uint32_t sources = 0;
    };

    void add(const Instruction &instruction, std::size_t number)
    {
        const bool isAlu = instruction.kind == InstructionKind::Alu;
        Item item;
        item.label = "%" + std::to_string(number) + " ";
        item.label += isAlu ? nameOf(instruction.op) : nameOf(instruction.kind);
        item.detail = typeOf(instruction);
        const Op op = isAlu ? instruction.op : Op{};
        item.fields = m_fields.of({instruction.kind, op, instruction.dtype, instruction.lanes}, &instruction);
        item.tags = m_tags.of({instruction.kind, isTranscendental(instruction), instruction.lanes > 1}, &instruction);
        const bool isLast = m_last != nullptr && m_last->isSameAs(instruction.origin); // neighbours often have the same
        item.sources = isLast ? m_items.back().sources : m_origins.of(&instruction.origin, &instruction.origin);
        m_last = &instruction.origin;
        m_items.push_back(std::move(item));
    }

    void writeItems(const LoweredProgram &program, std::size_t kernel, StageDocument &document, ItemIndex firstItem) const
    {
        const KernelBinding *binding = program.kernels.bindingOf(kernel); // null: the body is the kernel
        const std::string &name = binding == nullptr ? m_body.name : binding->name;
        // Not shared by the kernels: threads that count the users of one list would wait for each other.
        const auto fields =
            m_fields.lists<SharedList<DocumentField>>([&](const Instruction *one) { return fieldsOf(*one, name); });
        const auto tags = m_tags.lists<SharedList<std::string>>([](const Instruction *one) { return tagsOf(*one); });
        const auto sources = m_origins.lists<SharedList<std::uint32_t>>(
            [&](const Origin *origin) { return sourcesOf(binding == nullptr ? *origin : originOf(*binding, *origin)); });
        const std::uint32_t index = indexOf(binding == nullptr ? m_body.kernel : binding->kernel);
        for (std::size_t i = 0; i < m_items.size(); ++i) {
            const auto at = static_cast<ItemIndex>(firstItem + i);
            DocumentItem &item = document.items[at];
            item.label = m_items[i].label;
            item.detail = m_items[i].detail;
            item.fields = fields[m_items[i].fields];
            item.tags = tags[m_items[i].tags];
            item.sources = sources[m_items[i].sources];
            item.kernel = index;
            item.instruction = at;
            const Instruction &instruction = m_body.instructions[i];
            if (instruction.kind != InstructionKind::DefineGlobal)
                continue;
            if (const BufferId buffer = program.kernels.argumentsOf(kernel)[instruction.argument]; buffer.isValid())
                item.node = program.schedule->buffer(buffer).node.value;
        }
    }

    const LoweredKernel &m_body;
    SharedBodyPrinter m_printer;
    std::vector<Item> m_items; // by instruction
    Numbers<std::tuple<InstructionKind, Op, DType, std::uint32_t>, const Instruction *> m_fields;
    Numbers<std::tuple<InstructionKind, bool, bool>, const Instruction *> m_tags;
    Numbers<const Origin *, const Origin *, LessOrigin> m_origins;
    const Origin *m_last = nullptr;
};

} // namespace

StageDocumentPtr describeLowered(const LoweredProgram &program, const std::stop_token &stop)
{
    StageDocument document;
    document.kind = StageKind::Lowered;
    document.title = "Lowered";
    const std::size_t kernels = program.kernels.size();
    const std::vector<ItemIndex> firstItems = firstInstructionItems(program);
    // By kernel, and the end. Each instruction has a line; there is an empty one between two kernels.
    const auto firstLineOf = [&](std::size_t kernel) { return firstItems[kernel] + (kFrameLines + 1) * kernel; };

    std::vector<std::size_t> firstKernels(program.kernels.bodies().size(), kernels); // by body
    for (std::size_t i = kernels; i-- > 0;)
        firstKernels[program.kernels.bodyNumberOf(i)] = i;
    std::vector<std::unique_ptr<BodyItems>> bodies(firstKernels.size());
    inParallel(bodies.size(), [&](std::size_t i) {
        if (!stop.stop_requested() && firstKernels[i] < kernels)
            bodies[i] = std::make_unique<BodyItems>(program, firstKernels[i]);
    });
    if (kernels > 0 && !stop.stop_requested()) {
        const std::size_t items = firstItems.back() + program.kernels.bodyOf(kernels - 1).instructions.size();
        document.items.resize(items);
        document.lines.resize(items + (kFrameLines + 1) * kernels - 1);
        inParallel(kernels, [&](std::size_t i) {
            if (!stop.stop_requested())
                bodies[program.kernels.bodyNumberOf(i)]->write(program, i, document, firstItems[i], firstLineOf(i));
        });
    }
    return std::make_shared<const StageDocument>(std::move(document));
}

} // namespace sw
