/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <string.h>

#include "conf/command/doctor_checks.h"
#include "conf/secrets.h"

/* Until then records wait in the outbox. */
static void mend_secret(struct doctor *doctor, const struct secret *secret)
{
    const char *path = secret->path;
    if (secret->trouble == -EPERM)
        doctor_mend(doctor, "chown root: %s && chmod 600 %s; it may be no link", path, path);
    else if (secret->trouble == -ENOENT && strcmp(secret->name, "key_file") == 0)
        doctor_mend(doctor, "copy the site's key there; the first one: jobtrail-conf make-key %s",
                    path);
    else if (secret->trouble == -ENOENT)
        doctor_mend(doctor, "(umask 077 && cat >%s), and type the %s", path,
                    strcmp(secret->name, "token_file") == 0 ? "token" : "properties");
}

void doctor_secrets(struct doctor *doctor, const struct conf *conf)
{
    struct secret secrets[SECRETS_MAX];
    size_t count = secrets_look(conf, secrets);
    for (size_t i = 0; i < count; i++) {
        const struct secret *secret = &secrets[i];
        if (secret->trouble == 0) {
            doctor_add(doctor, FINDING_OK, "secret", secret->path, "",
                       "its owner alone may read it");
        } else {
            doctor_add(doctor, FINDING_BAD, "secret", secret->path,
                       "mend the file; until then records wait in the outbox", "[%s] %s: %s",
                       secret->section, secret->name, secret->reason);
            mend_secret(doctor, secret);
        }
    }
}
