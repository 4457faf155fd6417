#pragma once
// Colours one line of text at a time, by simple rules per language. No state is carried from line to line.

#include "engine/api/stage_document.h"
#include "ui/theme/theme.h"

#include <QString>

#include <vector>

namespace stepwell::ui {

enum class Language : unsigned char { Program, Graph, Schedule, Loops, Lowered, Llvm, C, Assembly };

struct SyntaxSpan {
    int start = 0; // in characters
    int length = 0;
    Syntax style = Syntax::Plain;
};

// Spans in order, without overlap; text outside them is plain.
[[nodiscard]] std::vector<SyntaxSpan> tokenize(const QString &line, Language language);

[[nodiscard]] Language languageOf(const sw::StageDocument &document);

} // namespace stepwell::ui
