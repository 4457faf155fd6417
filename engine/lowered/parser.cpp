#include "engine/lowered/parser.h"

#include "engine/base/assert.h"
#include "engine/lowered/line_reader.h"
#include "engine/lowered/type_rules.h"
#include "engine/lowered/verifier.h"

#include <unordered_map>
#include <unordered_set>

namespace sw {

namespace {

constexpr std::size_t kMaxProblems = 40;
constexpr std::int64_t kMaxElements = std::int64_t{1} << 60;
constexpr std::int64_t kMaxId = Id<KernelTag>::kInvalid;

std::optional<SpecialIndex> specialNamed(std::string_view name)
{
    for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(SpecialIndex::GroupZ); ++i)
        if (nameOf(static_cast<SpecialIndex>(i)) == name)
            return static_cast<SpecialIndex>(i);
    return std::nullopt;
}

std::optional<InstructionKind> kindNamed(std::string_view name)
{
    for (const InstructionKind kind : allInstructionKinds())
        if (nameOf(kind) == name && kind != InstructionKind::Alu)
            return kind;
    return std::nullopt;
}

class Parser {
public:
    Parser(std::string_view text, const LoweredParseOptions &options) : m_text(text), m_options(options) {}

    [[nodiscard]] Result<std::vector<LoweredKernel>> run()
    {
        std::uint32_t number = 0;
        while (!m_text.empty() && m_problems.size() < kMaxProblems) {
            const std::size_t end = m_text.find('\n');
            LineReader line(m_text.substr(0, end), m_options.file, ++number);
            m_text.remove_prefix(end == std::string_view::npos ? m_text.size() : end + 1);
            if (!line.atEnd())
                readLine(line);
            if (line.hasFailed() && !line.problem()->message.empty()) // empty: told at another line
                m_problems.push_back(*line.problem());
        }
        if (m_isOpen && m_problems.size() < kMaxProblems)
            m_problems.push_back(Diagnostic::error(Code::Syntax, m_kernelPlace, "the kernel is not closed by \"end\""));
        if (!m_problems.empty())
            return Failure(std::move(m_problems));
        return std::move(m_kernels);
    }

private:
    void readLine(LineReader &line)
    {
        if (!m_isOpen) {
            readKernelLine(line);
            return;
        }
        if (line.takeWord("end")) {
            closeLine(line);
            return;
        }
        readInstruction(line);
    }

    void readKernelLine(LineReader &line)
    {
        if (!line.takeWord("kernel")) {
            line.fail(Code::Syntax, line.wholeLine(), "found a line outside of a kernel where \"kernel\" is expected");
            return;
        }
        m_isOpen = true;
        m_kernelPlace = line.wholeLine();
        m_labels.clear();
        m_poisoned.clear();
        m_places.clear();
        m_kernelFailedBefore = m_problems.size();
        m_kernels.push_back({.kernel = {},
                             .name = line.quotedText(),
                             .symbol = {},
                             .instructions = {},
                             .arguments = {},
                             .globalSize = {1, 1, 1},
                             .localSize = {1, 1, 1},
                             .origin = Origin(SourceId(0U))});
        LoweredKernel &kernel = m_kernels.back();
        expectWord(line, "symbol");
        kernel.symbol = line.quotedText();
        expectWord(line, "id");
        kernel.kernel = KernelId(static_cast<std::uint32_t>(line.number(0, kMaxId)));
        expectWord(line, "global");
        kernel.globalSize = readSize(line, 0);
        expectWord(line, "local");
        kernel.localSize = readSize(line, 1);
        expectWord(line, "arguments");
        readArguments(line, kernel);
        if (line.takeWord("device"))
            kernel.device = DeviceSlot(static_cast<std::uint32_t>(line.number(0, kMaxId)));
        kernel.origin = readOrigin(line);
    }

    static void readArguments(LineReader &line, LoweredKernel &kernel)
    {
        line.expect('[');
        while (!line.hasFailed() && !line.take(']')) {
            if (!kernel.arguments.empty())
                line.expect(',');
            kernel.arguments.emplace_back(static_cast<std::uint32_t>(line.number(0, kMaxId)));
        }
    }

    static std::array<std::int64_t, 3> readSize(LineReader &line, std::int64_t low)
    {
        std::array<std::int64_t, 3> size{1, 1, 1};
        for (std::size_t i = 0; i < 3; ++i) {
            line.expect(i == 0 ? '[' : ',');
            size[i] = line.number(low, kMaxElements);
        }
        line.expect(']');
        return size;
    }

    void closeLine(LineReader &line)
    {
        m_isOpen = false;
        if (!line.atEnd()) {
            line.fail(Code::Syntax, line.wholeLine(), "found more behind \"end\"");
            return;
        }
        if (m_problems.size() > m_kernelFailedBefore)
            return;
        const auto verified = verifyLowered(m_kernels.back(), m_places);
        if (!verified)
            m_problems.insert(m_problems.end(), verified.error().begin(), verified.error().end());
    }

    void readInstruction(LineReader &line)
    {
        const SourceRange place = line.wholeLine();
        std::string label;
        SourceRange labelPlace;
        if (line.nextIs('%')) {
            label = line.value();
            labelPlace = line.lastToken();
            line.expect('=');
        }
        Instruction instruction{.origin = Origin(SourceId(0U))};
        readBody(line, instruction);
        if (line.takeWord("name"))
            instruction.name = line.quotedText();
        instruction.origin = readOrigin(line);
        checkLabel(line, instruction, label, labelPlace);
        if (!line.hasFailed())
            if (const auto problem = typeProblemOf(instruction, m_kernels.back().instructions))
                line.fail(Code::InvalidIr, place, format("{} {}", nameOf(instruction.kind), *problem));
        if (line.hasFailed()) {
            m_poisoned.insert(label);
            return;
        }
        if (!label.empty())
            m_labels.emplace(label, InstructionId(m_kernels.back().instructions.size()));
        m_kernels.back().instructions.push_back(std::move(instruction));
        m_places.push_back(place);
    }

    void checkLabel(LineReader &line, Instruction &instruction, const std::string &label, const SourceRange &labelPlace)
    {
        if (line.hasFailed())
            return;
        const bool makesValue = infoOf(instruction.kind).makesValue;
        if (makesValue && label.empty())
            line.fail(Code::Syntax, line.wholeLine(),
                      format("{} makes a value, which needs a name: %name = ...", nameOf(instruction.kind)));
        else if (!makesValue && !label.empty())
            line.fail(Code::Syntax, labelPlace,
                      format("{} makes no value that could be called %{}", nameOf(instruction.kind), label));
        else if (m_labels.contains(label))
            line.fail(Code::DuplicateName, labelPlace, format("%{} is made a second time", label));
        // A label that is no number is the value's name.
        if (!label.empty() && (label.front() < '0' || label.front() > '9') && instruction.name.empty())
            instruction.name = label;
    }

    void readBody(LineReader &line, Instruction &instruction)
    {
        const std::string_view name = line.word("an instruction");
        if (line.hasFailed())
            return;
        if (const auto op = opNamed(name)) {
            instruction.kind = InstructionKind::Alu;
            instruction.op = *op;
        } else if (const auto kind = kindNamed(name)) {
            instruction.kind = *kind;
        } else {
            line.fail(Code::UnknownName, line.lastToken(), format("there is no instruction or operation {}", quoted(name)));
            return;
        }
        readFields(line, instruction);
    }

    void readFields(LineReader &line, Instruction &instruction)
    {
        switch (instruction.kind) {
        case InstructionKind::DefineGlobal:
            readType(line, instruction);
            instruction.elements = readBracketed(line, 0, kMaxElements);
            expectWord(line, "argument");
            instruction.number = line.number(0, kMaxId);
            instruction.isWritten = line.takeWord("written");
            return;
        case InstructionKind::Buffer:
        case InstructionKind::Local:
            readType(line, instruction);
            instruction.number = readBracketed(line, 1, kMaxElements);
            return;
        case InstructionKind::Acc:
            readType(line, instruction);
            return;
        case InstructionKind::Const:
            readType(line, instruction);
            instruction.constants = {line.scalar(instruction.dtype)};
            return;
        case InstructionKind::Vconst:
            readType(line, instruction);
            for (std::uint32_t lane = 0; lane < instruction.lanes && !line.hasFailed(); ++lane) {
                line.expect(lane == 0 ? '[' : ',');
                instruction.constants.push_back(line.scalar(instruction.dtype));
            }
            line.expect(']');
            return;
        case InstructionKind::Special:
            readSpecial(line, instruction);
            return;
        case InstructionKind::Range:
            readOperand(line, instruction);
            if (line.takeWord("unroll"))
                instruction.unroll = static_cast<std::uint32_t>(line.number(1, 1 << 20));
            return;
        case InstructionKind::EndRange:
        case InstructionKind::If:
            readOperand(line, instruction);
            return;
        case InstructionKind::EndIf:
        case InstructionKind::Barrier:
        case InstructionKind::Noop:
            return;
        case InstructionKind::Load:
        case InstructionKind::MaskedLoad:
        case InstructionKind::Store:
            readAccess(line, instruction);
            return;
        case InstructionKind::Alu:
        case InstructionKind::Cast:
        case InstructionKind::Bitcast:
        case InstructionKind::Vectorize:
        case InstructionKind::Assign:
            readType(line, instruction);
            readOperandList(line, instruction);
            return;
        case InstructionKind::Gep:
            readType(line, instruction);
            readOperand(line, instruction);
            instruction.number = readBracketed(line, 0, kMaxLanes - 1);
            return;
        case InstructionKind::IndexCheck:
            readType(line, instruction);
            readOperand(line, instruction);
            expectWord(line, "bound");
            instruction.number = line.number(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
            expectWord(line, "axis");
            instruction.axis = static_cast<std::int32_t>(line.number(-1, 1 << 20));
            return;
        }
        SW_UNREACHABLE();
    }

    // "f32" or "f32x16"
    static void readType(LineReader &line, Instruction &instruction)
    {
        const std::string_view text = line.word("a type such as f32 or f32x16");
        if (line.hasFailed())
            return;
        const std::size_t cross = text.find('x');
        const auto dtype = dtypeNamed(text.substr(0, cross));
        std::uint32_t lanes = 1;
        bool isValid = dtype.has_value();
        if (isValid && cross != std::string_view::npos) {
            const std::string_view digits = text.substr(cross + 1);
            isValid = !digits.empty() && digits.size() <= 3 && digits.front() != '0';
            lanes = 0;
            for (const char digit : digits) {
                isValid = isValid && digit >= '0' && digit <= '9';
                lanes = isValid ? 10 * lanes + static_cast<std::uint32_t>(digit - '0') : 1;
            }
        }
        if (!isValid || lanes > kMaxLanes) {
            line.fail(Code::Syntax, line.lastToken(), format("{} is not a type such as f32 or f32x16", quoted(text)));
            return;
        }
        instruction.dtype = *dtype;
        instruction.lanes = lanes;
    }

    static std::int64_t readBracketed(LineReader &line, std::int64_t low, std::int64_t high)
    {
        line.expect('[');
        const std::int64_t number = line.number(low, high);
        line.expect(']');
        return number;
    }

    static void readSpecial(LineReader &line, Instruction &instruction)
    {
        const std::string_view name = line.word("an index such as global_x");
        if (line.hasFailed())
            return;
        if (const auto special = specialNamed(name))
            instruction.special = *special;
        else
            line.fail(Code::UnknownName, line.lastToken(), format("{} is not an index such as global_x", quoted(name)));
    }

    void readAccess(LineReader &line, Instruction &instruction)
    {
        readType(line, instruction);
        readOperand(line, instruction);
        line.expect('[');
        readOperand(line, instruction);
        line.expect(']');
        while (line.take(','))
            readOperand(line, instruction);
        instruction.isAligned = line.takeWord("aligned");
        if (line.takeWord("nontemporal"))
            instruction.hint = MemoryHint::NonTemporal;
    }

    void readOperandList(LineReader &line, Instruction &instruction)
    {
        do {
            readOperand(line, instruction);
        } while (!line.hasFailed() && line.take(','));
    }

    void readOperand(LineReader &line, Instruction &instruction)
    {
        const std::string name(line.value());
        if (line.hasFailed())
            return;
        const auto found = m_labels.find(name);
        if (found != m_labels.end())
            instruction.operands.push_back(found->second);
        else if (m_poisoned.contains(name)) // its own line says what is wrong
            line.fail(Code::UnknownName, line.lastToken(), {});
        else
            line.fail(Code::UnknownName, line.lastToken(), format("%{} is not made before it is used here", name));
    }

    Origin readOrigin(LineReader &line)
    {
        const SourceRange place = line.wholeLine();
        std::vector<SourceId> sources;
        if (line.takeWord("from")) {
            do {
                sources.emplace_back(static_cast<std::uint32_t>(line.number(0, kMaxId)));
            } while (!line.atEnd());
        } else if (!line.atEnd()) {
            line.fail(Code::Syntax, place, "the line has words that do not belong to its instruction");
        }
        if (line.hasFailed())
            return Origin(SourceId(0U));
        if (!sources.empty() && !m_options.ignoreFrom)
            return Origin(std::move(sources));
        if (m_options.originOf)
            return m_options.originOf(place);
        line.fail(Code::Syntax, place, "the line does not say where it comes from: \"from\" and source numbers are expected");
        return Origin(SourceId(0U));
    }

    static void expectWord(LineReader &line, std::string_view wanted)
    {
        const std::string_view found = line.word(quoted(wanted));
        if (!line.hasFailed() && found != wanted)
            line.fail(Code::Syntax, line.lastToken(), format("found {} where {} is expected", quoted(found), quoted(wanted)));
    }

    std::string_view m_text;
    const LoweredParseOptions &m_options;
    std::vector<LoweredKernel> m_kernels;
    Diagnostics m_problems;
    std::unordered_map<std::string, InstructionId> m_labels;
    std::unordered_set<std::string> m_poisoned; // labels of lines that failed
    std::vector<SourceRange> m_places;          // of the open kernel's instructions
    SourceRange m_kernelPlace;
    std::size_t m_kernelFailedBefore = 0;
    bool m_isOpen = false;
};

} // namespace

Result<std::vector<LoweredKernel>> parseLowered(std::string_view text, const LoweredParseOptions &options)
{
    return Parser(text, options).run();
}

Result<LoweredKernel> parseLoweredKernel(std::string_view text, const LoweredParseOptions &options)
{
    SW_TRY(auto kernels, parseLowered(text, options));
    if (kernels.size() != 1)
        return Diagnostic::error(Code::Syntax, SourceRange{options.file, 1, 1, 1, 1}, "found {} kernels where one is expected",
                                 kernels.size());
    return std::move(kernels.front());
}

} // namespace sw
