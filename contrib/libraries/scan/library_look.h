/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a scan makes of one file: for jobtrail-conf explain.
 */
#ifndef JOBTRAIL_LIBRARY_LOOK_H
#define JOBTRAIL_LIBRARY_LOOK_H

#include <stdbool.h>

#include "conf/conf.h"
#include "contrib/libraries/scan/library_change.h"

struct library_look {
    const struct conf_line *tree; /* that it lies in; NULL: in none */
    const char *why_not;          /* static; NULL: it is a library */
    bool is_believed;             /* its owner is (library_owners.h) */
    struct library_file file;     /* of a library; without a hash */
};

/* Looks at the file of this absolute path, as a scan that meets it. `look->tree` and `why_not` are
 * set, whatever it is. Returns 0, or -errno where the map of modules or memory is lacking. */
int library_look(const struct conf *conf, const char *path, struct library_look *look);

#endif
