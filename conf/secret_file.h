/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files with secrets: tokens, passwords, keys.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "conf/conf_transport.h"

/* More than any of our files with a token or a password needs. */
enum { SECRET_TEXT_MAX = 64 << 10 };

/* Reads the whole file `path` into `size` bytes at `text`, with a NUL after it. It must be a
 * regular file and no symbolic link, belong to root or to the effective user, and have no
 * permission for anybody else (then access lists can give none either). These checks are made on
 * the open file. Returns how many bytes there are; or -errno, -EPERM where it is not such a file,
 * -EFBIG where it has no room: then nothing is in `text`. */
ssize_t secret_file_read(const char *path, char *text, size_t size);

/* What a negative result means, for people. */
const char *secret_file_trouble(int error);

/* ---- The site's key -------------------------------------------------------------------------- */

/* The file with a site's key: 32 to 64 random bytes as hex digits on its first line, as
 * `jobtrail-conf make-key` and `openssl rand -hex 32` write them. It is a secret file. */

enum { KEY_BYTES_MIN = 32, KEY_BYTES_MAX = 64 };

/* Reads the key into `key`. Returns how many bytes it has; or -errno as secret_file_read(),
 * -EINVAL where the file holds no key. */
ssize_t key_file_read(const char *path, unsigned char key[KEY_BYTES_MAX]);

/* Makes the file with a new key. Returns 0 or -errno (-EEXIST: nothing is replaced; -EPERM: we are
 * root, and others can change the directory or one on the way to it). */
int key_file_make(const char *path);

/* What a negative result of these means, for people. */
const char *key_file_trouble(int error);

/* ---- The secrets of a configuration ---------------------------------------------------------- */

/* The files with secrets that a configuration names. */

enum { SECRETS_MAX = 1 + CONF_TRANSPORTS };

struct secret {
    const char *section, *name; /* the key that names it */
    const char *holds;          /* what is in it, for people; NULL: a key of signatures */
    const char *path;           /* the configuration's */
    int trouble;                /* 0, or -errno of reading it */
    const char *reason;         /* for people; NULL where there is no trouble */
};

/* Reads those that are in use. Returns how many there are. */
size_t secrets_look(const struct conf *conf, struct secret secrets[SECRETS_MAX]);

/* Refuses a configuration with a secret that exists and cannot be used. A secret that is missing,
 * or that this process may not read, is no fault of the configuration. Returns 0, or -EINVAL and
 * fills `*why`. */
int secrets_check(const struct conf *conf, struct conf_error *why);
