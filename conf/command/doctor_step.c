/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * doctor-step, the program that `jobtrail-conf doctor --run` lets Slurm start: prints what the
 * plugin and the library have done for it.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"

static const char *text_of(const char *name)
{
    const char *text = getenv(name);
    return text == NULL || text[0] == '\0' ? "-" : text;
}

int main(void)
{
    char line[8192];
    bool has_library = false, has_slot = false;
    CLEANUP_FCLOSE FILE *maps = fopen("/proc/self/maps", "re");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        has_library = has_library || strstr(line, "/libjobtrail.so") != NULL;
        has_slot = has_slot || strstr(line, "/user/ledger") != NULL;
    }
    printf("doctor-step job=%s node=%s spool=%s library=%d slot=%d\n", text_of("SLURM_JOB_ID"),
           text_of("SLURMD_NODENAME"), text_of("JOBTRAIL_SPOOL"), has_library, has_slot);
    return 0;
}
