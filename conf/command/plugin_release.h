/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_PLUGIN_RELEASE_H
#define JOBTRAIL_PLUGIN_RELEASE_H

/* The release of Slurm that the plugin `path` was built for, major << 8 | minor, from its symbol
 * plugin_version. The file is read and not loaded: loading would run its code, and needs Slurm's
 * symbols. Returns 0 where the file has no such symbol, with the reason in `*why` (static). */
unsigned plugin_release(const char *path, const char **why);

#endif
