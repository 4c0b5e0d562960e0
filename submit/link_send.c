/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "link_send.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "transport.h"

static int send_into(const char *directory, const struct record *record)
{
    const struct conf place = {.file_dir = (char *)directory};
    const struct transport_record sent = {record->name, record->text, record->length};
    void *state;
    int result = transport_file.open(&place, &state);
    if (result != 0)
        return result;
    result = transport_file.send(state, &sent);
    transport_file.close(state);
    return result;
}

char *link_outbox(void)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char *path = NULL;
    int length = -1;
    if (state != NULL && state[0] == '/')
        length = asprintf(&path, "%s/jobtrail/outbox", state);
    else if (home != NULL && home[0] == '/')
        length = asprintf(&path, "%s/.local/state/jobtrail/outbox", home);
    return length < 0 ? NULL : path;
}

int link_send(const struct conf *conf, const struct record *record)
{
    if (strcmp(conf->transport, "none") == 0)
        return 0;
    if (strcmp(conf->transport, "file") == 0 && send_into(conf->file_dir, record) == 0)
        return 0;
    CLEANUP_FREE char *outbox = link_outbox();
    return outbox == NULL ? -ENOENT : send_into(outbox, record);
}
