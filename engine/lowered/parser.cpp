#include "engine/lowered/parser.h"

#include "engine/base/assert.h"
#include "engine/lowered/instruction_reader.h"
#include "engine/lowered/line_reader.h"
#include "engine/lowered/type_rules.h"
#include "engine/lowered/verifier.h"

#include <optional>

namespace sw {

namespace {

constexpr std::size_t kMaxProblems = 40;

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
        std::uint32_t number = m_options.firstLine - 1;
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
        m_labels.made.clear();
        m_labels.poisoned.clear();
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
            m_labels.poisoned.insert(label);
            return;
        }
        if (!label.empty())
            m_labels.made.emplace(label, InstructionId(m_kernels.back().instructions.size()));
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
        else if (m_labels.made.contains(label))
            line.fail(Code::DuplicateName, labelPlace, format("%{} is made a second time", label));
        // A label that is not a number is the value's name.
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
        InstructionReader(line, instruction, m_labels).read();
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

    std::string_view m_text;
    const LoweredParseOptions &m_options;
    std::vector<LoweredKernel> m_kernels;
    Diagnostics m_problems;
    LoweredLabels m_labels;
    std::vector<SourceRange> m_places; // of the open kernel's instructions
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
