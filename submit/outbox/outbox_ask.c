/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/outbox/outbox_ask.h"

#include "conf/base/clocks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int outbox_ask(const struct conf *conf, const char *name, unsigned timeout_ms,
               struct transport_trouble *trouble)
{
    void *state;
    *trouble = (struct transport_trouble){.text = ""};
    const struct transport *transport = transport_find(name, trouble);
    int error = transport == NULL ? -ENOENT : transport->open(conf, &state, trouble);
    if (error == 0) {
        error = transport->ask(state, clock_deadline(timeout_ms), trouble);
        transport->close(state);
    }
    if (error != 0 && trouble->text[0] == '\0')
        snprintf(trouble->text, sizeof trouble->text, "%s", strerror(-error));
    transport_make_printable(trouble->text);
    return error;
}
