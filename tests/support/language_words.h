#pragma once
// Words that have a meaning in the languages that kernels are written in. In a program, each must work as a plain name.

#include "engine/backend/source/c_types.h"
#include "engine/types/dtype.h"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>

namespace sw::test {

inline constexpr const char *kWordsOfC = R"(
auto break case char const continue default do double else enum extern float for goto if inline int long register restrict return
short signed sizeof static struct switch typedef union unsigned void volatile while _Alignas _Alignof _Atomic _Bool _Complex
_Generic _Imaginary _Noreturn _Static_assert _Thread_local __func__ __asm__ __attribute__ __inline __restrict __typeof__ __int128
_Float16 __bf16 __fp16 asm typeof bool true false NULL offsetof errno nullptr constexpr alignas alignof static_assert thread_local
int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t intmax_t uintmax_t int_least8_t int_fast8_t
size_t ptrdiff_t wchar_t max_align_t INT8_MAX INT64_MIN UINT64_MAX SIZE_MAX INT64_C UINT64_C INFINITY NAN HUGE_VAL FLT_MAX DBL_MAX
abs labs llabs div ldiv malloc calloc realloc free exit abort atexit system getenv rand srand qsort bsearch memcpy memmove memset
memcmp memchr strlen strcpy strncpy strcat strcmp strchr strdup printf fprintf sprintf snprintf puts putchar scanf fopen fclose
fread fwrite stdin stdout stderr time clock signal raise setjmp longjmp main environ read write open close fork exec kill
acos acosf asin atan atan2 cbrt ceil ceilf copysign cos cosf cosh erf erfc exp exp2 exp2f expf expm1 fabs fabsf fdim floor floorf
fma fmaf fmax fmin fmod fmodf frexp hypot ilogb ldexp lgamma log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter
pow powf remainder rint round roundf scalbn sin sinf sinh sqrt sqrtf tan tanf tanh tgamma trunc truncf index j0 j1 jn y0 y1 yn
gamma signgam isnan isinf isfinite signbit linux unix i386 __linux__ __x86_64__ __GNUC__ __clang__ __LINE__ __FILE__ __DATE__
__COUNTER__ __builtin_nan __builtin_inf __builtin_convertvector __builtin_nontemporal_store defined include pragma define
)";

inline constexpr const char *kWordsOfOpenCl = R"(
__kernel kernel __global global __local local __constant constant __private private __generic generic __read_only read_only
__write_only write_only __read_write read_write uniform pipe half uchar ushort uint ulong char2 char3 char4 char8 char16 uchar16
short8 ushort4 int2 int3 int4 int8 int16 uint4 long2 long4 ulong8 float2 float3 float4 float8 float16 double2 double4 half2 half16
bool2 quad complex imaginary sampler_t event_t queue_t ndrange_t clk_event_t reserve_id_t cl_mem_fence_flags image1d_t image2d_t
image3d_t image2d_array_t image1d_buffer_t get_work_dim get_global_size get_global_id get_local_size get_enqueued_local_size
get_local_id get_num_groups get_group_id get_global_offset get_global_linear_id get_local_linear_id get_sub_group_size
barrier work_group_barrier mem_fence read_mem_fence write_mem_fence atomic_add atomic_inc atomic_cmpxchg atomic_xchg atomic_work_item_fence
async_work_group_copy wait_group_events prefetch vload2 vload3 vload4 vload8 vload16 vstore2 vstore4 vstore16 vload_half vstore_half
vloada_half8 shuffle shuffle2 printf vec_step as_char as_uchar as_int as_uint as_long as_float as_double as_float4 as_uint16
convert_int convert_float convert_uchar_sat convert_int_rte convert_float4 convert_long8 abs abs_diff add_sat clz ctz hadd rhadd
mad24 mad_hi mad_sat mul24 mul_hi rotate sub_sat upsample popcount clamp degrees max min mix radians step smoothstep sign cross dot
distance length normalize fast_distance fast_length fast_normalize isequal isnotequal isgreater isless isordered isunordered any all
bitselect select acospi asinpi atanpi cospi exp10 fract lgamma_r mad maxmag minmag native_cos native_exp native_log native_recip
native_sqrt half_cos half_exp half_sqrt pown powr rootn rsqrt sincos sinpi tanpi nextafter remquo read_imagef read_imagei write_imagef
get_image_width CLK_LOCAL_MEM_FENCE CLK_GLOBAL_MEM_FENCE CLK_ADDRESS_CLAMP MAXFLOAT HUGE_VALF M_PI M_E M_PI_F CHAR_BIT INT_MAX
INT_MIN UCHAR_MAX LONG_MAX FLT_EPSILON FLT_DIG DBL_MIN HALF_MAX CL_VERSION_1_2 CL_VERSION_3_0 __OPENCL_VERSION__ __OPENCL_C_VERSION__
__ENDIAN_LITTLE__ __IMAGE_SUPPORT__ cl_khr_fp64 cl_khr_fp16 FP_CONTRACT OPENCL EXTENSION enable disable
)";

inline constexpr const char *kWordsOfLlvm = R"(
define declare global constant private internal external weak linkonce common appending dso_local alias ifunc comdat target
datalayout triple attributes nounwind noinline alwaysinline noalias readonly readnone writeonly nocapture align byval sret inreg
signext zeroext type opaque ptr void half bfloat float double fp128 x86_fp80 label token metadata i1 i8 i16 i32 i64 i128 vscale true
false null none undef poison zeroinitializer entry ret br switch indirectbr invoke resume unreachable fneg add sub mul udiv sdiv urem
srem fadd fsub fmul fdiv frem shl lshr ashr and or xor extractelement insertelement shufflevector extractvalue insertvalue alloca
load store fence cmpxchg atomicrmw getelementptr trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp ptrtoint inttoptr bitcast
addrspacecast icmp fcmp phi select freeze call tail musttail va_arg landingpad eq ne ugt uge ult ule sgt sge slt sle oeq ogt olt uno
nuw nsw exact inbounds fast nnan ninf nsz arcp contract afn reassoc volatile atomic acquire release monotonic seq_cst to x distinct
args begin end gx gy gz faults next done body latch more following isMore place0 buffer0 t fault then v0 v1 v12 in0 in1 out0 dim0 acc0
loop0 scratch0 shared0 unused0 i0 i1 r2 i0_o k_main k_k0
)";

// The words above, the types of our own texts, and every identifier in the preludes of `resources`.
inline std::set<std::string> languageWords(const std::filesystem::path &resources)
{
    std::set<std::string> words;
    for (const char *list : {kWordsOfC, kWordsOfOpenCl, kWordsOfLlvm}) {
        std::istringstream text(list);
        for (std::string word; text >> word;)
            words.insert(word);
    }
    for (const DType dtype : scalarDTypes())
        for (const std::uint32_t lanes : {1U, 2U, 3U, 4U, 8U, 16U, 32U, 64U}) {
            words.insert(cTypeName(dtype, lanes));
            words.insert(cTypeName(dtype, lanes) + "_any");
        }
    for (const char *prelude : {"prelude.c", "prelude.cl", "prelude.ll"}) {
        std::ifstream file(resources / "kernels" / prelude);
        std::string word;
        for (char c = 0; file.get(c);) {
            const bool isInside = c == '_' || std::isalpha(static_cast<unsigned char>(c)) != 0 ||
                                  (!word.empty() && std::isdigit(static_cast<unsigned char>(c)) != 0);
            if (isInside)
                word += c;
            else if (!word.empty())
                words.insert(std::exchange(word, {}));
        }
    }
    return words;
}

} // namespace sw::test
