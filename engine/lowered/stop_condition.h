#pragma once
// Where a stepped run is to stop: at the first position, in either direction, at which one of these begins to hold.

#include "engine/lowered/lowered.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sw {

enum class Relation : std::uint8_t { Less, LessEqual, Equal, NotEqual, GreaterEqual, Greater };
inline constexpr std::array kRelations{Relation::Less,     Relation::LessEqual,    Relation::Equal,
                                       Relation::NotEqual, Relation::GreaterEqual, Relation::Greater};
[[nodiscard]] std::string_view spellingOf(Relation relation); // "<="
[[nodiscard]] bool holds(double value, Relation relation, double number);

// Holds when a lane of the value compares so. The value is the one that the item made last.
struct ValueCheck {
    InstructionId value;
    Relation relation = Relation::Equal;
    double number = 0;
};

// The instruction is the next one; if it does nothing when it runs (a constant, the end of an if), the one after it is.
struct AtInstruction {
    InstructionId instruction;
    std::optional<ValueCheck> when = {};
};

// The last step read or wrote memory.
enum class AccessKind : std::uint8_t { Load, Store };
struct AfterAccess {
    AccessKind kind = AccessKind::Load;
};

// The last step read or wrote this element.
struct AfterElement {
    InstructionId memory; // a DefineGlobal, Buffer or Local
    std::int64_t element = 0;
};

// The last step made this value: an accumulator's by assigning it, a counter's by beginning a round of the loop.
struct AfterValue {
    InstructionId value;
    std::optional<ValueCheck> when = {};
};

// The last step made a value with such a lane, or an index check failed. An access that leaves its memory ends the run; for it,
// the condition holds in front of the instruction.
enum class Oddity : std::uint8_t { Nan, Infinity, IndexFault };
struct AfterOddity {
    Oddity oddity = Oddity::Nan;
};

// A counter of a loop, by the loop's name or number, or an index of the work item by the name of its special.
struct PlaceValue {
    std::string name; // "i", "global_x"
    std::int64_t value = 0;
};
// The run has come to a place where all of these hold.
struct AtPlace {
    std::vector<PlaceValue> values;
};

// One of these positions, which are in ascending order.
struct AtPositions {
    std::shared_ptr<const std::vector<std::uint64_t>> positions;
};

using StopCondition = std::variant<AtInstruction, AfterAccess, AfterElement, AfterValue, AfterOddity, AtPlace, AtPositions>;

// "i=3, j=0" or "i=3,j=0". Error: text that cannot be read.
[[nodiscard]] Result<AtPlace> parsePlace(std::string_view text);

} // namespace sw
