/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An AcctGatherEnergy plugin for tests. The power meter of a node is the file
 * $COOLSPAN_TEST_POWER_FOLDER/NODE, which contains watts. A node without a file
 * has no meter.
 */
#include "slurm_release.h"
#include "src/common/parse_config.h"
#include "src/slurmd/slurmd/slurmd.h"

#define EXPORTED __attribute__((visibility("default")))

EXPORTED const char plugin_name[] = "Power meters in files";
EXPORTED const char plugin_type[] = "acct_gather_energy/file";
EXPORTED const uint32_t plugin_version = SLURM_VERSION_NUMBER;

/* Defined by slurmd; slurmctld also loads the plugin and does not define it. */
extern slurmd_conf_t *conf __attribute__((weak));

static acct_gather_energy_t now = {.current_watts = NO_VAL};

EXPORTED int init(void) { return SLURM_SUCCESS; }

EXPORTED int fini(void) { return SLURM_SUCCESS; }

EXPORTED int acct_gather_energy_p_update_node_energy(void) {
  const char *folder = getenv("COOLSPAN_TEST_POWER_FOLDER");
  char *path;
  FILE *file;

  now.current_watts = NO_VAL;
  if (!folder || !&conf || !conf) return SLURM_SUCCESS;
  path = xstrdup_printf("%s/%s", folder, conf->node_name);
  file = fopen(path, "re");
  xfree(path);
  if (!file) return SLURM_SUCCESS;
  if (fscanf(file, "%u", &now.current_watts) == 1)
    now.poll_time = time(NULL);
  else
    now.current_watts = NO_VAL;
  fclose(file);
  return SLURM_SUCCESS;
}

EXPORTED int acct_gather_energy_p_get_data(enum acct_energy_type data_type,
                                           void *data) {
  switch (data_type) {
    case ENERGY_DATA_LAST_POLL:
      *(time_t *)data = now.poll_time;
      return SLURM_SUCCESS;
    case ENERGY_DATA_SENSOR_CNT:
      *(uint16_t *)data = 1;
      return SLURM_SUCCESS;
    default:
      *(acct_gather_energy_t *)data = now;
      return SLURM_SUCCESS;
  }
}

EXPORTED int acct_gather_energy_p_set_data(enum acct_energy_type data_type,
                                           void *data) {
  (void)data_type, (void)data;
  return SLURM_SUCCESS;
}

EXPORTED void acct_gather_energy_p_conf_options(s_p_options_t **full_options,
                                                int *full_options_cnt) {
  (void)full_options, (void)full_options_cnt;
}

EXPORTED void acct_gather_energy_p_conf_set(int context_id_in,
                                            s_p_hashtbl_t *tbl) {
  (void)context_id_in, (void)tbl;
}

EXPORTED void acct_gather_energy_p_conf_values(slurm_list_t *data) {
  (void)data;
}
