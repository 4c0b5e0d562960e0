/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/uses/use_write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "contrib/libraries/library_user.h"
#include "contrib/libraries/log_write.h"
#include "contrib/libraries/scan/library_logs.h"
#include "contrib/libraries/scan/library_names.h"
#include "contrib/libraries/uses/use_records.h"

/* Paths and programs in logs are cut at their front to so many bytes. */
enum { SHOWN = 120 };

/* A scan sees a new file within so long a time. */
enum { UNNAMED_S = 600 };

/* What has become of one use. */
enum use_state {
    STATE_NONE,
    STATE_LOGGING, /* its line is being written: after a kill nobody knows whether it was */
    STATE_LOGGED,
    STATE_UNKNOWN,  /* no scan has seen the file yet */
    STATE_LEFT_OUT, /* of a user who is not believed, no scan has seen it in all this time, or it
                       was none */
};

struct use_outcome {
    bool is_recording, is_recorded; /* the records of all but of STATE_UNKNOWN */
    uint64_t unnamed;               /* opens of files that no scan has seen */
    unsigned char state[];          /* enum use_state of each */
};

static int fail(int error, const char *what)
{
    fprintf(stderr, "jobtrail-libmon: uses: %s: %s\n", what, strerror(-error));
    return error;
}

void use_batch_gap(struct use_batch *batch, int64_t time_s)
{
    if (!batch->has_gap || time_s < batch->gap_s)
        batch->gap_s = time_s;
    batch->has_gap = true;
}

static size_t outcome_size(const struct use_writer *writer)
{
    return sizeof(struct use_outcome) + writer->batch.counts.count;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* Appends KEY=VALUE and its NUL. */
static void add_pair(char *words, size_t room, size_t *size, const char *key, const char *value)
{
    if (value[0] == '\0' || *size >= room)
        return;
    size_t whole = strlen(value); /* of a long text the end says more */
    int length = snprintf(words + *size, room - *size, "%s%s", key,
                          whole <= SHOWN ? value : value + whole - SHOWN);
    *size += (size_t)length + 1;
    if (*size > room)
        *size = room;
}

static int write_line(const struct use_writer *writer, const struct use *use, const char *name)
{
    const struct library_logs logs = {writer->directory, writer->conf->library_log_bytes,
                                      writer->conf->library_log_files};
    char file[LIBRARY_LOG_NAME_SIZE], user[LIBRARY_USER_SIZE] = "unknown", words[LOG_LINE_SIZE];
    char count[24], login[LIBRARY_USER_SIZE] = "";
    size_t size = 0;
    bool is_known = use->who.how >= LIBRARY_WHO_BY_FILE;
    snprintf(count, sizeof count, "%" PRIu64, use->count[USE_LOG]);
    if (is_known)
        library_user_name(use->who.uid, user);
    if (is_known && use->who.login_uid != LIBRARY_NO_USER && use->who.login_uid != use->who.uid)
        library_user_name(use->who.login_uid, login);
    add_pair(words, sizeof words, &size, "", use_kind_log_word(use->kind));
    add_pair(words, sizeof words, &size, "count=", count);
    add_pair(words, sizeof words, &size, "how=", "watch");
    add_pair(words, sizeof words, &size, "login=", login);
    add_pair(words, sizeof words, &size, "command=", use->who.command);
    add_pair(words, sizeof words, &size, "program=", use->who.program);
    add_pair(words, sizeof words, &size, "path=", use->path);
    const struct log_message message = {name, words, size, true};
    library_log_file(name, file);
    return library_log_write(&logs, file, &message, user, (int64_t)time(NULL));
}

/* ---- Records --------------------------------------------------------------------------------- */

static void add_record(struct use_records *records, const struct use_batch *batch,
                       const struct use *use, const char *name)
{
    bool is_known = use->who.how >= LIBRARY_WHO_BY_FILE;
    use_records_add(records, &(struct use_told){
                                 .kind = use->kind,
                                 .source = "watch",
                                 .library = name,
                                 .path = use->path,
                                 .uid = is_known ? use->who.uid : LIBRARY_RECORD_NONE,
                                 .login_uid = is_known && use->who.login_uid != LIBRARY_NO_USER
                                                  ? use->who.login_uid
                                                  : LIBRARY_RECORD_NONE,
                                 .program = is_known ? use->who.program : "",
                                 .count = use->count[USE_RECORD],
                                 .after_s = batch->after_s,
                                 .before_s = batch->before_s,
                             });
}

static void add_unseen(struct use_records *records, const struct conf *conf,
                       const struct use_batch *batch)
{
    bool is_longer = batch->has_gap && batch->gap_s < batch->after_s;
    if (batch->unseen == 0 && !batch->has_gap)
        return;
    use_records_add(records,
                    &(struct use_told){.kind = USE_OPEN,
                                       .source = "watch",
                                       .library = USE_RECORDS_UNSEEN,
                                       .path = conf->library_trees.line[0].text,
                                       .uid = LIBRARY_RECORD_NONE,
                                       .login_uid = LIBRARY_RECORD_NONE,
                                       .program = "",
                                       .count = batch->unseen,
                                       .after_s = is_longer ? batch->gap_s : batch->after_s,
                                       .before_s = batch->before_s});
}

static void keep_records(const struct use_writer *writer, struct use_records *records)
{
    writer->outcome->is_recording = true;
    int error = use_records_keep(records);
    writer->outcome->is_recording = false;
    if (error != 0) {
        fail(error, "records: uses.db");
        return;
    }
    writer->outcome->is_recorded = true;
    error = use_records_send(records, (int64_t)time(NULL));
    if (error == -ENOBUFS)
        fprintf(stderr, "jobtrail-libmon: uses: records: root's share of the outbox is full "
                        "([outbox] size): they wait\n");
    else if (error != 0)
        fail(error, "records: outbox");
}

/* ---- Both ------------------------------------------------------------------------------------ */

/* What no scan has seen is no library yet: one that was made just now has its name by the next
 * time. Files of users who are not believed have no log of uses. */
static enum use_state name_of(struct library_names *names, const struct use *use,
                              struct use_outcome *outcome, char name[LIBRARY_TEXT_SIZE])
{
    if (use->count[USE_LOG] == 0 && use->count[USE_RECORD] == 0)
        return STATE_LEFT_OUT;
    if (library_names_find(names, use->path, name))
        return name[0] == '~' ? STATE_LEFT_OUT : STATE_NONE;
    if (use->late_s == 0 || (int64_t)time(NULL) - use->late_s < UNNAMED_S)
        return STATE_UNKNOWN;
    outcome->unnamed += use->count[USE_RECORD];
    return STATE_LEFT_OUT;
}

/* Says the first failure alone. A log that cannot be written keeps no other from being written. */
static void log_use(const struct use_writer *writer, size_t i, const char *name, bool *has_failed)
{
    const struct use *use = &writer->batch.counts.use[i];
    unsigned char *state = &writer->outcome->state[i];
    if (writer->directory < 0 || use->count[USE_LOG] == 0) {
        *state = STATE_LOGGED;
        return;
    }
    *state = STATE_LOGGING;
    int error = write_line(writer, use, name);
    *state = error == 0 || error == -EMSGSIZE ? STATE_LOGGED : STATE_NONE;
    if (error != 0 && !*has_failed)
        fail(error, name);
    *has_failed |= error != 0;
}

static void write_batch(const struct use_writer *writer)
{
    const struct use_batch *batch = &writer->batch;
    struct library_names *names = NULL;
    struct use_records *records = NULL;
    char name[LIBRARY_TEXT_SIZE];
    bool has_failed = false;
    if (batch->counts.count == 0 && !writer->conf->library_use_records)
        return;
    int error = library_names_open(writer->conf->library_state, &names);
    if (error != 0) {
        fail(error, "the state of scans");
        return;
    }
    error = writer->conf->library_use_records ? use_records_open(writer->conf, &records) : 0;
    if (error != 0)
        fail(error, error == -EPROTO
                        ? "records: uses.db is damaged, or of another version: remove it"
                        : "records: uses.db");
    for (size_t i = 0; i < batch->counts.count; i++) {
        const struct use *use = &batch->counts.use[i];
        enum use_state state = name_of(names, use, writer->outcome, name);
        writer->outcome->state[i] = (unsigned char)state;
        if (state != STATE_NONE)
            continue;
        log_use(writer, i, name, &has_failed);
        if (records != NULL && use->count[USE_RECORD] > 0)
            add_record(records, batch, use, name);
    }
    if (records != NULL) {
        add_unseen(records, writer->conf, batch);
        keep_records(writer, records);
    }
    use_records_close(records);
    library_names_close(names);
}

/* ---- The child ------------------------------------------------------------------------------- */

int use_write_begin(struct use_writer *writer, struct use_batch *batch, bool is_last)
{
    writer->batch = *batch;
    writer->outcome =
        mmap(NULL, outcome_size(writer), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (writer->outcome == MAP_FAILED) {
        writer->outcome = NULL;
        return -errno;
    }
    fflush(NULL);
    pid_t pid = is_last ? 0 : fork();
    if (pid < 0) {
        int error = -errno;
        munmap(writer->outcome, outcome_size(writer));
        writer->outcome = NULL;
        return error;
    }
    if (pid == 0)
        write_batch(writer);
    if (pid == 0 && !is_last)
        _exit(fflush(NULL) == 0 ? 0 : 1);
    writer->child = pid;
    *batch = (struct use_batch){.unseen = 0};
    return 0;
}

bool use_write_goes_on(const struct use_writer *writer)
{
    siginfo_t info = {.si_pid = 0};
    return writer->child != 0 &&
           waitid(P_PID, (id_t)writer->child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == 0;
}

/* What is left of it for each output; whether there is any. */
static bool is_left(const struct use_writer *writer, size_t i, struct use *use)
{
    enum use_state state = (enum use_state)writer->outcome->state[i];
    if (state == STATE_LEFT_OUT)
        return false;
    if (use->late_s == 0)
        use->late_s = writer->batch.before_s;
    if (state == STATE_UNKNOWN)
        return true;
    if (writer->directory < 0 || state != STATE_NONE)
        use->count[USE_LOG] = 0;
    if (!writer->conf->library_use_records || writer->outcome->is_recorded ||
        writer->outcome->is_recording)
        use->count[USE_RECORD] = 0;
    return use->count[USE_LOG] > 0 || use->count[USE_RECORD] > 0;
}

void use_write_end(struct use_writer *writer, struct use_batch *batch)
{
    struct use_batch *was = &writer->batch;
    struct use_outcome *outcome = writer->outcome;
    if (outcome == NULL)
        return;
    if (writer->child != 0)
        waitpid(writer->child, NULL, 0);
    writer->child = 0;
    bool is_late = false, is_cut = outcome->is_recording;
    for (size_t i = 0; i < was->counts.count; i++) {
        struct use use = was->counts.use[i];
        is_cut |= outcome->state[i] == STATE_LOGGING;
        if (!is_left(writer, i, &use))
            continue;
        is_late = true;
        use_counts_merge(&batch->counts, &use);
    }
    if (is_cut)
        fputs("jobtrail-libmon: uses: killed while it wrote a line or records: it is not known "
              "whether they are there, and they are not written again\n",
              stderr);
    bool is_told =
        !writer->conf->library_use_records || outcome->is_recorded || outcome->is_recording;
    batch->unseen += outcome->unnamed + (is_told ? 0 : was->unseen);
    if (outcome->is_recording || (!is_told && was->has_gap))
        use_batch_gap(batch, is_told ? was->after_s : was->gap_s);
    if ((is_late || !is_told) && was->after_s < batch->after_s)
        batch->after_s = was->after_s;
    if (!is_late && is_told)
        futimens(writer->seen,
                 (struct timespec[]){{.tv_sec = was->told_s}, {.tv_sec = was->told_s}});
    use_counts_clear(&was->counts);
    munmap(outcome, outcome_size(writer));
    writer->outcome = NULL;
}
