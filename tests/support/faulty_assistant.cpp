// Stands in for stepwell-host where an assistant is started, and fails in the way that STEPWELL_FAULT names:
//   mute       it takes its job and says nothing any more
//   hang       it begins a kernel and never finishes it
//   die        it begins a kernel and crashes
//   nonsense   it answers what cannot be read
// It leaves an empty file at the path in STEPWELL_TRACE, which tells that it was started.

#include "engine/backend/host/message_socket.h"

#include <cstdlib>
#include <fstream>
#include <string_view>

int main()
{
    if (const char *trace = std::getenv("STEPWELL_TRACE"))
        std::ofstream(trace).flush();
    const char *variable = std::getenv("STEPWELL_FAULT");
    const std::string_view fault = variable == nullptr ? "" : variable;
    sw::MessageSocket channel{sw::Descriptor(sw::kHostSocket)};
    if (!channel.receive())
        return 1;
    if (fault == "nonsense")
        return channel.send({sw::HostCall::Launch, 7, "?"}) ? 0 : 1;
    if (fault != "mute" && (!channel.send({sw::HostCall::Progress, 0, {}}) || !channel.send({sw::HostCall::Progress, 1, {}})))
        return 1;
    if (fault == "die")
        std::abort();
    pause();
    return 0;
}
