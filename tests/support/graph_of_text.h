#pragma once
// The graph of a program that a test has as text.

#include "engine/api/front_end.h"
#include "engine/api/resources.h"

#include <gtest/gtest.h>

#include <string>
#include <variant>

namespace sw::test {

// Null where the program has an error, which fails the test.
[[nodiscard]] inline GraphPtr graphOfText(const std::string &text)
{
    ProgramInput input;
    input.fileName = "test.sw";
    input.text = text;
    input.isText = true;
    input.resourceFolder = findResourceFolder();
    const FrontEndResult read = openProgram(input, {});
    EXPECT_TRUE(read.stage) << toText(read.diagnostics);
    return read.stage ? std::get<GraphPtr>(*read.stage) : nullptr;
}

} // namespace sw::test
