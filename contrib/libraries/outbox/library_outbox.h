/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Changes and uses of libraries as records in the node's outbox (outbox.h), in root's share of it:
 * a large installation leaves room for the records of jobs.
 *
 * A record whose fact was added before has the same uuid, and the loader keeps one of both. So the
 * caller can add everything again after a kill, until it is kept.
 *
 * The first scan of a tree adds one record for each library, with the number and size of its files.
 * At most LIBRARY_OUTBOX_RECORDS are added one by one (library_outbox_count()), and none of changes
 * that are only counted (is_beyond). For all these there is one record for each kind of change, of
 * a library LIBRARY_OUTBOX_OTHERS, with the number of files since the last call that kept all.
 */
#pragma once

#include <stdint.h>

#include "conf/conf.h"
#include "contrib/libraries/outbox/library_record.h"
#include "contrib/libraries/scan/library_change.h"

enum { LIBRARY_OUTBOX_RECORDS = 20000 };

/* No library is named so. */
#define LIBRARY_OUTBOX_OTHERS "(others)"

struct library_outbox;

/* How a change is known. */
struct library_sighting {
    const char *source; /* scan, watch */
    const char *event;  /* as of struct library_record_source */
    /* Between these it was; LIBRARY_RECORD_NONE: not known; before that is when it was found. */
    int64_t after_ns, before_ns;
    struct library_record_who who;
};

/* Opens nothing until something is added. `conf` must outlive it. Returns NULL when out of memory;
 * library_outbox_free() releases, and drops what was not kept. */
struct library_outbox *library_outbox_new(const struct conf *conf);

/* The number of records of changes that were added one by one: the caller keeps it with what is
 * reported, and sets it before they go on after a kill. Otherwise what one that was kept stands for
 * would be reported again by itself. Lives as long as `box`. */
uint64_t *library_outbox_count(struct library_outbox *box);

/* Adds a change. Those of one library must come one after the other. Returns 0; -ENOBUFS where
 * root's share of the outbox is full: nothing more is added then, and nothing kept; or another
 * -errno. */
int library_outbox_change(struct library_outbox *box, const struct library_change *change,
                          const struct library_sighting *sighting);

/* Adds any other. `conf`, `node` and `cluster` of the source are set here. Returns as above. */
int library_outbox_add(struct library_outbox *box, struct library_record_source *source);

/* Returns 0 when all that was added is on the disk, or else -errno, that of the first add that
 * failed too: then nothing is kept, and all is to be added again. */
int library_outbox_keep(struct library_outbox *box);

/* Takes NULL. */
void library_outbox_free(struct library_outbox *box);
