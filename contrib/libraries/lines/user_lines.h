/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lines that users append to logs of the site, NAME.log in [libraries] log_dir. jobtrail-libdate -f
 * hands each in (submit/hand_in/link_send.h) as a file line.NANOSECONDS.PID with a message
 * (log_write.h), and the flush of sessions writes those of a user in the order of their names.
 * The user is the owner of the file. The time is what the name says: no later than now, and no
 * earlier than the entry before.
 *
 * Bounds: USER_LINES_AT_ONCE of a user in one flush; the others wait. A user begins USER_LINES_LOGS
 * of the logs that are there, and all users USER_LINES_ALL_LOGS.
 */
#pragma once

#include <sys/types.h>

#include "conf/conf.h"
#include "contrib/libraries/globs.h"
#include "contrib/libraries/library_log.h"
#include "contrib/libraries/library_user.h"
#include "contrib/libraries/log_write.h"

enum { USER_LINES_AT_ONCE = 20, USER_LINES_LOGS = 20, USER_LINES_ALL_LOGS = 1000 };

/* The first word of the names of such files. */
#define USER_LINES_WORD "line"
enum { USER_LINES_DIGITS = 19 };

struct user_lines {
    struct library_logs logs;
    struct globs *names; /* of logs that are made where they are missing */
    int lock;            /* held: one process at a time appends */
    char user[LIBRARY_USER_SIZE];
};

/* Whether there is a log of this name in the directory, or it is one of those that are made.
 * Returns 0: it is there; 1: it is to be made; -ENOENT: neither; -EPERM: what is there is no plain
 * file of root's; or another -errno. */
int user_lines_find(int directory, const struct globs *names, const char *name);

/* As root, for lines of the user `uid`: opens the directory of logs, made where it is missing, and
 * waits for others who append, for some seconds. Returns 0, or -errno after saying it on stderr:
 * user_lines_close() is to be called in both cases. */
int user_lines_open(const struct conf *conf, uid_t uid, struct user_lines *lines);
void user_lines_close(struct user_lines *lines);

/* Appends the line of the message, whose name is good. Returns 0; -ENOENT: there is no such log,
 * and none is made; -EMSGSIZE; -EMFILE: too many logs were begun; -EPERM: the log is no plain file;
 * or another -errno, and the log is as it was. */
int user_lines_append(const struct user_lines *lines, const struct log_message *message,
                      int64_t time_s);
