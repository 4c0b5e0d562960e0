/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_PLUGIN_RELEASE_H
#define JOBTRAIL_PLUGIN_RELEASE_H

/* For which Slurm the plugin `path` was built: major << 8 | minor, as its symbol plugin_version
 * says, which is read and not loaded: that would run what is in it, and needs Slurm's symbols.
 * Returns 0 where the file does not say, with the reason in `*why` (static). */
unsigned plugin_release(const char *path, const char **why);

#endif
