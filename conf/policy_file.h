/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The compiled policy as a file.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "conf/conf.h"

/* Replaces the file `path` by `size` bytes, mode 0644, atomically: a reader and a second writer see
 * the old file or a whole new one, also after a power loss. As root it follows only links of
 * root's, and goes only through directories that nobody else can change, the last one excepted.
 * Returns 0; or -errno (-EPERM: others can lead it elsewhere), and leaves the old file and nothing
 * else. */
int policy_file_write(const char *path, const void *bytes, size_t size);

/* Whether the file `path` is a usable policy that was compiled from the configuration file `conf`
 * (absolute) as it is now: it was written after the configuration's content and inode last changed.
 * The inode changes also when an older file is moved into the configuration's place. As root, false
 * for a file that others can change. */
bool policy_file_is_current(const char *path, const char *conf);

/* As policy_file_is_current(), but true also for a policy that was written within the same tick of
 * the file system's clock as the configuration. The plugin has the same rule, so that it does not
 * compile at each step. */
bool policy_file_is_in_force(const char *path, const char *conf);

/* The policy in force: the compiled file beside the configuration or, where that cannot be used
 * (or is not root's alone, see trusted.h), the configuration compiled anew. Returns 0 and sets
 * `*policy`, which the caller frees; or -errno (-EINVAL: there is no compiled file, and the
 * configuration's rules are bad). */
int policy_load(const struct conf *conf, void **policy);

/* As policy_load(), for programs that only apply [redact]: where there is no compiled file, the
 * other lists of rules are empty. */
int policy_load_redaction(const struct conf *conf, void **policy);
