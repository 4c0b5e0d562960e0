/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Jobs of Slurm's accounting. Slurm gives a job that it requeues a new time of submission, that of
 * the end before, and keeps a row for each; so it does with one whose size it changes. Which
 * restart a row is follows from those before it, in the store and beside it.
 */
#include "submit/load/store/store.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
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

enum { FOUND_COLUMNS = SLURM_cluster + 1 }; /* those before, and restart_count */

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
#define NAME(name, kind) "`" #name "`, "
    struct store_text find = {0}, put = {0};
    int error = 0;
    slurm->on = on;
    store_text_add(&find,
                   "SELECT " SLURM_KNOWN_COLUMNS(NAME) "restart_count FROM slurm_job"
                                                       " WHERE cluster = ? AND job_id_raw IN (");
    store_text_add_places(&find, ASK_AT_ONCE);
    store_text_add(&find, ")");
    store_text_add(&put, "REPLACE INTO slurm_job (" SLURM_KNOWN_COLUMNS(NAME)
                             SLURM_OTHER_COLUMNS(NAME) "restart_count) VALUES (");
    store_text_add_places(&put, SLURM_COLUMNS + 1);
    store_text_add(&put, ")");
#undef NAME
    slurm->find = store_text_statement(on, &find, &error);
    slurm->put = store_text_statement(on, &put, &error);
    slurm->renumber = store_statement(on,
                                      "UPDATE slurm_job SET restart_count = ? WHERE cluster = ?"
                                      " AND job_id_raw = ? AND submit_time = ?",
                                      &error);
    slurm->set_until =
        store_statement(on, "REPLACE INTO store_state (name, value) VALUES (?, ?)", &error);
    slurm->noted_before = store_statement(on,
                                          "SELECT count(*), coalesce(sum(name = ?), 0)"
                                          " FROM store_state WHERE name > 'slurm '"
                                          " AND name < 'slurm!'",
                                          &error);
    slurm->clusters = store_statement(
        on,
        "SELECT substr(name, 7), value, coalesce((SELECT start_time FROM coverage WHERE proven = 1"
        " AND cluster = substr(name, 7) AND start_time IS NOT NULL ORDER BY start_time LIMIT 1), "
        "0),"
        " EXISTS (SELECT 1 FROM slurm_job WHERE cluster = substr(name, 7))"
        " FROM store_state WHERE name >= 'slurm ' AND name < 'slurm!' ORDER BY name",
        &error);
    slurm->open_jobs = store_statement(
        on,
        "SELECT job_id_raw, submit_time FROM slurm_job WHERE end_time IS NULL AND cluster = ?"
        " ORDER BY asked_time LIMIT 500",
        &error);
    return error;
}

void store_free_slurm(struct store_slurm *slurm)
{
    free(slurm->rows);
    slurm->rows = NULL;
    slurm->count = slurm->room = 0;
}

/* ---- What is known -------------------------------------------------------------------------- */

static bool is_state(const struct value *state, const char *name)
{
    return state->size == strlen(name) && memcmp(state->text, name, state->size) == 0;
}

/* The row of these columns, which is new with a job. */
static int add_row(struct store_slurm *slurm, const struct value *column,
                   const struct slurm_job *job)
{
    static const char *const requeued[] = {"REQUEUED", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL"};
    struct slurm_row row = {
        .job_id = value_whole(&column[SLURM_job_id_raw]),
        .submit_time = value_whole(&column[SLURM_submit_time]),
        .job = job,
        .is_known = job == NULL,
        .has_ended = column[SLURM_end_time].kind != VALUE_NULL,
        .end_time = value_number(&column[SLURM_end_time]),
        .core_seconds = value_number(&column[SLURM_core_seconds]),
        .known_count = job == NULL ? value_whole(&column[FOUND_COLUMNS - 1]) : 0,
        .is_resized = is_state(&column[SLURM_state], "RESIZING"),
    };
    for (size_t i = 0; i < sizeof requeued / sizeof requeued[0]; i++)
        row.is_requeued |= is_state(&column[SLURM_state], requeued[i]);
    digest_values(&column[SLURM_user], 1, &row.user);
    digest_values(&column[SLURM_account], 3, &row.rest);
    if (GROW_TO(slurm->rows, slurm->room, slurm->count + 1) != 0)
        return store_refuse(slurm->on, -ENOMEM, "out of memory");
    slurm->rows[slurm->count++] = row;
    return 0;
}

static int order_of(int64_t one, int64_t other)
{
    return one < other ? -1 : one > other;
}

static int compare_numbers(const struct slurm_job *one, const struct slurm_job *other)
{
    return order_of(one->column[SLURM_job_id_raw].whole, other->column[SLURM_job_id_raw].whole);
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
    asked[0] = first->column[SLURM_cluster];
    for (const struct slurm_job *job = first; error == 0 && job < end; job++) {
        if (job == first || compare_numbers(job, job - 1) != 0)
            asked[1 + count++] = job->column[SLURM_job_id_raw];
        error = add_row(slurm, job->column, job);
    }
    while (count < ASK_AT_ONCE)
        asked[1 + count++] = (struct value){.kind = VALUE_NULL};
    if (error == 0)
        error = store_select(slurm->on, slurm->find, asked);
    while (error == 0 && (more = store_next(slurm->on, slurm->find, found, FOUND_COLUMNS)) != 0)
        error = more < 0 ? more : add_row(slurm, found, NULL);
    return error;
}

/* ---- Restarts ------------------------------------------------------------------------------- */

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
            /* which takes over what was known of it, or it was to be before */
            row[1].is_known = row->is_known;
            row[1].known_count = row->known_count;
            row[1].was_ended = row->job == NULL ? row->has_ended : row->was_ended;
            row[1].is_changed = row->is_changed || says_other(row + 1, row);
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

static int put_row(struct store_slurm *slurm, const struct value *cluster,
                   const struct slurm_row *row, struct slurm_counts *counts)
{
    bool is_renumbered = row->restart_count != row->known_count;
    bool is_other = row->is_changed || is_renumbered;
    slurm->on->replaces |= row->is_known && row->was_ended && is_other;
    if (row->job == NULL) {
        const struct value values[] = {value_int(row->restart_count), *cluster,
                                       value_int(row->job_id), value_int(row->submit_time)};
        return is_renumbered ? store_write(slurm->on, slurm->renumber, values, 1) : 0;
    }
    counts->fresh += !row->is_known;
    counts->updated += row->is_known && is_other;
    counts->unchanged += row->is_known && !is_other;
    struct value values[SLURM_COLUMNS + 1];
    memcpy(values, row->job->column, sizeof row->job->column);
    values[SLURM_COLUMNS] = value_int(row->restart_count);
    return row->is_known && !is_other && row->has_ended
               ? 0
               : store_write(slurm->on, slurm->put, values, 1);
}

/* Of one cluster, and of up to ASK_AT_ONCE jobs. */
static int put_some(struct store_slurm *slurm, const struct slurm_job *first,
                    const struct slurm_job *end, struct slurm_counts *counts)
{
    int error = find_rows(slurm, first, end);
    if (error == 0)
        number_rows(slurm);
    for (size_t i = 0; error == 0 && i < slurm->count; i++)
        error = put_row(slurm, &first->column[SLURM_cluster], &slurm->rows[i], counts);
    return error;
}

static int compare_clusters(const struct slurm_job *one, const struct slurm_job *other)
{
    return strcmp(one->column[SLURM_cluster].text, other->column[SLURM_cluster].text);
}

static int compare_jobs(const void *left, const void *right)
{
    int order = compare_clusters(left, right);
    return order != 0 ? order : compare_numbers(left, right);
}

/* Behind the jobs that are put together with the first. */
static const struct slurm_job *find_end(const struct slurm_job *first, const struct slurm_job *end)
{
    const struct slurm_job *job = first;
    for (size_t different = 1; ++job < end && compare_clusters(job, first) == 0;) {
        different += compare_numbers(job, job - 1) != 0;
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

int store_note_cluster(struct store_slurm *slurm, const char *cluster)
{
    struct until_name name;
    int64_t found[2]; /* clusters, and whether this is one */
    /* Others are no names of Slurm's, and sacct may take them for something else than a name. */
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.";
    if (cluster == NULL || strcmp(cluster, slurm->noted) == 0 || cluster[0] == '\0' ||
        cluster[strspn(cluster, letters)] != '\0' || !name_until(cluster, &name))
        return 0;
    const struct value key = value_text(name.text);
    int error = store_ask(slurm->on, slurm->noted_before, &key, found, 2);
    if (error < 0)
        return error;
    error = 0;
    if (found[1] == 0 && found[0] >= CLUSTERS_MAX)
        snprintf(slurm->left_out, sizeof slurm->left_out, "%s", cluster);
    else if (found[1] == 0)
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
        error = put_some(&store->accounting, job, next, &put->counts);
        for (; error == 0 && job < next; job++)
            error = store_note_again(&store->again, job->column[SLURM_job_id_raw].whole);
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

struct slurm_cluster {
    char name[64];
    double until, first;
    bool is_known;
};

static int list_jobs(struct store_slurm *slurm, const struct slurm_cluster *cluster, FILE *list)
{
    const struct value asked = value_text(cluster->name);
    struct value row[2];
    const char *comma = "";
    fprintf(list, "%.0f %.0f %d ", cluster->until, floor(cluster->first), cluster->is_known);
    int more, error = store_select(slurm->on, slurm->open_jobs, &asked);
    while (error == 0 && (more = store_next(slurm->on, slurm->open_jobs, row, 2)) != 0) {
        error = more < 0 ? more : 0;
        if (error == 0)
            fprintf(list, "%s%" PRId64 ":%" PRId64, comma, value_whole(&row[0]),
                    value_whole(&row[1]));
        comma = ",";
    }
    fprintf(list, " %s%c", cluster->name, '\0');
    return error;
}

static int list_clusters(struct store *store, void *words)
{
    struct store_slurm *slurm = &store->accounting;
    struct slurm_cluster clusters[CLUSTERS_MAX + 1] = {{.name = ""}};
    struct value row[4];
    size_t count = 0, size = 0;
    FILE *list;
    int more, error = store_select(slurm->on, slurm->clusters, NULL);
    while (error == 0 && (more = store_next(slurm->on, slurm->clusters, row, 4)) != 0) {
        error = more < 0 ? more : 0;
        if (error != 0 || count > CLUSTERS_MAX)
            continue;
        struct slurm_cluster *cluster = &clusters[count++];
        snprintf(cluster->name, sizeof cluster->name, "%.*s", (int)row[0].size, row[0].text);
        cluster->until = value_number(&row[1]);
        cluster->first = value_number(&row[2]);
        cluster->is_known = value_whole(&row[3]) != 0;
    }
    /* The default one where no other is known. */
    size_t from = count > 1 && clusters[0].name[0] == '\0' ? 1 : 0;
    free(*(char **)words);
    list = error != 0 ? NULL : open_memstream(words, &size);
    if (list == NULL)
        return error != 0 ? error : store_refuse(slurm->on, -ENOMEM, "out of memory");
    for (size_t i = from; error == 0 && (i == from || i < count); i++)
        error = list_jobs(slurm, &clusters[i], list);
    fputc('\0', list);
    return fclose(list) != 0 && error == 0 ? store_refuse(slurm->on, -ENOMEM, "out of memory")
                                           : error;
}

int store_slurm_clusters(struct store *store, char **words)
{
    *words = NULL;
    return store_transact(store, list_clusters, words);
}

const char *store_slurm_left_out(const struct store *store)
{
    return store == NULL ? "" : store->accounting.left_out;
}
