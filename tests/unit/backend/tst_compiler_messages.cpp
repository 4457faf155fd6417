// Errors of C-like compilers become diagnostics at the lines of the text.

#include "engine/backend/source/compiler_messages.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

TEST(CompilerMessages, standAtTheLineOfTheText)
{
    const Diagnostics found = compilerMessages("<stdin>:3:5: error: use of undeclared identifier 'x'\n"
                                               "    x = 1;\n    ^\n"
                                               "<stdin>:4:1: warning: unused\n"
                                               "/tmp/a:b/kernel.cl:7:12: fatal error: no such thing\n2 errors generated.\n",
                                               "k0.c");
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].message, "use of undeclared identifier 'x'");
    EXPECT_EQ(found[0].where, (SourceRange{"k0.c", 3, 5, 3, 5}));
    EXPECT_EQ(found[1].message, "no such thing");
    EXPECT_EQ(found[1].where, (SourceRange{"k0.c", 7, 12, 7, 12}));
}

TEST(CompilerMessages, ofAHeaderStandAtTheLineThatIncludesIt)
{
    // As clang writes them: the files that lead to a header are told with its first message only.
    const Diagnostics found = compilerMessages("In file included from <stdin>:2:\n"
                                               "In file included from /usr/include/outer.h:30:\n"
                                               "/usr/include/inner.h:100:3: error: unknown type name 'wint'\n"
                                               "/usr/include/inner.h:120:7: error: expected ';'\n"
                                               "<stdin>:9:1: error: expected expression\n"
                                               "In file included from <stdin>:5:\n"
                                               "/usr/include/other.h:1:1: warning: something\n"
                                               "/usr/include/other.h:8:2: error: wrong\n",
                                               "k0.c");
    ASSERT_EQ(found.size(), 4U);
    EXPECT_EQ(found[0].where, (SourceRange{"k0.c", 2, 1, 2, 1}));
    EXPECT_EQ(found[0].message, "/usr/include/inner.h:100:3: unknown type name 'wint'");
    EXPECT_EQ(found[1].where.line, 2U);
    EXPECT_EQ(found[1].message, "/usr/include/inner.h:120:7: expected ';'");
    EXPECT_EQ(found[2].where, (SourceRange{"k0.c", 9, 1, 9, 1}));
    EXPECT_EQ(found[2].message, "expected expression");
    EXPECT_EQ(found[3].where.line, 5U);
}

} // namespace
} // namespace sw
