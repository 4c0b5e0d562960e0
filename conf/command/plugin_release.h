/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_PLUGIN_RELEASE_H
#define JOBTRAIL_PLUGIN_RELEASE_H

#include <stddef.h>
#include <stdint.h>

enum {
    PLUGIN_RELEASES_MAX = 16,
};

/* The releases of Slurm in which a plugin works. */
struct plugin_releases {
    size_t count;
    uint32_t numbers[PLUGIN_RELEASES_MAX]; /* major << 16 | minor << 8 */
    uint32_t untested; /* that one of them which is the headers' alone; 0: none, or not known */
};

/* Reads them from the plugin `path`, from its symbols jobtrail_slurm_releases and
 * jobtrail_slurm_untested (spank/slurm_release.c). The file is read and not loaded: loading would
 * run its code, and needs Slurm's symbols. Returns 0 or -errno; -ENOEXEC: the file has not the
 * first one. */
int plugin_releases(const char *path, struct plugin_releases *releases);

#endif
