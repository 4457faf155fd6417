#pragma once
// Defines SW_TEST_RESERVES_MEMORY where the test program is built with a sanitizer that reserves memory of its own, so that
// limits of a process say nothing about what the test does.

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SW_TEST_RESERVES_MEMORY 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SW_TEST_RESERVES_MEMORY 1
#endif
#endif
