#pragma once
// Compilations to compare.

#include "engine/api/compilation.h"
#include "engine/api/resources.h"
#include "engine/backend/native_backends.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace sw::test {

class CompareTest : public testing::Test {
protected:
    CompareTest() { addNativeBackends(m_registry); }

    [[nodiscard]] static CompileRequest requestOf(const std::string &text)
    {
        CompileRequest request;
        request.program.fileName = "test.sw";
        request.program.text = text;
        request.program.isText = true;
        request.program.resourceFolder = findResourceFolder();
        request.until = CompileUntil::Code;
        return request;
    }
    [[nodiscard]] static CompileRequest requestOfFile(const std::string &file)
    {
        CompileRequest request = requestOf({});
        request.program.fileName = file;
        request.program.isText = false;
        return request;
    }

    Compilation compiled(const CompileRequest &request)
    {
        Compilation compilation = m_compiler.compile(request, {});
        EXPECT_TRUE(compilation.succeeded) << request.program.fileName << ": " << toText(compilation.diagnostics);
        return compilation;
    }
    Compilation compiled(const std::string &text) { return compiled(requestOf(text)); }

    // Of the examples, sorted.
    [[nodiscard]] static std::vector<std::string> exampleFiles()
    {
        std::vector<std::string> files;
        for (const auto &entry : std::filesystem::directory_iterator(std::filesystem::path(findResourceFolder()) / "examples"))
            if (entry.path().extension() == ".sw")
                files.push_back(entry.path().string());
        std::ranges::sort(files);
        return files;
    }

    BackendRegistry m_registry;
    ProgramCompiler m_compiler{m_registry};
};

} // namespace sw::test
