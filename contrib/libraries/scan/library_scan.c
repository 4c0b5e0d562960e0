/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/scan/library_scan.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/trusted.h"
#include "contrib/libraries/globs.h"
#include "contrib/libraries/scan/library_lock.h"
#include "contrib/libraries/scan/library_scanning.h"
#include "contrib/libraries/scan/library_state.h"
#include "contrib/libraries/scan/library_trees.h"
#include "contrib/libraries/who_socket.h"

/* How long a file may take to be hashed, and how long one scan hashes: what is left then, the next
 * ones hash. */
enum { HASH_FILE_MS = 60 * 1000, HASH_SCAN_MS = 3600 * 1000 };

/* Opens a directory of root's, made where it is missing. Returns a descriptor or -errno: -ENOENT
 * where a dry run has made none. */
static int open_own(struct scan *scan, const char *path, mode_t mode)
{
    return library_own_directory(path, scan->order->is_dry ? 0 : mode, scan->trouble,
                                 scan->trouble_size);
}

/* What the watch of this host knows; nothing where it should run and does not answer; NULL: there
 * is none. */
static struct library_whos *ask_who(struct scan *scan, int state)
{
    struct library_whos *whos = NULL;
    const struct conf *conf = scan->order->conf;
    int error = state < 0 ? state : who_socket_ask(state, &whos);
    if (error != 0 && error != -ENOENT)
        scan_warn(scan, conf->library_state, "the watch does not say who has changed libraries");
    return error == 0 || !conf->library_watch ? whos : library_whos_new();
}

/* The same; and of changes that a scan has begun to tell, what was known then. */
static struct library_whos *find_whos(struct scan *scan, int state, bool is_begun)
{
    struct library_whos *whos = NULL;
    if (is_begun && who_file_read(state, &whos) == 0)
        return whos;
    whos = ask_who(scan, state);
    if (whos != NULL && !is_begun && !scan->order->is_dry && who_file_write(state, whos) != 0)
        scan_warn(scan, scan->order->conf->library_state,
                  "if this scan is killed, it is not known who has changed libraries");
    return whos;
}

/* Returns 1 where there are changes to tell, 0, or -errno. */
static int has_changes(struct scan *scan)
{
    char *first = NULL;
    size_t count = 0;
    int error = library_state_logs(scan->state, "", &first, 1, &count);
    free(first);
    return error == 0 ? count > 0 : error;
}

/* `is_begun`: a scan before has begun to tell them, and was killed. */
static int write_changes(struct scan *scan, const struct library_logs *logs, bool is_begun,
                         char name[LIBRARY_LOG_NAME_SIZE])
{
    char culprit[PATH_MAX];
    int has = has_changes(scan);
    if (has < 0)
        return has;
    CLEANUP_CLOSE int state =
        trusted_directory(scan->order->conf->library_state, TRUSTED_ALONE, culprit, sizeof culprit);
    struct library_whos *whos = has > 0 ? find_whos(scan, state, is_begun) : NULL;
    scan->teller.whos = whos;
    int error = library_logs_write(scan->state, logs, &scan->teller, name);
    if (error == 0 && !scan->order->is_dry)
        who_file_remove(state);
    scan->teller.whos = NULL;
    library_whos_free(whos);
    return error;
}

static int tell_changes(struct scan *scan, bool is_begun)
{
    const struct conf *conf = scan->order->conf;
    char name[LIBRARY_LOG_NAME_SIZE] = "";
    bool has_logs = conf->library_logs[0] != '\0' && !scan->order->is_dry;
    CLEANUP_CLOSE int fd = has_logs ? open_own(scan, conf->library_logs, 0755) : -1;
    if (has_logs && fd < 0)
        return fd;
    struct library_logs logs = {fd, conf->library_log_bytes, conf->library_log_files};
    struct library_teller *teller = &scan->teller;
    int error = write_changes(scan, has_logs ? &logs : NULL, is_begun, name);
    if (error != 0 && name[0] != '\0')
        return scan_fail(scan, error, "the log %s/%s: %s; nothing is lost, the next scan writes it",
                         conf->library_logs, name,
                         error == -EPERM ? "it is no plain file of root's" : strerror(-error));
    const char *unkept =
        error == 0 || teller->trouble == NULL ? NULL : teller->trouble(teller->context);
    if (unkept != NULL)
        return scan_fail(scan, error, "%s; nothing is lost, the next scan reports it again",
                         unkept);
    int unsaid = error == 0 || has_logs ? 0 : teller->flush(teller->context);
    if (unsaid != 0)
        return scan_fail(scan, unsaid,
                         "changes cannot be printed: %s; the next scan prints them again",
                         strerror(-unsaid));
    return scan_state_failed(scan, error);
}

static int compare_and_tell(struct scan *scan)
{
    int error = library_trees_compare(scan);
    return error == 0 ? tell_changes(scan, false) : error;
}

/* With what has waited until others' news were told. */
static int second_turn(struct scan *scan)
{
    const uint64_t hashed = scan->counts->hashed;
    scan->is_first_turn = false;
    scan->is_silent = true; /* but for what is read now */
    library_places_free(&scan->places);
    *scan->counts = (struct library_scan_counts){.hashed = hashed};
    return compare_and_tell(scan);
}

static int scan_with_state(struct scan *scan)
{
    char path[PATH_MAX];
    const struct conf *conf = scan->order->conf;
    snprintf(path, sizeof path, "%s/libraries.db", conf->library_state);
    int error = library_state_open(path, scan->order->is_dry, &scan->state);
    if (error != 0)
        return scan_state_failed(scan, error);
    error = globs_read(conf->library_patterns, &scan->patterns);
    if (error == 0)
        error = globs_read(conf->library_except, &scan->except);
    if (error == 0)
        error = library_owners_new(conf->library_owners, &scan->owners);
    if (error == 0 && (scan->naming = library_naming_new(conf, scan->order->root, scan->patterns,
                                                         scan->owners)) == NULL)
        error = -ENOMEM;
    if (error != 0)
        return scan_fail(scan, error, "%s", strerror(-error));
    const char *unknown = library_owners_unknown(scan->owners);
    if (unknown != NULL)
        scan_warn(scan, unknown, "of [libraries] owners: there is no such user or group");
    error = tell_changes(scan, true);
    scan->is_first_turn = !scan->order->is_dry;
    if (error == 0)
        error = compare_and_tell(scan);
    if (error == 0 && scan->waiting > 0)
        error = second_turn(scan);
    return error != 0 || scan->order->is_dry || scan->order->end == NULL
               ? error
               : scan->order->end(conf, scan->trouble, scan->trouble_size);
}

/* For jobtrail-conf doctor, and the next scan. Where it cannot be written the scan before seems to
 * be the last one, and in time the doctor says that it is too long ago. */
static void note_end(int lock, const struct library_scan_counts *counts, bool is_failed,
                     int64_t seen_s)
{
    const struct library_last_scan last = {
        .ended_s = (int64_t)time(NULL),
        .seen_s = seen_s,
        .is_failed = is_failed,
        .trees_away = counts->trees_away,
        .unreadable = counts->unreadable,
        .pid = (int32_t)getpid(),
    };
    library_last_scan_write(lock, &last);
}

enum library_scan_outcome library_scan(const struct library_scan_order *order,
                                       struct library_scan_counts *counts, char *trouble,
                                       size_t size)
{
    struct scan scan = {
        .order = order,
        .counts = counts,
        .trouble = trouble,
        .trouble_size = size,
        .bounds = {.file_bytes = order->conf->hash_file_bytes,
                   .file_ms = order->beat == NULL || order->beat->hash_ms > HASH_FILE_MS
                                  ? HASH_FILE_MS
                                  : order->beat->hash_ms,
                   .bytes = UINT64_MAX,
                   .ms = HASH_SCAN_MS,
                   .leaves_holes = true},
    };
    trouble[0] = '\0';
    *counts = (struct library_scan_counts){0};
    /* a dry run only reads the state, from a directory as good as that in which it is written */
    CLEANUP_CLOSE int lock =
        order->is_dry ? open_own(&scan, order->conf->library_state, 0)
                      : library_lock(order->conf->library_state, order->is_waiting, trouble, size);
    if (lock < 0 && !(order->is_dry && lock == -ENOENT))
        return lock == -EWOULDBLOCK ? LIBRARY_SCAN_LOCKED : LIBRARY_SCAN_FAILED;
    const int64_t began_s = (int64_t)time(NULL);
    scan.teller = order->teller;
    /* When the last scan that saw all began. */
    struct library_last_scan last;
    scan.teller.seen_s =
        library_last_scan_read(order->conf->library_state, &last) == 0 ? last.seen_s : 0;
    int error = scan_with_state(&scan);
    library_state_close(scan.state);
    library_naming_free(scan.naming);
    library_owners_free(scan.owners);
    globs_free(scan.patterns);
    globs_free(scan.except);
    library_places_free(&scan.places);
    free(scan.path);
    if (!order->is_dry)
        note_end(lock, counts, error != 0,
                 error != 0 || counts->trees_away + counts->unreadable > 0 ? scan.teller.seen_s
                                                                           : began_s);
    return error == 0 ? LIBRARY_SCAN_DONE : LIBRARY_SCAN_FAILED;
}
