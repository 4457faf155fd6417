#include "ui/text_view/syntax.h"

#include <QSet>

#include <array>

namespace stepwell::ui {

namespace {

struct Rules {
    const char *comment;  // begins a comment that runs to the end of the line
    const char *keywords; // separated by spaces
    const char *types;
    const char *sigils; // characters that begin a name and belong to it, for registers and values
    bool firstWordIsOperation = false;
};

constexpr const char *kDTypes = "bool u8 u16 u32 u64 i8 i16 i32 i64 u32x4 f16 bf16 f8e5m2 f8e4m3 f32 f64 unit dim";

constexpr std::array<Rules, static_cast<std::size_t>(Language::Assembly) + 1> kRules{{
    {"#", "input param const output def return for in if else range load random true false none device", kDTypes, ""},
    {"#", "input param const output graph scope return axis axes keepdims shape", kDTypes, "%@"},
    {"#", "kernel buffer transfer reads writes after because fused decision critical", kDTypes, "%@"},
    {"#", "kernel for loop in range reduce parallel vectorize unroll tile split reorder store load axis", kDTypes, "%@"},
    {"#",
     "kernel range endrange end if endif for load store barrier special const index accumulator vector local global parallel "
     "reduce",
     kDTypes, "%@"},
    {";",
     "define declare ret br switch phi load store getelementptr call tail add sub mul fadd fsub fmul fdiv frem udiv sdiv urem "
     "srem "
     "and or xor shl lshr ashr icmp fcmp select zext sext trunc fptrunc fpext fptoui fptosi uitofp sitofp bitcast ptrtoint "
     "inttoptr "
     "inbounds nuw nsw fast contract reassoc nsz noalias nocapture readonly writeonly align to label insertelement "
     "extractelement "
     "shufflevector alloca global constant private unnamed_addr attributes source_filename target datalayout triple nonnull "
     "noundef poison undef zeroinitializer true false eq ne slt sle sgt sge ult ule ugt uge oeq one olt ole ogt oge uno ord",
     "void i1 i8 i16 i32 i64 half bfloat float double ptr x", "%@!#"},
    {"//",
     "const static inline restrict return if else for while do switch case break continue struct typedef sizeof volatile extern "
     "__kernel kernel __global global __local local __private private __constant constant __attribute__ barrier goto default",
     "void bool char short int long float double half unsigned signed size_t int8_t int16_t int32_t int64_t uint8_t uint16_t "
     "uint32_t uint64_t uchar ushort uint ulong float2 float4 float8 float16 int2 int4 int8 int16 _Float16 __bf16",
     "#"},
    {";", "ptr dword qword word byte xmmword ymmword zmmword", "", "%", true},
}};

QSet<QString> wordsOf(const char *text)
{
    const QStringList words = QString::fromLatin1(text).split(u' ', Qt::SkipEmptyParts);
    return {words.begin(), words.end()};
}

struct Words {
    QSet<QString> keywords;
    QSet<QString> types;
};

const Words &wordsOf(Language language)
{
    static const auto kWords = [] {
        std::array<Words, kRules.size()> words;
        for (std::size_t i = 0; i < kRules.size(); ++i)
            words[i] = {wordsOf(kRules[i].keywords), wordsOf(kRules[i].types)};
        return words;
    }();
    return kWords[static_cast<std::size_t>(language)];
}

bool isNamePart(QChar c)
{
    return c.isLetterOrNumber() || c == u'_' || c == u'.';
}

class Tokenizer {
public:
    Tokenizer(const QString &line, Language language)
        : m_line(line),
          m_language(language),
          m_rules(kRules[static_cast<std::size_t>(language)]),
          m_words(wordsOf(language)),
          m_comment(QString::fromLatin1(m_rules.comment)),
          m_sigils(QString::fromLatin1(m_rules.sigils))
    {
    }

    std::vector<SyntaxSpan> run()
    {
        while (m_at < m_line.size())
            step();
        return std::move(m_spans);
    }

private:
    void step()
    {
        const QChar c = m_line[m_at];
        if (c.isSpace())
            ++m_at;
        else if (QStringView(m_line).mid(m_at).startsWith(m_comment))
            take(m_line.size(), Syntax::Comment);
        else if (c == u'"')
            takeString();
        else if (m_sigils.contains(c))
            takeWhile(m_at + 1, c == u'@' ? Syntax::Function : Syntax::Register);
        else if (isNumberHere())
            takeNumber();
        else if (c.isLetter() || c == u'_' || (c == u'.' && m_language == Language::Assembly))
            takeWord();
        else
            take(m_at + 1, Syntax::Punctuation);
    }

    // Addresses and bytes before an instruction are numbers too: "1a0: c5 fc 58 vaddps".
    [[nodiscard]] bool isNumberHere() const
    {
        if (m_line[m_at].isDigit())
            return true;
        if (m_language != Language::Assembly || m_hasOperation)
            return false;
        qsizetype end = m_at;
        while (end < m_line.size() && isHexadecimal(m_line[end]))
            ++end;
        const bool isAddress = end < m_line.size() && m_line[end] == u':' && end > m_at;
        const bool isByte = end - m_at == 2 && (end == m_line.size() || m_line[end].isSpace());
        return isAddress || isByte;
    }

    static bool isHexadecimal(QChar c) { return c.isDigit() || (c >= u'a' && c <= u'f') || (c >= u'A' && c <= u'F'); }

    void takeNumber()
    {
        qsizetype end = m_at;
        while (end < m_line.size()) {
            const bool isExponentSign = (m_line[end] == u'-' || m_line[end] == u'+') &&
                                        (m_line[end - 1] == u'e' || m_line[end - 1] == u'p') && end + 1 < m_line.size() &&
                                        m_line[end + 1].isDigit();
            if (!isNamePart(m_line[end]) && !isExponentSign)
                break;
            ++end;
        }
        const bool isMargin = m_language == Language::Assembly && !m_hasOperation; // addresses and bytes stay in the background
        take(end, isMargin ? Syntax::Comment : Syntax::Number);
    }

    void takeString()
    {
        qsizetype end = m_at + 1;
        while (end < m_line.size() && m_line[end] != u'"')
            end += m_line[end] == u'\\' ? 2 : 1;
        take(std::min(end + 1, m_line.size()), Syntax::String);
    }

    void takeWhile(qsizetype end, Syntax style)
    {
        while (end < m_line.size() && isNamePart(m_line[end]))
            ++end;
        take(end, style);
    }

    void takeWord()
    {
        qsizetype end = m_at + 1;
        while (end < m_line.size() && isNamePart(m_line[end]))
            ++end;
        const QString word = m_line.mid(m_at, end - m_at);
        take(end, styleOf(word, end));
    }

    [[nodiscard]] Syntax styleOf(const QString &word, qsizetype end)
    {
        const QChar next = end < m_line.size() ? m_line[end] : QChar(u' ');
        if (m_words.keywords.contains(word))
            return Syntax::Keyword;
        if (m_words.types.contains(word))
            return Syntax::Type;
        if (m_rules.firstWordIsOperation) {
            if (next == u':')
                return Syntax::Label;
            if (!m_hasOperation) {
                m_hasOperation = true;
                return Syntax::Keyword;
            }
            return Syntax::Register;
        }
        if (next == u':' && m_language == Language::Llvm)
            return Syntax::Label;
        return next == u'(' ? Syntax::Function : Syntax::Plain;
    }

    void take(qsizetype end, Syntax style)
    {
        if (style != Syntax::Plain)
            m_spans.push_back({static_cast<int>(m_at), static_cast<int>(end - m_at), style});
        m_at = end;
    }

    const QString &m_line;
    Language m_language;
    const Rules &m_rules;
    const Words &m_words;
    QString m_comment;
    QString m_sigils;
    qsizetype m_at = 0;
    bool m_hasOperation = false;
    std::vector<SyntaxSpan> m_spans;
};

} // namespace

std::vector<SyntaxSpan> tokenize(const QString &line, Language language)
{
    return Tokenizer(line, language).run();
}

Language languageOf(const sw::StageDocument &document)
{
    switch (document.kind) {
    case sw::StageKind::Program:
        return Language::Program;
    case sw::StageKind::Graph:
        return Language::Graph;
    case sw::StageKind::Schedule:
        return Language::Schedule;
    case sw::StageKind::Loops:
        return Language::Loops;
    case sw::StageKind::Lowered:
        return Language::Lowered;
    case sw::StageKind::Code:
        return document.title.find("LLVM") != std::string::npos ? Language::Llvm : Language::C;
    case sw::StageKind::Machine:
        return Language::Assembly;
    }
    Q_UNREACHABLE();
}

} // namespace stepwell::ui
