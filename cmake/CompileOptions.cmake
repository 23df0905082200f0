# SPDX-License-Identifier: GPL-3.0-or-later
# An interface target keeps the warnings away from generated sources. They are
# errors in the presets (CMAKE_COMPILE_WARNING_AS_ERROR), not in a plain build.
add_library(coolspan_options INTERFACE)
target_compile_options(coolspan_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wold-style-cast -Wnon-virtual-dtor -Wconversion
  -Wno-sign-conversion
  # GCC 12 warns of overlaps inside std::string that cannot be (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  # Clang warns in C headers too, which have no other casts; GCC checks the rest.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-old-style-cast>)

# POPCNT and SSE4.2 (x86-64-v2) are on every server CPU since 2009; NodeSet
# counts and the span search need them to be fast.
option(COOLSPAN_X86_64_V2 "Compile for x86-64-v2 on x86-64" ON)
if(COOLSPAN_X86_64_V2 AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  add_compile_options(-march=x86-64-v2)
endif()

# All code is position-independent, for the client library. No function is
# interposed, so calls may be inlined (clang's default).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-fno-semantic-interposition)
  # g++ 15.2 with -funswitch-loops, a part of -O3, compiles CheckAnswer
  # (core/decision) such that it refuses right answers; g++ 12 and 14 do not.
  if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 15)
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-unswitch-loops>)
  endif()
endif()

# Sanitizer and fuzzer builds: fast enough to run, quick to compile.
set(CMAKE_C_FLAGS_SANITIZE "-O1 -g1")
set(CMAKE_CXX_FLAGS_SANITIZE "-O1 -g1")
if(COOLSPAN_SANITIZE)
  add_compile_options(-fsanitize=${COOLSPAN_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${COOLSPAN_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC 12 sees uninitialised std::function members that are not, in <regex>,
    # and std::sort of four items read the 17th.
    add_compile_options(-Wno-maybe-uninitialized -Wno-array-bounds)
  endif()
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()
find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM)
  add_link_options(-fuse-ld=mold)
endif()
