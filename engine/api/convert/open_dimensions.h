#pragma once
// A program for many sizes, made of the same program for a few of them.
//
// Importing a model settles every dimension, so a converted model is a program for one size. Operators differ in what they make
// of a size, but what they make is text whose numbers depend on it. Here the program is made for some sizes, and each number that
// differs becomes an expression: a sum of products of dimensions, which is what the programs for 2^d neighbouring sizes
// determine. Nothing is assumed about other sizes that is not looked at: the program is made again for the least and the greatest
// size of the range and for some between them, and has to be what the expressions say.

#include "engine/api/convert/convert.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

inline constexpr std::int64_t kGreatestOpenSize = 64;
inline constexpr std::size_t kMostOpenDimensions = 3;

// The program for these sizes, in the order of the dimensions. Errors: there is none for them.
using ProgramOfSizes = std::function<Result<ConvertedProgram>(const std::vector<std::int64_t> &sizes)>;

// Whether two programs with the same weights compute the same, though they are written in different ways. Where an extent is 1,
// for example, less has to be reshaped.
using SameProgram = std::function<bool(const ConvertedProgram &one, const ConvertedProgram &other)>;

// names: of the dimensions. The program begins with their declarations, "n: dim[1, 64]", after the comment that is its first
// line, if it is one. Errors (Code::Unsupported): too many dimensions; the programs of different sizes are different. The message
// names the comment that stands above what differs: the line of the model.
[[nodiscard]] Result<ConvertedProgram> withOpenDimensions(const std::vector<std::string> &names, const ProgramOfSizes &program,
                                                          const SameProgram &isSame);

// What a reader of a converted program finds of one of its lines, from 1 on: the comment above it, which is the line of the
// model.
[[nodiscard]] std::string modelLineOf(std::string_view text, std::uint32_t line);

} // namespace sw
