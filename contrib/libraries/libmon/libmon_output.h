/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a scan has found, as text or JSON on stdout; trouble on stderr.
 */
#pragma once

#include <stdint.h>

#include "conf/base/progress.h"
#include "contrib/libraries/outbox/library_outbox.h"
#include "contrib/libraries/scan/library_change.h"
#include "contrib/libraries/scan/library_scan.h"

enum libmon_form { LIBMON_TEXT, LIBMON_JSON, LIBMON_QUIET };

/* {0} at first, but for form and progress.is_shown. */
struct libmon_output {
    enum libmon_form form;
    struct progress progress;
    uint64_t changes[LIBRARY_REMOVED + 1]; /* how many there were of each kind */
    uint64_t beyond;                       /* of them, those of users who have too many */
    uint64_t printed;
    int failed;                     /* -errno of stdout */
    struct library_outbox *records; /* of each change; NULL: none are made */
    int unkept;                     /* -errno of the last time that they were to be kept */
    char trouble[256];              /* the same in words */
};

/* These are calls of struct library_scan_order, whose context is a struct libmon_output. */
int libmon_tell(void *context, const struct library_change *change);
int libmon_keep(void *context);
const char *libmon_trouble(void *context);
int libmon_flush(void *context);
void libmon_warn(void *context, const char *path, const char *text);
void libmon_progress(void *context, uint64_t count);

/* The last line, or the end of the JSON. */
void libmon_print_end(struct libmon_output *output, const struct library_scan_counts *counts);
