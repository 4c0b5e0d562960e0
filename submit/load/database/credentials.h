/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The file with the password of the database: an option file of MariaDB, of which the groups
 * [client] and [jobtrail] are read, and in them the options below alone.
 * contrib/jobtrail/credentials.py reads it in the same way.
 */
#pragma once

#include <stddef.h>

enum credential {
    CREDENTIAL_USER,
    CREDENTIAL_PASSWORD,
    CREDENTIAL_HOST,
    CREDENTIAL_PORT,
    CREDENTIAL_SOCKET,
    CREDENTIAL_SSL_CA,
    CREDENTIAL_SSL_CAPATH,
    CREDENTIAL_SSL_CERT,
    CREDENTIAL_SSL_KEY,
    CREDENTIAL_SSL_CIPHER,
    CREDENTIAL_SSL_CRL,
    CREDENTIAL_TLS_VERSION,
    CREDENTIAL_SSL,    /* "0" or "1": whether a host is talked to by TLS */
    CREDENTIAL_VERIFY, /* "0" or "1": whether its certificate and name are checked */
    CREDENTIALS,
};

struct credentials {
    char *value[CREDENTIALS]; /* owned; NULL: not said */
};

/* The environment's JOBTRAIL_CREDENTIALS, else the site's file. */
const char *credentials_path(void);

/* Reads these groups of the file; without one nothing is said. Returns 0; or, with what is wrong in
 * `*trouble`: -EACCES when others may read or write it, -EINVAL when a line of it is none, or says
 * something about TLS that is not known here. Free what was read after a failure too. */
int credentials_read(const char *path, struct credentials *credentials, char *trouble, size_t size);
