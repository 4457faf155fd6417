#include "engine/api/convert/open_dimensions.h"

#include "engine/api/convert/program_names.h"
#include "engine/api/convert/sized_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

namespace sw {

namespace {

using Sizes = std::vector<std::int64_t>;

constexpr std::int64_t kFirstLeast = 5; // no size that operators take for another thing, and all of them different
constexpr std::array<std::int64_t, 6> kBetween{2, 3, 4, 8, 17, 31};

struct Made {
    ConvertedProgram program;
    SizedText text;
};

std::string sizesText(const std::vector<std::string> &names, const Sizes &sizes)
{
    std::vector<std::string> each;
    for (std::size_t i = 0; i < names.size(); ++i)
        each.push_back(format("{} = {}", names[i], sizes[i]));
    return join(each, ", ", [](const std::string &text) { return text; });
}

// What a reader finds of a place in the text: the comment above its line, else the line.
std::string lineAround(std::string_view text, std::size_t at)
{
    const auto lineAt = [&](std::size_t end) {
        const std::size_t begin = end == 0 ? 0 : text.rfind('\n', end - 1) + 1; // npos + 1 is 0
        std::string_view line = text.substr(begin, text.find('\n', end) - begin);
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        return std::pair(begin, line);
    };
    const auto [begin, own] = lineAt(at);
    for (std::size_t end = begin; end > 0;) {
        const auto [before, line] = lineAt(end - 1);
        if (line.starts_with("# ") && before > 0)
            return std::string(line.substr(2));
        end = before;
    }
    return std::string(own);
}

std::string lineOfDifference(const std::string &a, const std::string &b)
{
    const auto [atA, atB] = std::ranges::mismatch(a, b);
    return lineAround(a, static_cast<std::size_t>(atA - a.begin()));
}

bool haveSameWeights(const NamedTensors &a, const NamedTensors &b)
{
    return std::ranges::equal(a, b, [](const auto &one, const auto &other) {
        return one.first == other.first && one.second.isIdenticalTo(other.second);
    });
}

// The line of the first text with what is between numbers in only one of them.
std::string lineOfOtherText(const Made &a, const Made &b)
{
    std::size_t at = 0;
    for (std::size_t part = 0; part < a.text.between.size(); ++part) {
        const std::string &own = a.text.between[part];
        const std::string other = part < b.text.between.size() ? b.text.between[part] : std::string();
        if (own != other)
            return lineAround(a.program.text, at + static_cast<std::size_t>(std::ranges::mismatch(own, other).in1 - own.begin()));
        at += own.size() + (part < a.text.numbers.size() ? format("{}", a.text.numbers[part]).size() : 0);
    }
    return lineAround(a.program.text, a.program.text.size());
}

// What two texts that are to differ only in numbers differ in otherwise.
std::optional<std::string> otherDifference(const Made &a, const Made &b)
{
    if (a.text.between != b.text.between)
        return lineOfOtherText(a, b);
    return haveSameWeights(a.program.weights, b.program.weights) ? std::nullopt : std::optional<std::string>("the weights");
}

class Generalizer {
public:
    Generalizer(const std::vector<std::string> &names, const ProgramOfSizes &program, const SameProgram &isSame)
        : m_names(names), m_program(program), m_isSame(isSame)
    {
    }

    Result<ConvertedProgram> run()
    {
        if (m_names.size() > kMostOpenDimensions)
            return Diagnostic::error(Code::Unsupported, {}, "there are {} of them, and at most {} are kept open", m_names.size(),
                                     kMostOpenDimensions);
        SW_CHECK(makeTerms());
        for (const std::int64_t size : kBetween) {
            Sizes sizes(m_names.size(), size);
            for (std::size_t i = 0; i < sizes.size(); ++i)
                sizes[i] += static_cast<std::int64_t>(i); // not all the same
            SW_CHECK(checkAt(sizes));
        }
        SW_CHECK(checkAt(Sizes(m_names.size(), kGreatestOpenSize)));
        // An extent of 1 is special to many operators.
        for (std::size_t i = 0; i < m_names.size(); ++i) {
            Sizes sizes(m_names.size(), kFirstLeast);
            sizes[i] = 1;
            m_least.push_back(checkAt(sizes) ? 1 : 2);
        }
        if (std::ranges::count(m_least, 1) > 1 && !checkAt(m_least))
            std::ranges::fill(m_least, 2);
        return written();
    }

private:
    Result<Made> madeAt(const Sizes &sizes) const
    {
        Result<ConvertedProgram> program = m_program(sizes);
        if (!program)
            return Diagnostic::error(Code::Unsupported, {}, "there is no program for {}: {}", sizesText(m_names, sizes),
                                     program.error().front().message);
        SizedText text = takenApart(program->text);
        return Made{std::move(*program), std::move(text)};
    }

    [[nodiscard]] Diagnostic differsAt(const Sizes &sizes, const std::string &line) const
    {
        return Diagnostic::error(Code::Unsupported, {}, "for {} the program is another one at: {}", sizesText(m_names, sizes),
                                 line);
    }

    Result<Done> makeTerms()
    {
        Sizes least;
        for (std::size_t i = 0; i < m_names.size(); ++i)
            least.push_back(kFirstLeast + 2 * static_cast<std::int64_t>(i));
        std::vector<Made> made;
        for (std::size_t subset = 0; subset < std::size_t{1} << m_names.size(); ++subset) {
            Sizes sizes = least;
            for (std::size_t i = 0; i < sizes.size(); ++i)
                sizes[i] += (subset >> i & 1U) != 0 ? 1 : 0;
            SW_TRY(Made one, madeAt(sizes));
            if (!made.empty())
                if (const auto line = otherDifference(made.front(), one))
                    return differsAt(sizes, *line);
            made.push_back(std::move(one));
        }
        for (std::size_t number = 0; number < made.front().text.numbers.size(); ++number) {
            Sizes values;
            for (const Made &one : made)
                values.push_back(one.text.numbers[number]);
            m_terms.emplace_back(std::move(values), least);
        }
        m_made = std::move(made.front());
        return Done{};
    }

    Result<Done> checkAt(const Sizes &sizes) const
    {
        SW_TRY(const Made made, madeAt(sizes));
        const std::string text = textAt(sizes);
        if (!haveSameWeights(m_made.program.weights, made.program.weights))
            return differsAt(sizes, "the weights");
        if (made.program.text == text)
            return Done{};
        ConvertedProgram other = made.program;
        other.text = text;
        if (m_isSame(made.program, other))
            return Done{};
        return differsAt(sizes, lineOfDifference(made.program.text, text));
    }

    // As the expressions say.
    [[nodiscard]] std::string textAt(const Sizes &sizes) const
    {
        std::string text;
        for (std::size_t number = 0; number < m_terms.size(); ++number)
            text += m_made.text.between[number] + format("{}", m_terms[number].valueAt(sizes));
        return text + m_made.text.between.back();
    }

    // Identifiers that the text does not have.
    [[nodiscard]] std::vector<std::string> identifiers() const
    {
        std::vector<std::string> taken;
        for (const std::string &name : m_names) {
            const std::string base = identifierOf(name);
            std::string own = base;
            const auto isTaken = [&](const std::string &tried) {
                return hasWord(m_made.program.text, tried) || std::ranges::find(taken, tried) != taken.end();
            };
            for (int i = 2; isTaken(own); ++i)
                own = format("{}_{}", base, i);
            taken.push_back(std::move(own));
        }
        return taken;
    }

    static bool hasWord(std::string_view text, std::string_view word)
    {
        const auto isOfName = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
        for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
            const std::size_t end = at + word.size();
            if ((at == 0 || !isOfName(text[at - 1])) && (end == text.size() || !isOfName(text[end])))
                return true;
        }
        return false;
    }

    // An expression stands alone between brackets, commas and colons, and in parentheses elsewhere.
    [[nodiscard]] bool standsAlone(std::size_t number) const
    {
        const auto nextOf = [](auto begin, auto end) {
            const auto found = std::find_if(begin, end, [](char c) { return c != ' '; });
            return found == end ? '\n' : *found;
        };
        const std::string &before = m_made.text.between[number];
        const std::string &after = m_made.text.between[number + 1];
        constexpr std::string_view kOpening = "[(,:=";
        constexpr std::string_view kClosing = "]),:\n";
        return kOpening.find(nextOf(before.rbegin(), before.rend())) != std::string_view::npos &&
               kClosing.find(nextOf(after.begin(), after.end())) != std::string_view::npos;
    }

    [[nodiscard]] std::string declarationComment(std::size_t dimension, const std::string &identifier) const
    {
        std::vector<std::string> facts;
        if (identifier != m_names[dimension])
            facts.push_back(sw::quoted(m_names[dimension]));
        if (m_least[dimension] > 1)
            facts.emplace_back("for 1 the model is another program");
        return facts.empty() ? std::string() : " # " + join(facts, ", ", [](const std::string &fact) { return fact; });
    }

    Result<ConvertedProgram> written()
    {
        const std::vector<std::string> names = identifiers();
        std::string text;
        for (std::size_t number = 0; number < m_terms.size(); ++number) {
            const SizeTerm &term = m_terms[number];
            const bool isBare = term.isConstant() || term.isOneName() || standsAlone(number);
            text += m_made.text.between[number] + (isBare ? term.text(names) : "(" + term.text(names) + ")");
        }
        text += m_made.text.between.back();
        std::string declarations;
        for (std::size_t i = 0; i < names.size(); ++i)
            declarations +=
                format("{}: dim[{}, {}]{}\n", names[i], m_least[i], kGreatestOpenSize, declarationComment(i, names[i]));
        const std::size_t title = text.starts_with('#') ? text.find('\n') + 1 : 0;
        m_made.program.text = text.insert(title, declarations);
        return std::move(m_made.program);
    }

    const std::vector<std::string> &m_names;
    const ProgramOfSizes &m_program;
    const SameProgram &m_isSame;
    Made m_made; // for the least sizes
    std::vector<SizeTerm> m_terms;
    Sizes m_least; // of the range of each dimension
};

} // namespace

std::string modelLineOf(std::string_view text, std::uint32_t line)
{
    std::size_t at = 0;
    for (std::uint32_t i = 1; i < line && at != std::string_view::npos; ++i)
        at = text.find('\n', at) == std::string_view::npos ? std::string_view::npos : text.find('\n', at) + 1;
    return at == std::string_view::npos || at >= text.size() ? std::string() : lineAround(text, at);
}

Result<ConvertedProgram> withOpenDimensions(const std::vector<std::string> &names, const ProgramOfSizes &program,
                                            const SameProgram &isSame)
{
    return Generalizer(names, program, isSame).run();
}

} // namespace sw
