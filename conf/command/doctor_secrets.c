/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/command/doctor.h"
#include "conf/secrets.h"

void doctor_secrets(struct doctor *doctor, const struct conf *conf)
{
    struct secret secrets[SECRETS_MAX];
    size_t count = secrets_look(conf, secrets);
    for (size_t i = 0; i < count; i++) {
        const struct secret *secret = &secrets[i];
        if (secret->trouble == 0)
            doctor_add(doctor, FINDING_OK, "secret", secret->path, "",
                       "its owner alone may read it");
        else
            doctor_add(doctor, FINDING_BAD, "secret", secret->path,
                       "mend it; until then records wait in the outbox", "[%s] %s: %s",
                       secret->section, secret->name, secret->reason);
    }
}
