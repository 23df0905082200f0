/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slurm's bitmaps as arrays of 64-bit words: bit i % 64 of word i / 64. */
#ifndef COOLSPAN_PLUGIN_BITMAPS_H_
#define COOLSPAN_PLUGIN_BITMAPS_H_

#include "client.h"
#include "slurm_release.h"

/* The words of a bitmap of node_record_count bits; xfree the result. */
extern uint64_t *bitmap_words(const bitstr_t *bitmap);
extern void words_to_bitmap(const uint64_t *words, bitstr_t *bitmap);

/* False if the layout of bitstr_t is not the one that this file expects. */
extern bool bitmap_layout_is_known(void);

/* The bitmap may have more or fewer than `count` words. */
extern void or_bitmap(uint64_t *words, const bitstr_t *bitmap, size_t count);
extern void and_bitmap(uint64_t *words, const bitstr_t *bitmap, size_t count);

/* Bits set from `first` to before `end`. */
extern uint32_t count_bits(const uint64_t *words, uint32_t first, uint32_t end);

#endif /* COOLSPAN_PLUGIN_BITMAPS_H_ */
