/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/slurm_release.h"

#include <dlfcn.h>
#include <slurm/slurm.h>
#include <slurm/spank.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum {
    API_22_05 = 38,
    API_23_02 = 39,
    API_23_11 = 40,
    /* of select_type_param, for which <slurm/slurm.h> has had two names each */
    WHOLE_SOCKETS = 1 << 1,
    WHOLE_CORES = 1 << 2,
};

#define NUMBER(major, minor, offset) SLURM_VERSION_NUM(major, minor, 0),
#define OFFSET(major, minor, offset) offset,
#define CHECK(major, minor, offset)                                                                \
    _Static_assert(SLURM_VERSION_NUMBER >> 8 != ((major) << 8 | (minor)) ||                        \
                       (offset) == offsetof(slurm_conf_t, select_type_param),                      \
                   "SLURM_RELEASES_TESTED has another offset than these headers");
SLURM_RELEASES_TESTED(CHECK)

/* What Slurm reads after it has loaded the plugin. */
extern unsigned plugin_version;
unsigned plugin_version = SLURM_VERSION_NUMBER;

/* What `jobtrail-conf doctor` reads in the plugin's file. */
extern const uint32_t jobtrail_slurm_releases[], jobtrail_slurm_untested[1];
const uint32_t jobtrail_slurm_releases[] = {SLURM_RELEASES(NUMBER)};
const uint32_t jobtrail_slurm_untested[1] = {SLURM_RELEASE_UNTESTED};

static const size_t offsets[] = {SLURM_RELEASES(OFFSET)};

enum {
    RELEASES = sizeof offsets / sizeof offsets[0],
};

/* The host's release, an index of these; RELEASES where it is none of them. */
static size_t host = RELEASES;

#pragma weak slurm_api_version

/* The release of this number of Slurm's API; 0 before 22.05. */
static uint32_t release_of_api(unsigned api)
{
    unsigned halves = api - API_23_11, year = 23 + (halves + 1) / 2;
    if (api < API_22_05)
        return 0;
    if (api < API_23_11)
        return api == API_23_02 ? SLURM_VERSION_NUM(23, 2, 0) : SLURM_VERSION_NUM(22, 5, 0);
    return SLURM_VERSION_NUM(year, halves % 2 == 0 ? 11U : 5U, 0);
}

/* Without the function, or before 22.05, the host is taken for one of the headers' release. */
__attribute__((constructor)) static void find_host(void)
{
    uint32_t release =
        slurm_api_version == NULL ? 0 : release_of_api(slurm_api_version() >> 16 & 255);
    if (release == 0)
        release = SLURM_VERSION_NUMBER & ~255U;
    plugin_version = release;
    for (host = 0; host < RELEASES && jobtrail_slurm_releases[host] != release; host++)
        continue;
}

bool slurm_release_is_known(void)
{
    return host < RELEASES;
}

void slurm_release_report(void)
{
    char known[128] = "";
    size_t length = 0;
    for (size_t i = 0; i < RELEASES && length < sizeof known; i++) {
        unsigned number = jobtrail_slurm_releases[i];
        length +=
            (size_t)snprintf(known + length, sizeof known - length, "%s%u.%02u", i == 0 ? "" : ", ",
                             SLURM_VERSION_MAJOR(number), SLURM_VERSION_MINOR(number));
    }
    slurm_info("jobtrail: inactive, jobs leave no records: the plugin is for Slurm %s, and this is "
               "%u.%02u; "
               "install a jobtrail that knows it, or build one with its headers",
               known, SLURM_VERSION_MAJOR(plugin_version), SLURM_VERSION_MINOR(plugin_version));
}

bool slurm_release_has_whole_cores(void)
{
    uint16_t flags = 0;
    const char *conf = dlsym(RTLD_DEFAULT, "slurm_conf");
    if (conf != NULL && slurm_release_is_known())
        memcpy(&flags, conf + offsets[host], sizeof flags);
    return (flags & (WHOLE_CORES | WHOLE_SOCKETS)) != 0;
}
