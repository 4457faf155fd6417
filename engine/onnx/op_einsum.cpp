// Einsum: its equation is written out in letters, each of which stands for one axis, and becomes a contraction.

#include "engine/onnx/handlers.h"

#include <algorithm>
#include <map>

namespace sw::onnx {

namespace {

constexpr std::string_view kDots = "...";

struct Equation {
    std::vector<std::string> operands;
    std::optional<std::string> result;
};

Equation splitEquation(std::string_view text)
{
    std::string dense;
    std::ranges::copy_if(text, std::back_inserter(dense), [](char c) { return c != ' '; });
    Equation equation;
    std::string_view left = dense;
    if (const std::size_t arrow = left.find("->"); arrow != std::string_view::npos) {
        equation.result = std::string(left.substr(arrow + 2));
        left = left.substr(0, arrow);
    }
    for (std::size_t begin = 0; begin <= left.size();) {
        const std::size_t comma = std::min(left.find(',', begin), left.size());
        equation.operands.emplace_back(left.substr(begin, comma - begin));
        begin = comma + 1;
    }
    return equation;
}

// Letters that the equation does not use stand for the axes of "...", the same ones counted from the last.
std::string unusedLetters(std::string_view equation)
{
    std::string letters;
    for (const std::string_view range : {"ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz"})
        std::ranges::copy_if(range, std::back_inserter(letters),
                             [&](char letter) { return equation.find(letter) == std::string_view::npos; });
    return letters;
}

struct Letters {
    std::vector<std::string> operands; // one letter for each axis
    std::string result;
};

class EquationReader {
public:
    explicit EquationReader(NodeCall &call) : m_call(call), m_text(call.text("equation", "")), m_free(unusedLetters(m_text)) {}

    Result<Letters> read()
    {
        const Equation equation = splitEquation(m_text);
        if (equation.operands.size() != m_call.operandCount())
            return m_call.error(Code::Argument, "equation '{}' has {} terms for {} inputs", m_text, equation.operands.size(),
                                m_call.operandCount());
        Letters letters;
        for (std::size_t i = 0; i < equation.operands.size(); ++i) {
            SW_TRY(std::string operand, lettersOf(equation.operands[i], m_call.shape(i).rank()));
            letters.operands.push_back(std::move(operand));
        }
        letters.result = equation.result ? withDots(*equation.result, m_mostDots) : implicitResult(letters.operands);
        return letters;
    }

private:
    Result<std::string> lettersOf(const std::string &term, std::size_t rank)
    {
        const bool hasDots = term.find(kDots) != std::string::npos;
        const std::size_t named = term.size() - (hasDots ? kDots.size() : 0);
        if (hasDots ? named > rank : named != rank)
            return m_call.error(Code::ShapeMismatch, "term '{}' of equation '{}' does not fit an input of rank {}", term, m_text,
                                rank);
        if (rank - named > m_free.size())
            return m_call.error(Code::Limit, "equation '{}' has more axes than there are letters", m_text);
        m_mostDots = std::max(m_mostDots, rank - named);
        return withDots(term, rank - named);
    }

    // The axes of "..." take the first free letters, so that the last axis has the letter 0 from the end.
    [[nodiscard]] std::string withDots(const std::string &term, std::size_t count) const
    {
        const std::size_t at = term.find(kDots);
        if (at == std::string::npos)
            return term;
        std::string dots = m_free.substr(0, count);
        std::ranges::reverse(dots);
        return term.substr(0, at) + dots + term.substr(at + kDots.size());
    }

    // Without "->": the axes of "...", then each letter that stands once, in alphabetical order.
    [[nodiscard]] std::string implicitResult(const std::vector<std::string> &operands) const
    {
        std::map<char, std::size_t> counts;
        for (const std::string &operand : operands)
            for (const char letter : operand)
                ++counts[letter];
        std::string dots = m_free.substr(0, m_mostDots);
        std::ranges::reverse(dots);
        std::string result = dots;
        for (const auto &[letter, count] : counts)
            if (count == 1 && dots.find(letter) == std::string::npos)
                result += letter;
        return result;
    }

    NodeCall &m_call;
    std::string m_text;
    std::string m_free;
    std::size_t m_mostDots = 0;
};

// A letter that stands twice in one term: only the diagonal counts.
Result<NodeId> withoutRepeats(NodeCall &call, NodeId input, std::string &letters)
{
    for (std::size_t second = 1; second < letters.size();) {
        const std::size_t first = letters.find(letters[second]);
        if (first == second) {
            ++second;
            continue;
        }
        SW_TRY(const language::Value made, call.callFunction("diagonal", {{language::TensorValue{input}},
                                                                          {static_cast<std::int64_t>(first), "first"},
                                                                          {static_cast<std::int64_t>(second), "second"}}));
        input = made.as<language::TensorValue>()->node;
        letters.erase(second, 1);
    }
    return input;
}

// An axis of extent 1 repeats along a longer one of the same letter, so it needs no letter at all.
Result<NodeId> withoutOnes(NodeCall &call, NodeId input, std::string &letters, const std::map<char, std::int64_t> &extents)
{
    std::vector<std::int64_t> kept;
    std::string named;
    for (std::size_t axis = 0; axis < letters.size(); ++axis) {
        if (call.shapeOf(input)[axis] == 1 && extents.at(letters[axis]) != 1)
            continue;
        kept.push_back(call.shapeOf(input)[axis]);
        named += letters[axis];
    }
    letters = std::move(named);
    return call.reshape(input, std::move(kept));
}

} // namespace

Result<Outputs> importEinsum(NodeCall &call)
{
    SW_TRY(Letters letters, EquationReader(call).read());
    std::vector<NodeId> inputs;
    std::map<char, std::int64_t> extents;
    for (std::size_t i = 0; i < letters.operands.size(); ++i) {
        SW_TRY(const NodeId input, withoutRepeats(call, call.input(i), letters.operands[i]));
        for (std::size_t axis = 0; axis < letters.operands[i].size(); ++axis) {
            const auto [known, isNew] = extents.try_emplace(letters.operands[i][axis], call.shapeOf(input)[axis]);
            if (known->second == 1)
                known->second = call.shapeOf(input)[axis];
        }
        inputs.push_back(input);
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        SW_TRY(inputs[i], withoutOnes(call, inputs[i], letters.operands[i], extents));
    }
    const std::string subscripts = join(letters.operands, ",") + "->" + letters.result;
    SW_TRY(const NodeId result, call.builder().contract(call.origin(), inputs, subscripts));
    SW_TRY(const NodeId typed, call.cast(result, call.dtype(0)));
    return Outputs{typed};
}

} // namespace sw::onnx
