/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "transport.h"

#include <string.h>

static int none_open(const struct conf *conf, void **state)
{
    (void)conf;
    *state = NULL;
    return 0;
}

static int none_send(void *state, const struct transport_record *record)
{
    (void)state;
    (void)record;
    return 0;
}

static void none_close(void *state)
{
    (void)state;
}

const struct transport transport_none = {"none", none_open, none_send, none_close};

const struct transport *transport_find(const char *name)
{
    static const struct transport *const all[] = {&transport_file, &transport_none};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (strcmp(all[i]->name, name) == 0)
            return all[i];
    }
    return NULL;
}
