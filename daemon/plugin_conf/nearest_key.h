/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef COOLSPAN_PLUGIN_CONF_NEAREST_KEY_H_
#define COOLSPAN_PLUGIN_CONF_NEAREST_KEY_H_

#include "plugin_conf/plugin_conf.h"

/*
 * The key nearest to a mistyped one, in any case: the fewest insertions,
 * deletions and substitutions. NULL if they exceed a third of the longer name,
 * as in core/nearest_name.h.
 */
extern const char *nearest_key(const char *typed, const plugin_key_t *keys,
                               size_t count);

#endif /* COOLSPAN_PLUGIN_CONF_NEAREST_KEY_H_ */
