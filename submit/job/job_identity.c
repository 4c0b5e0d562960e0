/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/job_identity.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "spank/journal.h"

static int set_text(char **text, const char *value)
{
    char *copy = strdup(value);
    if (copy == NULL)
        return -ENOMEM;
    free(*text);
    *text = copy;
    return 0;
}

int job_identity_start(struct job_identity *identity)
{
    char **texts[] = {&identity->user, &identity->account, &identity->partition,
                      &identity->qos,  &identity->cluster, &identity->node};
    int error = 0;
    *identity = (struct job_identity){
        .array_job = JOURNAL_NONE,
        .array_task = JOURNAL_NONE,
        .het_job = JOURNAL_NONE,
        .uid = (uid_t)-1,
        .gid = (gid_t)-1,
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0] && error == 0; i++)
        error = set_text(texts[i], "");
    return error;
}

int job_identity_name_user(struct job_identity *identity)
{
    struct passwd entry, *found = NULL;
    char text[4096];
    if (identity->user[0] != '\0' ||
        getpwuid_r(identity->uid, &entry, text, sizeof text, &found) != 0 || found == NULL)
        return 0;
    return set_text(&identity->user, found->pw_name);
}

int job_identity_of_user(uid_t uid, gid_t gid, const char *node, struct job_identity *identity)
{
    struct passwd entry, *found = NULL;
    struct job_identity made;
    char text[4096];
    getpwuid_r(uid, &entry, text, sizeof text, &found);
    int error = job_identity_start(&made);
    if (error == 0)
        error = set_text(&made.node, node);
    if (error == 0 && found != NULL)
        error = set_text(&made.user, found->pw_name);
    if (error != 0) {
        job_identity_free(&made);
        return error;
    }
    made.uid = uid;
    made.gid = found == NULL ? gid : found->pw_gid;
    *identity = made;
    return 0;
}

void job_identity_free(struct job_identity *identity)
{
    free(identity->user);
    free(identity->account);
    free(identity->partition);
    free(identity->qos);
    free(identity->cluster);
    free(identity->node);
    *identity = (struct job_identity){0};
}
