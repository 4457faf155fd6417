#include "engine/backend/host/wire.h"

namespace sw {

void WireReader::fail()
{
    m_hasFailed = true;
    m_rest = {};
}

void WireReader::readBytes(void *into, std::size_t size)
{
    if (m_rest.size() < size)
        return fail();
    m_rest.copy(static_cast<char *>(into), size);
    m_rest.remove_prefix(size);
}

std::uint64_t WireReader::readLength()
{
    std::uint64_t length = 0;
    read(length);
    if (length <= m_rest.size())
        return length;
    fail();
    return 0;
}

} // namespace sw
