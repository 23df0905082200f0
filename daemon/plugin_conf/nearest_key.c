/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plugin_conf/nearest_key.h"

#include <ctype.h>
#include <string.h>

enum { MAX_KEY_SIZE = 40 };

static size_t min(size_t a, size_t b) { return a < b ? a : b; }

/* The strings must be shorter than MAX_KEY_SIZE. */
static size_t edits_between(const char *a, const char *b) {
  size_t row[MAX_KEY_SIZE];

  for (size_t j = 0; j <= strlen(b); j++) row[j] = j;
  for (size_t i = 1; a[i - 1]; i++) {
    size_t diagonal = row[0];

    row[0] = i;
    for (size_t j = 1; b[j - 1]; j++) {
      const bool same =
          tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
      const size_t substituted = diagonal + (same ? 0 : 1);

      diagonal = row[j];
      row[j] = min(substituted, min(row[j], row[j - 1]) + 1);
    }
  }
  return row[strlen(b)];
}

extern const char *nearest_key(const char *typed, const plugin_key_t *keys,
                               size_t count) {
  const char *nearest = NULL;
  size_t fewest = MAX_KEY_SIZE;
  const size_t length = strlen(typed);

  if (length >= MAX_KEY_SIZE) return NULL;
  for (size_t i = 0; i < count; i++) {
    const size_t other = strlen(keys[i].name);
    const size_t edits = edits_between(typed, keys[i].name);

    if (edits >= fewest || 3 * edits > (length > other ? length : other))
      continue;
    nearest = keys[i].name;
    fewest = edits;
  }
  return nearest;
}
