/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How records leave the node: one interface, one file for each way. Transports that need large
 * libraries are modules, which are loaded when there is something to send by them.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "conf/conf.h"
#include "submit/definition/record_view.h"

enum transport_outcome {
    TRANSPORT_PENDING, /* to be sent again */
    TRANSPORT_ACCEPTED,
    TRANSPORT_REFUSED, /* the receiver will never take it; `why` says why */
};

struct transport_item {
    struct record_view record;
    enum transport_outcome outcome;
    char why[160];
};

/* What a whole transport could not do, for people. */
struct transport_trouble {
    char text[256];
    unsigned wait_s; /* for so long the receiver wants to be left alone; 0: it did not say */
};

struct transport {
    const char *name;
    /* Makes ready. Returns 0, or -errno and says why in `*trouble`; `*state` is what the other
     * calls get. */
    int (*open)(const struct conf *conf, void **state, struct transport_trouble *trouble);
    /* Hands the pending items over, until `deadline_ns` (CLOCK_MONOTONIC) at the latest, and sets
     * the outcome of each; an accepted one is safe with the receiver. Handing a record over again
     * must do no harm. Returns 0 when no item is pending any more, or -errno and says why. */
    int (*send)(void *state, struct transport_item *items, size_t count, uint64_t deadline_ns,
                struct transport_trouble *trouble);
    /* Asks the receiver, until `deadline_ns` at the latest, whether it would take records from this
     * node, and hands none over. Returns 0, or -errno and says why: -EPROTO where it
     * answers, and what it would do with records does not show. */
    int (*ask)(void *state, uint64_t deadline_ns, struct transport_trouble *trouble);
    void (*close)(void *state);
};

/* The transport of this name, loaded when it is a module, which stays in memory. NULL, with the
 * reason, when there is none. */
const struct transport *transport_find(const char *name, struct transport_trouble *trouble);

/* Puts one record as a file into the directory `path`, which is made where it is missing. The file
 * appears whole; it is not synced. Returns 0 or -errno. */
int transport_file_put(const char *path, const struct record_view *record);

extern const struct transport transport_file;
extern const struct transport transport_file_unsynced; /* for records that may be lost */
extern const struct transport transport_null;          /* to be copied */
extern const struct transport transport_syslog;

/* What a module exports. */
__attribute__((visibility("default"))) extern const struct transport jobtrail_transport;
#define TRANSPORT_MODULE_SYMBOL "jobtrail_transport"
