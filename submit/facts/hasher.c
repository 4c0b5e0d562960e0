/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/hasher.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "conf/base/io.h"
#include "conf/base/privileges.h"
#include "conf/base/sandbox.h"

static int has_read(int fd, void *bytes, size_t size)
{
    return io_read(fd, bytes, size) == (ssize_t)size;
}

static void answer_questions(int fd, struct hash_table *table, struct file_hash_bounds *bounds)
{
    uint32_t length;
    char path[PATH_MAX];
    struct file_hash hash;
    while (has_read(fd, &length, sizeof length) && length < sizeof path &&
           has_read(fd, path, length)) {
        path[length] = '\0';
        file_hash(table, bounds, path, &hash);
        if (io_write_all(fd, &hash, sizeof hash) != 0)
            return;
    }
}

pid_t hasher_start(const struct conf *conf, const struct file_hash_bounds *bounds, uid_t uid,
                   gid_t gid, int *fd)
{
    int fds[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
        return -errno;
    pid_t pid = fork();
    if (pid == 0) {
        struct hash_table *table = hash_table_map(conf->state);
        struct file_hash_bounds left = *bounds;
        if (privileges_drop(uid, gid, &fds[1], 1) == 0 && sandbox_enter(SANDBOX_READS) == 0)
            answer_questions(fds[1], table, &left);
        _exit(0);
    }
    int error = errno;
    close(fds[1]);
    if (pid < 0) {
        close(fds[0]);
        return -error;
    }
    *fd = fds[0];
    return pid;
}

void hasher_ask(int fd, const char *path, struct file_hash *hash)
{
    uint32_t length = (uint32_t)strlen(path);
    struct file_hash answer;
    const struct iovec parts[] = {{&length, sizeof length}, {(void *)path, length}};
    if (io_write_parts(fd, parts, 2) == 0 && has_read(fd, &answer, sizeof answer)) {
        answer.sha1[FILE_HASH_SIZE - 1] = '\0';
        *hash = answer;
    } else {
        *hash = (struct file_hash){.sha1 = "0"};
    }
}
