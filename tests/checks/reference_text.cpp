// Prints the reference of types, operations, nodes, instructions and passes: resources/docs/reference.md.

#include "engine/api/catalog.h"

#include <string>
#include <unistd.h>

int main()
{
    const std::string text = sw::catalogMarkdown();
    for (std::size_t at = 0; at < text.size();) {
        const ssize_t written = ::write(STDOUT_FILENO, text.data() + at, text.size() - at);
        if (written <= 0)
            return 1;
        at += static_cast<std::size_t>(written);
    }
    return 0;
}
