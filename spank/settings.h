/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the plugin needs of the site's configuration, from the compiled policy: no configuration
 * text is parsed in Slurm's daemons.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "spank/spool.h"

struct settings {
    void *policy; /* owned; the strings below point into it */
    const char *library;
    const char *submit;
    const char *hooks; /* directory; "": none */
    const char *conf;  /* the configuration file, from the plugin's arguments */
    uint64_t ledger_bytes;
    uint64_t profile_bytes; /* 0: no step leaves a profile */
    uint32_t epilog_timeout_s;
    uint32_t switches; /* POLICY_TRACK_SCALAR ... */
    char policy_path[PATH_MAX];
    char spool[PATH_MAX];  /* of this node */
    char spools[PATH_MAX]; /* with a slash at its end: what spools of all formats lie in */
};

/* The configuration file that the plugin's line in plugstack.conf names (`conf=PATH`), or the
 * installed one. */
const char *settings_conf(int argc, char *argv[]);

/* Whether the compiled policy of `conf` is missing or not newer than `conf`. */
bool settings_is_stale(const char *conf);

/* Reads the compiled policy of `conf`. Returns 0 or -errno; settings_close() releases. */
int settings_open(const char *conf, struct settings *settings);

/* [spool] mount of the configuration. */
enum spool_mount settings_mount(const struct settings *settings);

void settings_close(struct settings *settings);
