/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How records leave the node: one interface, one file for each way.
 */
#ifndef JOBTRAIL_TRANSPORT_H
#define JOBTRAIL_TRANSPORT_H

#include <stddef.h>

#include "conf.h"

struct transport_record {
    const char *name; /* file name, without directories */
    const char *text; /* JSON, no newline */
    size_t length;
};

struct transport {
    const char *name;
    /* Makes ready. Returns 0 or -errno; `*state` is what the other calls get. */
    int (*open)(const struct conf *conf, void **state);
    /* Returns 0 once the record is safe with the receiver, else -errno. Sending the same record
     * again must do no harm. */
    int (*send)(void *state, const struct transport_record *record);
    void (*close)(void *state);
};

/* The transport of this name, or NULL. */
const struct transport *transport_find(const char *name);

extern const struct transport transport_file;
extern const struct transport transport_none;

#endif
