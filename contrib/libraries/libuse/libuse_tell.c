/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/libuse/libuse_tell.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/text.h"
#include "contrib/libraries/library_date.h"
#include "contrib/libraries/log_write.h"
#include "contrib/libraries/scan/library_lock.h"
#include "contrib/libraries/scan/library_logs.h"
#include "contrib/libraries/scan/library_owners.h"

/* Of a long path the end says more. */
enum { BATCH = 500, SHOWN = 120 };

static int fail(int error, const char *what)
{
    fprintf(stderr, "jobtrail-libuse: %s: %s\n", what, strerror(-error));
    return error;
}

int libuse_teller_open(struct libuse_teller *teller, char *trouble, size_t size)
{
    char path[PATH_MAX];
    const char *logs = teller->conf->library_use_logs;
    teller->logs = -1;
    int error =
        teller->conf->library_use_records ? use_records_open(teller->conf, &teller->records) : 0;
    if (error != 0)
        snprintf(trouble, size, "%s/uses.db: %s", teller->conf->library_state,
                 error == -EPROTO ? "it is of another version of jobtrail" : strerror(-error));
    if (error != 0 || logs[0] == '\0')
        return error;
    if (snprintf(path, sizeof path, "%s/atime", logs) >= (int)sizeof path) {
        snprintf(trouble, size, "%s: %s", logs, strerror(ENAMETOOLONG));
        return -ENAMETOOLONG;
    }
    int top = library_own_directory(logs, 0755, trouble, size);
    if (top < 0)
        return top;
    close(top);
    teller->logs = library_own_directory(path, 0755, trouble, size);
    return teller->logs < 0 ? teller->logs : 0;
}

void libuse_teller_close(struct libuse_teller *teller)
{
    use_records_close(teller->records);
    json_object_put(teller->json);
    if (teller->logs >= 0)
        close(teller->logs);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static void write_line(struct libuse_teller *teller, const char *library, const char *what,
                       const char *number, uint64_t count, int64_t after_s, const char *path)
{
    const struct library_logs logs = {teller->logs, teller->conf->library_log_bytes,
                                      teller->conf->library_log_files};
    char file[LIBRARY_LOG_NAME_SIZE], words[LOG_LINE_SIZE], after[LIBRARY_DATE_SIZE];
    size_t length = strlen(path);
    if (teller->logs < 0 || library_date_old(after_s, after) != 0)
        return;
    int size =
        snprintf(words, sizeof words, "%s%c%s=%" PRIu64 "%chow=atime%cafter=%s%cpath=%s%c", what, 0,
                 number, count, 0, 0, after, 0, length <= SHOWN ? path : path + length - SHOWN, 0);
    const struct log_message message = {library, words, (size_t)size, true};
    library_log_file(library, file);
    int error = library_log_write(&logs, file, &message, "unknown", (int64_t)time(NULL));
    if (error == 0 || error == -EMSGSIZE)
        return;
    if (!teller->is_line_lost)
        fail(error, file);
    teller->is_line_lost = true;
}

/* ---- Output ---------------------------------------------------------------------------------- */

void libuse_json_text(struct json_object *json, const char *key, const char *text)
{
    size_t length;
    CLEANUP_FREE char *utf8 = text_from_bytes(text, strlen(text), &length);
    if (utf8 != NULL)
        json_object_object_add(json, key, json_object_new_string_len(utf8, (int)length));
}

static int add_record(struct libuse_teller *teller, const char *library, const char *path,
                      uint64_t count, int64_t after_s, int64_t before_s)
{
    const struct use_told told = {
        .kind = USE_OPEN,
        .source = "atime",
        .library = library,
        .path = path,
        .uid = LIBRARY_RECORD_NONE,
        .login_uid = LIBRARY_RECORD_NONE,
        .program = "",
        .count = count,
        .after_s = after_s,
        .before_s = before_s,
    };
    return use_records_add(teller->records, &told);
}

/* Opens of a tree of which it is not known of which library they were; 0: nor how many. */
static void record_unseen(struct libuse_teller *teller, const char *tree, uint64_t count,
                          int64_t after_s, int64_t before_s)
{
    if (teller->records == NULL)
        return;
    int error = add_record(teller, USE_RECORDS_UNSEEN, tree, count, after_s, before_s);
    if (error == 0)
        error = use_records_keep(teller->records);
    if (error == 0)
        return;
    fail(error, "uses.db");
    teller->is_line_lost = true;
}

void libuse_tell_unheard(void *teller, const char *tree, uint64_t files, int64_t after_s)
{
    char shown[TERMINAL_WORD_SIZE];
    fprintf(stderr,
            "jobtrail-libuse: %s: the kernel has dropped events (fs.inotify.max_queued_events): "
            "reads of %" PRIu64 " files are not seen until the next scan\n",
            terminal_word(tree, shown), files);
    write_line(teller, tree, "LIB_READ_UNHEARD", "files", files, after_s, tree);
    record_unseen(teller, tree, 0, after_s, (int64_t)time(NULL) + 1);
}

int libuse_tell_all(struct libuse_teller *teller, const char *tree,
                    const struct library_reads_sum *sum)
{
    write_line(teller, tree, "LIB_READ_ALL", "files", sum->files, sum->after_s, tree);
    record_unseen(teller, tree, sum->files, sum->after_s, sum->before_s);
    if (teller->is_printed && teller->json == NULL)
        printf("most of %s was read, %" PRIu64 " files: no uses\n", tree, sum->files);
    return 0;
}

/* ---- Telling --------------------------------------------------------------------------------- */

/* Gives them back to the state. */
static int tell_later(struct library_state *state, const struct library_use *uses, size_t count)
{
    int error = 0;
    for (size_t i = 0; i < count && error == 0; i++) {
        size_t size = strlen(uses[i].path);
        char *key = malloc(size);
        if (key == NULL)
            return -ENOMEM;
        library_key(uses[i].path, size, key);
        error = library_reads_add(state, "", key, size, uses[i].after_s, uses[i].before_s);
        free(key);
    }
    if (error == 0)
        error = library_reads_end(state, "", false);
    return error == 0 ? library_state_commit(state) : error;
}

/* What the scan has not seen again is reported of no library. Files of users who are not among the
 * owners are no library: their name is the user's, who need not be the one who has read them. */
static bool is_of_library(const struct library_use *use)
{
    return use->library[0] != '\0' && !library_is_others(use->library);
}

static int tell_some(struct libuse_teller *teller, struct library_state *state,
                     const struct library_use *uses, size_t count)
{
    int error = 0;
    for (size_t i = 0; i < count && error == 0; i++)
        if (teller->records != NULL && is_of_library(&uses[i]))
            error = add_record(teller, uses[i].library, uses[i].path, 1, uses[i].after_s,
                               uses[i].before_s);
    if (error != 0)
        return fail(error, "uses.db");
    error = library_reads_told(state, uses[count - 1].id);
    if (error == 0)
        error = library_state_commit(state);
    if (error != 0)
        return fail(error, library_state_error(state));
    error = teller->records == NULL ? 0 : use_records_keep(teller->records);
    if (error != 0) {
        tell_later(state, uses, count);
        return fail(error, "uses.db");
    }
    for (size_t i = 0; i < count; i++) {
        char shown[2 * TERMINAL_WORD_SIZE], after[LIBRARY_DATE_SIZE];
        if (teller->json != NULL) {
            struct json_object *json = json_object_new_object();
            libuse_json_text(json, "library", uses[i].library);
            libuse_json_text(json, "path", uses[i].path);
            json_object_object_add(json, "after", json_object_new_int64(uses[i].after_s));
            json_object_object_add(json, "before", json_object_new_int64(uses[i].before_s));
            json_object_array_add(teller->json, json);
        } else if (teller->is_printed && library_date_iso(uses[i].after_s, after) == 0) {
            terminal_text(uses[i].path, strlen(uses[i].path), shown, sizeof shown);
            printf("read  %s, after %s\n", shown, after);
        }
        if (is_of_library(&uses[i]))
            write_line(teller, uses[i].library, "LIB_READ", "count", 1, uses[i].after_s,
                       uses[i].path);
    }
    return 0;
}

int libuse_tell(struct libuse_teller *teller, struct library_state *state)
{
    struct library_use *uses = calloc(BATCH, sizeof *uses);
    size_t count = 1;
    int error = uses == NULL ? fail(-ENOMEM, "uses") : 0;
    while (error == 0 && count > 0) {
        error = library_reads_uses(state, INT64_MIN, uses, BATCH, &count);
        if (error != 0)
            fail(error, library_state_error(state));
        else if (count > 0)
            error = tell_some(teller, state, uses, count);
    }
    for (size_t i = 0; i < BATCH && uses != NULL; i++)
        free(uses[i].path);
    free(uses);
    if (error != 0)
        return error;
    if (teller->records != NULL)
        error = use_records_send(teller->records, (int64_t)time(NULL));
    return error == 0 ? 0 : fail(error, "the outbox; nothing is lost");
}
