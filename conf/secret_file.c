/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/secret_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/io.h"
#include "conf/base/trusted.h"
#include "conf/conf_keys.h"

/* ---- Secrets --------------------------------------------------------------------------------- */

static bool is_secret(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && (status.st_mode & 077) == 0 &&
           (status.st_uid == 0 || status.st_uid == geteuid());
}

ssize_t secret_file_read(const char *path, char *text, size_t size)
{
    CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return errno == ELOOP ? -EPERM : -errno;
    if (!is_secret(fd))
        return -EPERM;
    ssize_t length = io_read(fd, text, size);
    if (length == (ssize_t)size)
        length = -EFBIG;
    if (length < 0)
        explicit_bzero(text, size);
    else
        text[length] = '\0';
    return length;
}

const char *secret_file_trouble(int error)
{
    return error == -EPERM ? "others than its owner may read it, or it is not root's (chown root, "
                             "chmod 600; no link)"
                           : strerror(-error);
}

/* ---- The site's key -------------------------------------------------------------------------- */

enum { TEXT_SIZE = 2 * KEY_BYTES_MAX + 16 };

static int hex_digit(char letter)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *at = letter == '\0' ? NULL : strchr(digits, letter);
    return at == NULL ? -1 : (int)(at - digits) % 16;
}

static ssize_t parse_key(const char *text, unsigned char *key)
{
    size_t length = strcspn(text, "\r\n");
    if (length % 2 != 0 || length < 2 * (size_t)KEY_BYTES_MIN || length > 2 * (size_t)KEY_BYTES_MAX)
        return -EINVAL;
    for (size_t i = 0; i < length; i += 2) {
        int high = hex_digit(text[i]), low = hex_digit(text[i + 1]);
        if (high < 0 || low < 0)
            return -EINVAL;
        key[i / 2] = (unsigned char)(high << 4 | low);
    }
    return (ssize_t)(length / 2);
}

ssize_t key_file_read(const char *path, unsigned char key[KEY_BYTES_MAX])
{
    char text[TEXT_SIZE];
    ssize_t size = secret_file_read(path, text, sizeof text);
    if (size >= 0)
        size = parse_key(text, key);
    explicit_bzero(text, sizeof text);
    return size == -EFBIG ? -EINVAL : size;
}

static int write_key(int fd)
{
    unsigned char key[KEY_BYTES_MIN];
    char text[2 * KEY_BYTES_MIN + 2];
    if (getrandom(key, sizeof key, 0) != (ssize_t)sizeof key)
        return -EIO;
    for (size_t i = 0; i < sizeof key; i++)
        snprintf(text + 2 * i, sizeof text - 2 * i, "%02x\n", key[i]);
    ssize_t written = write(fd, text, sizeof text - 1);
    int error = written == (ssize_t)sizeof text - 1 ? 0 : written < 0 ? -errno : -ENOSPC;
    explicit_bzero(key, sizeof key);
    explicit_bzero(text, sizeof text);
    return error == 0 && fsync(fd) != 0 ? -errno : error;
}

int key_file_make(const char *path)
{
    char culprit[PATH_MAX];
    const char *name;
    CLEANUP_CLOSE int place = trusted_parent(path, &name, TRUSTED_STICKY, culprit, sizeof culprit);
    if (place < 0)
        return place;
    int fd = openat(place, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    int error = write_key(fd);
    if (close(fd) != 0 && error == 0)
        error = -errno;
    if (error != 0)
        unlinkat(place, name, 0);
    return error;
}

const char *key_file_trouble(int error)
{
    return error == -EINVAL ? "holds no key: 64 to 128 hex digits, as jobtrail-conf make-key "
                              "writes them"
                            : secret_file_trouble(error);
}

/* ---- The secrets of a configuration ---------------------------------------------------------- */

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
