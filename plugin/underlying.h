/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The select plugin of Slurm's own that does the work beneath coolspan. */
#ifndef COOLSPAN_PLUGIN_UNDERLYING_H_
#define COOLSPAN_PLUGIN_UNDERLYING_H_

#include "select_symbols.h"

typedef struct {
#define X(type, name, parameters, arguments) type(*name) parameters;
  COOLSPAN_HOOKED(X)
  COOLSPAN_FORWARDED(X)
#undef X
} underlying_t;

/* Valid after underlying_load. */
extern underlying_t underlying;

/*
 * Loads select_NAME.so from the first folder of PluginDir that has one other
 * than this plugin itself. Returns NULL, or what is wrong (xfree it).
 */
extern char *underlying_load(const char *name);
extern void underlying_unload(void);

/* The folder this plugin was loaded from; xfree it. */
extern char *own_folder(void);

#endif /* COOLSPAN_PLUGIN_UNDERLYING_H_ */
