/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/secrets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf_keys.h"
#include "conf/conf_transport.h"
#include "conf/secret_file.h"

static int try_text_file(const char *path)
{
    char *text = malloc(SECRET_TEXT_MAX);
    ssize_t length = text == NULL ? -ENOMEM : secret_file_read(path, text, SECRET_TEXT_MAX);
    if (text != NULL)
        explicit_bzero(text, SECRET_TEXT_MAX);
    free(text);
    return length < 0 ? (int)length : 0;
}

static int try_key_file(const char *path)
{
    unsigned char key[KEY_BYTES_MAX];
    ssize_t size = key_file_read(path, key);
    explicit_bzero(key, sizeof key);
    return size < 0 ? (int)size : 0;
}

static void take_secret(struct secret *secret, int (*look)(const char *path),
                        const char *(*tell)(int why))
{
    secret->trouble = look(secret->path);
    secret->reason = secret->trouble == 0 ? NULL : tell(secret->trouble);
}

size_t secrets_look(const struct conf *conf, struct secret secrets[SECRETS_MAX])
{
    size_t count = 0;
    if (conf->key_file[0] != '\0') {
        secrets[count] = (struct secret){"signature", "key_file", NULL, conf->key_file, 0, NULL};
        take_secret(&secrets[count++], try_key_file, key_file_trouble);
    }
    for (size_t i = 0; i < CONF_TRANSPORTS; i++) {
        const struct conf_transport *row = &conf_transports[i];
        const char *path = row->secret == NULL ? "" : conf_text_at(conf, row->secret_offset);
        if (path[0] == '\0' || !conf_uses_transport(conf, row->name))
            continue;
        secrets[count] = (struct secret){row->name, row->secret, row->secret_holds, path, 0, NULL};
        take_secret(&secrets[count++], try_text_file, secret_file_trouble);
    }
    return count;
}

int secrets_check(const struct conf *conf, struct conf_error *why)
{
    struct secret secrets[SECRETS_MAX];
    size_t count = secrets_look(conf, secrets);
    for (size_t i = 0; i < count; i++) {
        if (secrets[i].trouble != -EPERM && secrets[i].trouble != -EINVAL &&
            secrets[i].trouble != -EFBIG)
            continue;
        int key = conf_key_find(secrets[i].section, secrets[i].name);
        *why = (struct conf_error){.line = conf->key_line[key]};
        snprintf(why->file, sizeof why->file, "%s", conf->path);
        snprintf(why->reason, sizeof why->reason, "%.100s: %s", secrets[i].path, secrets[i].reason);
        return -EINVAL;
    }
    return 0;
}
