/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A SPANK plugin that fails in slurmstepd, to show what Slurm does then.
 */
#include <slurm/spank.h>

SPANK_PLUGIN(failing_plugin, 1)

int slurm_spank_init(spank_t spank, int argc, char *argv[])
{
    (void)spank;
    (void)argc;
    (void)argv;
    return spank_context() == S_CTX_REMOTE ? -1 : ESPANK_SUCCESS;
}
