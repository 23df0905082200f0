/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "bitmaps.h"

#include <string.h>

enum { WORDS_OF_OVERHEAD = 2 };

/* Layout of src/common/bitstring.c: two words of overhead, then bit i % 64 of
 * word i / 64, least significant first. Bits past the last one may be set
 * (bit_not). */
extern uint64_t *bitmap_words(const bitstr_t *bitmap) {
  const uint32_t bits = (uint32_t)node_record_count;
  const size_t count = coolspan_words(bits);
  uint64_t *words = xcalloc(count ? count : 1, sizeof(*words));

  memcpy(words, bitmap + WORDS_OF_OVERHEAD, count * sizeof(*words));
  if (bits % 64) words[count - 1] &= (UINT64_C(1) << (bits % 64)) - 1;
  return words;
}

extern void words_to_bitmap(const uint64_t *words, bitstr_t *bitmap) {
  memcpy(bitmap + WORDS_OF_OVERHEAD, words,
         coolspan_words((uint32_t)node_record_count) * sizeof(*words));
}

extern bool bitmap_layout_is_known(void) {
  bitstr_t *bitmap = bit_alloc(130);
  const uint64_t *words;
  bool known;

  bit_set(bitmap, 3);
  bit_set(bitmap, 64);
  bit_set(bitmap, 129);
  words = (const uint64_t *)(bitmap + WORDS_OF_OVERHEAD);
  known = sizeof(*bitmap) == sizeof(*words) && words[0] == 8 && words[1] == 1 &&
          words[2] == 2;
  FREE_NULL_BITMAP(bitmap);
  return known;
}

static const uint64_t *words_in(const bitstr_t *bitmap) {
  return (const uint64_t *)(bitmap + WORDS_OF_OVERHEAD);
}

static size_t words_count(const bitstr_t *bitmap) {
  return ((size_t)bit_size((bitstr_t *)bitmap) + 63) / 64;
}

extern void or_bitmap(uint64_t *words, const bitstr_t *bitmap, size_t count) {
  const size_t common = MIN(count, words_count(bitmap));

  for (size_t i = 0; i < common; i++) words[i] |= words_in(bitmap)[i];
}

extern void and_bitmap(uint64_t *words, const bitstr_t *bitmap, size_t count) {
  const size_t common = MIN(count, words_count(bitmap));

  for (size_t i = 0; i < common; i++) words[i] &= words_in(bitmap)[i];
}

extern uint32_t count_bits(const uint64_t *words, uint32_t first,
                           uint32_t end) {
  uint32_t count = 0;

  while (first < end) {
    const uint32_t in_word = MIN(64 - first % 64, end - first);
    const uint64_t mask =
        in_word == 64 ? UINT64_MAX : ((UINT64_C(1) << in_word) - 1);

    count +=
        (uint32_t)__builtin_popcountll(words[first / 64] >> first % 64 & mask);
    first += in_word;
  }
  return count;
}
