/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The point release of the Slurm that has loaded this plugin. */
#ifndef COOLSPAN_PLUGIN_POINT_RELEASE_H_
#define COOLSPAN_PLUGIN_POINT_RELEASE_H_

#include <stdint.h>

/* The folder of libslurmfull.so, which is that of Slurm's own plugins; NULL:
 * unknown. xfree the result. */
extern char *slurm_folder(void);

/* As SLURM_VERSION_NUMBER, read from Slurm's own select_cons_tres.so; 0:
 * unknown. Reads no structure of Slurm, whose layout may be another one. */
extern uint32_t running_slurm_version(void);

#endif /* COOLSPAN_PLUGIN_POINT_RELEASE_H_ */
