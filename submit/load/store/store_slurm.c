/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Jobs of Slurm's accounting. Slurm gives a job that it requeues a new time of submission, that of
 * the end before, and keeps a row for each; so it does with one whose size it changes. Which
 * restart a row is follows from those before it, in the store and beside it.
 */
#include "submit/load/store/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/grow.h"
#include "submit/load/store/store_state.h"

#define ASK_AT_ONCE  255 /* jobs: with the cluster as many values as a statement may have */
#define CLUSTERS_MAX 64
/* From an end to the submission that follows from it, at the most. Slurm sets that when all epilogs
 * are done; LATE_S where the end says that the job was to run again. */
#define REQUEUE_S 600
#define LATE_S    (30 * 86400)

/* In this order in all statements. */
#define COLUMNS                                                                                    \
    "cluster, job_id_raw, submit_time, restart_count, `user`, account, `partition`, state,"        \
    " array_job_id, array_task_id, het_job_id, het_offset, start_time, end_time, alloc_cpus,"      \
    " nodes, core_seconds, suspended, asked_time"
enum { COLUMN_COUNT = 19, FOUND_COLUMNS = 9 };

/* One of a job's rows: in the store, or to be there, or both. */
struct slurm_row {
    int64_t job_id, submit_time;
    const struct slurm_job *job; /* what is new; NULL: nothing */
    bool is_known;               /* in the store */
    bool is_changed;             /* what is new differs from what is known */
    bool was_ended;              /* what is known */
    bool has_ended, is_resized;
    bool is_requeued; /* the job was to run again, or nodes ended it */
    double end_time, core_seconds;
    int64_t restart_count, known_count;
    struct digest user, rest; /* `rest`: of texts that may change */
};

int store_prepare_slurm(struct store_slurm *slurm, struct store_connection *on)
{
    struct store_text find = {0}, put = {0};
    int error = 0;
    slurm->on = on;
    store_text_add(&find, "SELECT job_id_raw, submit_time, restart_count, `user`, account,"
                          " `partition`, state, end_time, core_seconds FROM slurm_job"
                          " WHERE cluster = ? AND job_id_raw IN (");
    store_text_add_places(&find, ASK_AT_ONCE);
    store_text_add(&find, ")");
    store_text_add(&put, "REPLACE INTO slurm_job (" COLUMNS ") VALUES (");
    store_text_add_places(&put, COLUMN_COUNT);
    store_text_add(&put, ")");
    slurm->find = store_text_statement(on, &find, &error);
    slurm->put = store_text_statement(on, &put, &error);
    slurm->renumber = store_statement(on,
                                      "UPDATE slurm_job SET restart_count = ? WHERE cluster = ?"
                                      " AND job_id_raw = ? AND submit_time = ?",
                                      &error);
    slurm->until = store_statement(on, "SELECT value FROM store_state WHERE name = ?", &error);
    slurm->set_until =
        store_statement(on, "REPLACE INTO store_state (name, value) VALUES (?, ?)", &error);
    slurm->clusters =
        store_statement(on,
                        "SELECT substr(name, 7) FROM store_state WHERE name > 'slurm '"
                        " AND name < 'slurm!' ORDER BY name",
                        &error);
    slurm->open_jobs =
        store_statement(on,
                        "SELECT job_id_raw FROM slurm_job WHERE end_time IS NULL AND cluster = ?"
                        " AND asked_time < ? ORDER BY asked_time LIMIT 500",
                        &error);
    slurm->first =
        store_statement(on,
                        "SELECT start_time FROM coverage WHERE proven = 1 AND cluster = ?"
                        " AND start_time IS NOT NULL ORDER BY start_time LIMIT 1",
                        &error);
    slurm->any = store_statement(on, "SELECT 1 FROM slurm_job WHERE cluster = ? LIMIT 1", &error);
    return error;
}

void store_free_slurm(struct store_slurm *slurm)
{
    free(slurm->rows);
    slurm->rows = NULL;
    slurm->count = slurm->room = 0;
}

/* ---- What is known -------------------------------------------------------------------------- */

static bool is_state(const char *state, size_t size, const char *name)
{
    return size == strlen(name) && memcmp(state, name, size) == 0;
}

static void set_state(struct slurm_row *row, const char *state, size_t size)
{
    static const char *const requeued[] = {"REQUEUED", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL"};
    row->is_resized = is_state(state, size, "RESIZING");
    for (size_t i = 0; i < sizeof requeued / sizeof requeued[0]; i++)
        row->is_requeued |= is_state(state, size, requeued[i]);
}

static int add_row(struct store_slurm *slurm, const struct slurm_row *row)
{
    if (GROW_TO(slurm->rows, slurm->room, slurm->count + 1) != 0)
        return store_refuse(slurm->on, -ENOMEM, "out of memory");
    slurm->rows[slurm->count++] = *row;
    return 0;
}

static int add_known(struct store_slurm *slurm, const struct value *found)
{
    struct slurm_row row = {
        .job_id = value_whole(&found[0]),
        .submit_time = value_whole(&found[1]),
        .is_known = true,
        .has_ended = found[7].kind != VALUE_NULL,
        .end_time = value_number(&found[7]),
        .core_seconds = value_number(&found[8]),
        .known_count = value_whole(&found[2]),
    };
    set_state(&row, found[6].text, found[6].size);
    digest_values(&found[3], 1, &row.user);
    digest_values(&found[4], 3, &row.rest);
    return add_row(slurm, &row);
}

static int add_new(struct store_slurm *slurm, const struct slurm_job *job)
{
    struct slurm_row row = {
        .job_id = job->job_id_raw,
        .submit_time = job->submit_time,
        .job = job,
        .has_ended = job->end_time.known,
        .end_time = job->end_time.value,
        .core_seconds = job->core_seconds,
    };
    set_state(&row, job->state, strlen(job->state));
    const struct value texts[] = {value_text(job->user), value_text(job->account),
                                  value_text(job->partition), value_text(job->state)};
    digest_values(&texts[0], 1, &row.user);
    digest_values(&texts[1], 3, &row.rest);
    return add_row(slurm, &row);
}

/* The rows of the jobs from `first` up to `end`, which are of one cluster: those in the store, and
 * the new ones. */
static int find_rows(struct store_slurm *slurm, const struct slurm_job *first,
                     const struct slurm_job *end)
{
    struct value asked[1 + ASK_AT_ONCE], found[FOUND_COLUMNS];
    size_t count = 0;
    int error = 0, more;
    slurm->count = 0;
    asked[0] = value_text(first->cluster);
    for (const struct slurm_job *job = first; error == 0 && job < end; job++) {
        if (job == first || job->job_id_raw != job[-1].job_id_raw)
            asked[1 + count++] = value_int(job->job_id_raw);
        error = add_new(slurm, job);
    }
    while (count < ASK_AT_ONCE)
        asked[1 + count++] = (struct value){.kind = VALUE_NULL};
    if (error == 0)
        error = store_select(slurm->on, slurm->find, asked);
    while (error == 0 && (more = store_next(slurm->on, slurm->find, found, FOUND_COLUMNS)) != 0)
        error = more < 0 ? more : add_known(slurm, found);
    return error;
}

/* ---- Restarts ------------------------------------------------------------------------------- */

static int order_of(int64_t one, int64_t other)
{
    return one < other ? -1 : one > other;
}

/* Of one submission what is known comes first. */
static int compare_slurm_rows(const void *left, const void *right)
{
    const struct slurm_row *one = left, *other = right;
    int order = order_of(one->job_id, other->job_id);
    if (order == 0)
        order = order_of(one->submit_time, other->submit_time);
    return order != 0 ? order : order_of(one->job != NULL, other->job != NULL);
}

/* Whether the row is what became of the job `before`, and not another job of this number. */
static bool goes_on(const struct slurm_row *row, const struct slurm_row *before)
{
    double gap = (double)row->submit_time - before->end_time;
    return before->has_ended && gap > -REQUEUE_S &&
           gap < (before->is_requeued ? LATE_S : REQUEUE_S) &&
           memcmp(&before->user, &row->user, sizeof row->user) == 0;
}

static bool says_other(const struct slurm_row *one, const struct slurm_row *other)
{
    const double ends = one->end_time - other->end_time;
    const double seconds = one->core_seconds - other->core_seconds;
    return one->has_ended != other->has_ended || ends < 0 || ends > 0 || seconds < 0 ||
           seconds > 0 || memcmp(&one->user, &other->user, sizeof one->user) != 0 ||
           memcmp(&one->rest, &other->rest, sizeof one->rest) != 0;
}

/* Takes over what was known of the row, or the same row was to be before. */
static void take_over(struct slurm_row *row, const struct slurm_row *before)
{
    row->is_known = before->is_known;
    row->known_count = before->known_count;
    row->was_ended = before->job == NULL ? before->has_ended : before->was_ended;
    row->is_changed = before->is_changed || says_other(row, before);
}

/* Numbers the rows, of which those of one submission become one. The first row of a job keeps its
 * number, as rows before it may have been expired. */
static void number_rows(struct store_slurm *slurm)
{
    const struct slurm_row *last = NULL;
    size_t kept = 0;
    qsort(slurm->rows, slurm->count, sizeof *slurm->rows, compare_slurm_rows);
    for (size_t i = 0; i < slurm->count; i++) {
        struct slurm_row *row = &slurm->rows[i];
        if (i + 1 < slurm->count && row[1].job_id == row->job_id &&
            row[1].submit_time == row->submit_time) {
            take_over(row + 1, row);
            continue;
        }
        bool is_first = last == NULL || last->job_id != row->job_id;
        row->restart_count = is_first && row->is_known ? row->known_count : 0;
        if (!is_first && goes_on(row, last))
            row->restart_count = last->restart_count + !last->is_resized;
        slurm->rows[kept] = *row;
        last = &slurm->rows[kept++];
    }
    slurm->count = kept;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

static struct value whole_value(const struct record_int *whole)
{
    return whole->known ? value_int(whole->value) : (struct value){.kind = VALUE_NULL};
}

static struct value real_value(double real)
{
    return (struct value){.kind = VALUE_REAL, .real = real};
}

static int write_row(struct store_slurm *slurm, const struct slurm_row *row, double asked_time)
{
    const struct slurm_job *job = row->job;
    const struct value values[COLUMN_COUNT] = {
        value_text(job->cluster),
        value_int(job->job_id_raw),
        value_int(job->submit_time),
        value_int(row->restart_count),
        value_text(job->user),
        value_text(job->account),
        value_text(job->partition),
        value_text(job->state),
        whole_value(&job->array_job_id),
        whole_value(&job->array_task_id),
        whole_value(&job->het_job_id),
        whole_value(&job->het_offset),
        real_value(job->start_time),
        job->end_time.known ? real_value(job->end_time.value) : (struct value){.kind = VALUE_NULL},
        value_int(job->alloc_cpus),
        value_int(job->nodes),
        real_value(job->core_seconds),
        real_value(job->suspended),
        real_value(asked_time),
    };
    return store_write(slurm->on, slurm->put, values, 1);
}

static int renumber(struct store_slurm *slurm, const char *cluster, const struct slurm_row *row)
{
    const struct value values[] = {value_int(row->restart_count), value_text(cluster),
                                   value_int(row->job_id), value_int(row->submit_time)};
    return store_write(slurm->on, slurm->renumber, values, 1);
}

static int put_row(struct store_slurm *slurm, const char *cluster, const struct slurm_row *row,
                   double asked_time, struct slurm_counts *counts)
{
    bool is_other = row->is_changed || row->restart_count != row->known_count;
    slurm->on->replaces |= row->is_known && row->was_ended && is_other;
    if (row->job == NULL)
        return row->restart_count == row->known_count ? 0 : renumber(slurm, cluster, row);
    counts->fresh += !row->is_known;
    counts->updated += row->is_known && is_other;
    counts->unchanged += row->is_known && !is_other;
    return row->is_known && !is_other && row->has_ended ? 0 : write_row(slurm, row, asked_time);
}

/* Of one cluster, and of up to ASK_AT_ONCE jobs. */
static int put_some(struct store_slurm *slurm, const struct slurm_job *first,
                    const struct slurm_job *end, double asked_time, struct slurm_counts *counts)
{
    int error = find_rows(slurm, first, end);
    if (error == 0)
        number_rows(slurm);
    for (size_t i = 0; error == 0 && i < slurm->count; i++)
        error = put_row(slurm, first->cluster, &slurm->rows[i], asked_time, counts);
    return error;
}

static int compare_jobs(const void *left, const void *right)
{
    const struct slurm_job *one = left, *other = right;
    int order = strcmp(one->cluster, other->cluster);
    return order != 0 ? order : order_of(one->job_id_raw, other->job_id_raw);
}

/* Behind the jobs that are put together with the first. */
static const struct slurm_job *find_end(const struct slurm_job *first, const struct slurm_job *end)
{
    const struct slurm_job *job = first;
    for (size_t different = 1; ++job < end && strcmp(job->cluster, first->cluster) == 0;) {
        different += job->job_id_raw != job[-1].job_id_raw;
        if (different > ASK_AT_ONCE)
            break;
    }
    return job;
}

/* "slurm CLUSTER" in store_state. */
struct until_name {
    char text[64]; /* what MariaDB's column holds */
};

static bool name_until(const char *cluster, struct until_name *name)
{
    return (size_t)snprintf(name->text, sizeof name->text, "slurm %s", cluster) < sizeof name->text;
}

static int set_until(struct store_slurm *slurm, const char *cluster, double until)
{
    struct until_name name;
    char text[32];
    if (!name_until(cluster, &name))
        return 0;
    snprintf(text, sizeof text, "%.0f", until);
    const struct value row[] = {value_text(name.text), value_text(text)};
    return store_write(slurm->on, slurm->set_until, row, 1);
}

/* A NUL behind each, and one more; to be freed. */
static int list_clusters(struct store_slurm *slurm, char **names)
{
    struct store_connection *on = slurm->on;
    struct value row;
    size_t size = 0;
    FILE *list = open_memstream(names, &size);
    if (list == NULL)
        return store_refuse(on, -ENOMEM, "out of memory");
    int more, error = store_select(on, slurm->clusters, NULL);
    while (error == 0 && (more = store_next(on, slurm->clusters, &row, 1)) != 0) {
        error = more < 0 ? more : 0;
        if (error == 0)
            fprintf(list, "%.*s%c", (int)row.size, row.text, '\0');
    }
    fputc('\0', list);
    if (fclose(list) != 0 && error == 0)
        error = store_refuse(on, -ENOMEM, "out of memory");
    if (error != 0) {
        free(*names);
        *names = NULL;
    }
    return error;
}

int store_note_cluster(struct store_slurm *slurm, const char *cluster)
{
    struct until_name name;
    char *names = NULL;
    int64_t until;
    size_t count = 0;
    /* Others are no names of Slurm's, and sacct may take them for something else than a name. */
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.";
    if (cluster == NULL || strcmp(cluster, slurm->noted) == 0 || cluster[0] == '\0' ||
        cluster[strspn(cluster, letters)] != '\0' || !name_until(cluster, &name))
        return 0;
    const struct value key = value_text(name.text);
    int found = store_ask(slurm->on, slurm->until, &key, &until, 1);
    if (found < 0)
        return found;
    int error = found ? 0 : list_clusters(slurm, &names);
    for (const char *at = names; at != NULL && *at != '\0'; at += strlen(at) + 1)
        count++;
    free(names);
    if (error == 0 && !found && count >= CLUSTERS_MAX)
        snprintf(slurm->left_out, sizeof slurm->left_out, "%s", cluster);
    else if (error == 0 && !found)
        error = set_until(slurm, cluster, 0);
    if (error == 0)
        snprintf(slurm->noted, sizeof slurm->noted, "%s", cluster);
    return error;
}

/* What is tried again is counted again. */
struct slurm_put {
    const struct slurm_answer *answer;
    struct slurm_counts counts;
};

static int put_answer(struct store *store, void *context)
{
    struct slurm_put *put = context;
    const struct slurm_answer *answer = put->answer;
    const struct slurm_job *end = answer->jobs + answer->count, *next;
    int error = 0;
    put->counts = (struct slurm_counts){0};
    for (const struct slurm_job *job = answer->jobs; error == 0 && job < end; job = next) {
        next = find_end(job, end);
        error = put_some(&store->accounting, job, next, answer->asked_time, &put->counts);
        for (; error == 0 && job < next; job++)
            error = store_note_again(&store->again, job->job_id_raw);
    }
    if (error == 0)
        error = store_settle_again(&store->again);
    if (error == 0 && answer->cluster != NULL)
        error = set_until(&store->accounting, answer->cluster, answer->until);
    if (error == 0 && store->connection.replaces)
        error = store_write(&store->connection, store->add_replaced, NULL, 1);
    return error;
}

int store_put_slurm_jobs(struct store *store, const struct slurm_answer *answer,
                         struct slurm_counts *counts)
{
    struct slurm_put put = {.answer = answer};
    if (answer->count > 0)
        qsort(answer->jobs, answer->count, sizeof *answer->jobs, compare_jobs);
    int error = store_transact(store, put_answer, &put);
    if (error != 0)
        return error;
    counts->fresh += put.counts.fresh;
    counts->updated += put.counts.updated;
    counts->unchanged += put.counts.unchanged;
    return 0;
}

/* ---- What to ask for ------------------------------------------------------------------------ */

struct slurm_ask {
    struct statement *const *statement; /* of one value */
    const char *key;
    int64_t number;
    bool is_found;
};

static int ask_number(struct store *store, void *context)
{
    struct slurm_ask *ask = context;
    const struct value key = value_text(ask->key);
    ask->number = 0;
    int found = store_ask(&store->connection, *ask->statement, &key, &ask->number, 1);
    ask->is_found = found > 0;
    return found < 0 ? found : 0;
}

int store_slurm_until(struct store *store, const char *cluster, double *until)
{
    struct until_name name;
    struct slurm_ask ask = {.statement = &store->accounting.until, .key = name.text};
    int error = name_until(cluster, &name) ? store_transact(store, ask_number, &ask) : 0;
    *until = (double)ask.number;
    return error;
}

int store_slurm_first(struct store *store, const char *cluster, double *first)
{
    struct slurm_ask ask = {.statement = &store->accounting.first, .key = cluster};
    int error = store_transact(store, ask_number, &ask);
    *first = (double)ask.number;
    return error;
}

static int ask_clusters(struct store *store, void *names)
{
    return list_clusters(&store->accounting, names);
}

int store_slurm_clusters(struct store *store, char **names)
{
    *names = NULL;
    return store_transact(store, ask_clusters, names);
}

const char *store_slurm_left_out(const struct store *store)
{
    return store == NULL ? "" : store->accounting.left_out;
}

int store_has_slurm_jobs(struct store *store, const char *cluster, bool *has_any)
{
    struct slurm_ask ask = {.statement = &store->accounting.any, .key = cluster};
    int error = store_transact(store, ask_number, &ask);
    *has_any = ask.is_found;
    return error;
}

struct open_jobs {
    const char *cluster;
    double asked_time;
    int64_t *jobs;
    size_t count;
};

static int list_open_jobs(struct store *store, void *context)
{
    struct open_jobs *open = context;
    struct store_connection *on = &store->connection;
    const struct value asked[] = {value_text(open->cluster), real_value(open->asked_time)};
    struct value row;
    int more, error = store_select(on, store->accounting.open_jobs, asked);
    open->count = 0;
    while (error == 0 && (more = store_next(on, store->accounting.open_jobs, &row, 1)) != 0) {
        error = more < 0 ? more : 0;
        if (error == 0 && open->count < SLURM_OPEN_MAX)
            open->jobs[open->count++] = value_whole(&row);
    }
    return error;
}

int store_slurm_open_jobs(struct store *store, const char *cluster, double asked_time,
                          int64_t jobs[SLURM_OPEN_MAX], size_t *count)
{
    struct open_jobs open = {cluster, asked_time, jobs, 0};
    int error = store_transact(store, list_open_jobs, &open);
    *count = open.count;
    return error;
}
