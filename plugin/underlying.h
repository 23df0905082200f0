/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slurm's select plugin to which this plugin forwards its calls. */
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
 * Loads select_NAME.so from the first of the folders (separated by colons) that
 * contains it, ignoring the file of this plugin. Returns NULL, or the error
 * message (xfree it).
 */
extern char *underlying_load(const char *name, const char *folders);
extern void underlying_unload(void);

/* The address of a variable of the plugin; NULL if it has none of this name. */
extern void *underlying_variable(const char *name);

/* The folder from which this plugin was loaded; xfree the result. */
extern char *own_folder(void);

#endif /* COOLSPAN_PLUGIN_UNDERLYING_H_ */
