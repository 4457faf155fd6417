#pragma once
// Why something is as it is, as data: one kind of card for edges, values, kernels, buffers, loop transformations and
// instructions. The window shows it, and `stepwellc explain` prints it.

#include "engine/api/stage_document.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sw {

enum class WhySubject : std::uint8_t { Edge, Value, Kernel, Buffer, Transform, Instruction };

struct WhyNumber {
    std::string name;  // "rows"
    std::string value; // as people read it: "128", "1.00 KiB"
    double amount = 0;
    std::string origin; // "elements of the value: one for each row"
    std::string limit;  // "at least 32: ..."; empty: it was compared with nothing
};

// A figure of the program as it is and as it would be.
struct FigureChange {
    std::string name;   // "kernels"
    std::string before; // "1"
    std::string after;
    std::string change; // "+12 %", "none"
    double amountBefore = 0;
    double amountAfter = 0;
    std::string note = {};      // of a time that was measured: its noise
    bool isWithinNoise = false; // so the two may be equal
};

// An override that can be tried.
struct WhyTry {
    std::string title;    // "Keep apart"
    std::string override; // its text
    bool isRemoval = false;
    bool operator==(const WhyTry &) const = default;
};

struct WhyCard {
    WhySubject subject = WhySubject::Edge;
    std::string heading;   // of the parts from this one on: "in it"; empty: that of the part before
    std::string title;     // "softmax/max -> softmax/shifted"
    std::string decision;  // "in one kernel"
    std::string rule;      // a row of the documentation; empty: no rule decided
    std::string ruleTitle; // "Row kernel"
    std::string ruleDoc;   // a sentence
    std::string reason;    // a sentence with numbers
    std::vector<DocumentField> facts;
    std::vector<WhyNumber> numbers;
    std::string alternative; // "apart": what `changes` are about; empty: nothing else was tried
    std::vector<FigureChange> changes;
    std::vector<std::string> obstacles; // to the alternative
    std::vector<WhyTry> tries;
    std::vector<WhyCard> parts; // the decisions that this one is made of
    ItemIndex item = kNoIndex;  // of the schedule's document
    std::uint32_t kernel = kNoIndex;
};

// Several lines, each part indented.
[[nodiscard]] std::string toText(const WhyCard &card);

} // namespace sw
