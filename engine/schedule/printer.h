#pragma once
// The canonical text of a schedule.
//
//   stepwell schedule 1
//   memory: arena 512 bytes, peak 3072 bytes
//   b0 = input x : f32[32, 8] of %0, items 0..1
//   b1 = intermediate t3 : f32[32, 1] of %3, items 0..1, arena 0..128
//   b2 = output output : f32[32, 8] of %7, items 1..1
//   kernel k0 reduce_max_32: root %3, reads b0, writes b1 // 256 flops, 1024 bytes read, 128 bytes written
//     %3 = reduce_axis max : f32[32, 1] -> b1
//   item 0: k0
//   item 1: k1 after 0
//   critical path: 0 1
//   outputs: output = b2
//   fused %5 -> %7 by elementwise-chain: saves 2048 bytes of traffic: read one-to-one, computed in place
//   apart %3 -> %5 by row: costs 128 bytes of traffic: only 1 rows to share among threads, 32 wanted

#include "engine/schedule/schedule.h"

#include <string>
#include <vector>

namespace sw {

enum class ScheduleLineKind : std::uint8_t { Header, Buffer, Kernel, Member, Item, Decision };

// What a line shows: `index` counts within its kind (of a Member: the node).
struct ScheduleLine {
    ScheduleLineKind kind = ScheduleLineKind::Header;
    std::uint32_t index = 0;
};

struct ScheduleText {
    std::string text;
    std::vector<ScheduleLine> lines; // one per line of text
};

[[nodiscard]] ScheduleText printSchedule(const Schedule &schedule);

} // namespace sw
