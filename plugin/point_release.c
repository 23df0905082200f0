/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "point_release.h"

#include <dlfcn.h>
#include <string.h>

#include "slurm_release.h"

extern char *slurm_folder(void) {
  void *function = dlsym(RTLD_DEFAULT, "slurm_error");
  char *folder, *slash;
  Dl_info library;

  if (!function || !dladdr(function, &library)) return NULL;
  folder = xstrdup(library.dli_fname);
  slash = strrchr(folder, '/');
  if (slash)
    *slash = '\0';
  else
    xfree(folder);
  return folder;
}

extern uint32_t running_slurm_version(void) {
  char *folder = slurm_folder(), *path;
  const uint32_t *version;
  uint32_t running = 0;
  void *plugin;

  if (!folder) return 0;
  path = xstrdup_printf("%s/select_cons_tres.so", folder);
  plugin = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (plugin) {
    version = dlsym(plugin, "plugin_version");
    if (version) running = *version;
    dlclose(plugin);
  }
  xfree(path);
  xfree(folder);
  return running;
}
