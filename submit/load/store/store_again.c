/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Numbers of jobs that come again, behind MaxJobId or where Slurm's state was lost: `job_again`.
 * Proven coverage and Slurm's accounting say from when to when jobs had it. What overlaps is one
 * job, on several nodes. What comes after a job's end is another one if it is another user's, or no
 * later restart and 30 s later: clocks of nodes differ, and Slurm may start a job that it requeues
 * at once without counting.
 */
#include "submit/load/store/store_state.h"

#define OF_NUMBER "OVER (PARTITION BY cluster, job_id_raw"
#define IN_ORDER  " ORDER BY start_time, restart_count DESC"

/* Of a row of slurm_job. One that goes on where the number was given again is of a lost state. */
#define SLURM_END                                                                                  \
    " coalesce(end_time, CASE WHEN EXISTS (SELECT 1 FROM slurm_job AS later"                       \
    " WHERE later.job_id_raw = slurm_job.job_id_raw AND later.cluster = slurm_job.cluster"         \
    " AND later.submit_time > slurm_job.submit_time) THEN slurm_job.start_time"                    \
    " ELSE asked_time END)"

/* Behind each of these stands a list of numbers, and in the end `behind`. */
static const char is_inside[] = /* a job's time, by records that came later */
    " (EXISTS (SELECT 1 FROM coverage WHERE job_start < job_again.start_time"
    " AND job_end > job_again.start_time AND coverage.job_id_raw = job_again.job_id_raw"
    " AND coalesce(coverage.cluster, '') = job_again.cluster AND proven = 1)"
    " OR EXISTS (SELECT 1 FROM slurm_job WHERE slurm_job.start_time > 0"
    " AND slurm_job.start_time < job_again.start_time AND" SLURM_END " > job_again.start_time"
    " AND slurm_job.job_id_raw = job_again.job_id_raw AND slurm_job.cluster = job_again.cluster))"
    " AND job_id_raw IN (";
static const char *const add_parts[] = {
    "REPLACE INTO job_again (cluster, job_id_raw, start_time)"
    " SELECT cluster, job_id_raw, CASE WHEN ended + 1200 < start_time THEN start_time - 600"
    " ELSE (ended + start_time) / 2 END FROM (SELECT span.*,"
    " max(end_time) " OF_NUMBER IN_ORDER " ROWS BETWEEN UNBOUNDED PRECEDING"
    " AND 1 PRECEDING) AS ended, lag(user) " OF_NUMBER IN_ORDER ") AS last_user,"
    " lag(restart_count) " OF_NUMBER IN_ORDER ") AS last_count"
    " FROM (SELECT coalesce(cluster, '') AS cluster, job_id_raw, user, restart_count,"
    " job_start AS start_time, job_end AS end_time FROM coverage WHERE proven = 1"
    " AND job_id_raw IN (",
    ") UNION SELECT cluster, job_id_raw, nullif(user, ''), restart_count, start_time," SLURM_END
    " FROM slurm_job WHERE start_time > 0 AND job_id_raw IN (",
};
static const char behind[] =
    ")) AS span) AS gap WHERE ended < start_time AND"
    " (user <> last_user OR (ended + 30 < start_time AND restart_count <= last_count))"
    " AND NOT EXISTS (SELECT 1 FROM job_again WHERE job_again.job_id_raw = gap.job_id_raw AND"
    " job_again.cluster = gap.cluster AND job_again.start_time BETWEEN ended AND gap.start_time)";

static void add_numbers(struct store_text *sql, const char *before, const char *text)
{
    store_text_add(sql, "%s%s", before, text);
    store_text_add_places(sql, STORE_AGAIN_MAX);
}

int store_prepare_again(struct store_again *again, struct store_connection *on)
{
    struct store_text replaced = {0}, drop = {0}, add = {0};
    int error = 0;
    add_numbers(&replaced,
                "UPDATE store_state SET value = value + 1 WHERE name = 'replaced'"
                " AND EXISTS (SELECT 1 FROM job_again WHERE",
                is_inside);
    store_text_add(&replaced, "))");
    add_numbers(&drop, "DELETE FROM job_again WHERE", is_inside);
    store_text_add(&drop, ")");
    add_numbers(&add, "", add_parts[0]);
    add_numbers(&add, "", add_parts[1]);
    store_text_add(&add, "%s", behind);
    again->on = on;
    again->replaced = store_text_statement(on, &replaced, &error);
    again->drop = store_text_statement(on, &drop, &error);
    again->add = store_text_statement(on, &add, &error);
    return error;
}

int store_settle_again(struct store_again *again)
{
    struct value numbers[2 * STORE_AGAIN_MAX];
    for (size_t i = 0; i < 2 * STORE_AGAIN_MAX; i++)
        numbers[i] = i % STORE_AGAIN_MAX < again->count
                         ? value_int(again->numbers[i % STORE_AGAIN_MAX])
                         : (struct value){.kind = VALUE_NULL};
    if (again->count == 0)
        return 0;
    again->count = 0;
    int error = store_write(again->on, again->replaced, numbers, 1);
    if (error == 0)
        error = store_write(again->on, again->drop, numbers, 1);
    return error == 0 ? store_write(again->on, again->add, numbers, 1) : error;
}

int store_note_again(struct store_again *again, int64_t number)
{
    if (again->count == 0 || again->numbers[again->count - 1] != number)
        again->numbers[again->count++] = number;
    return again->count == STORE_AGAIN_MAX ? store_settle_again(again) : 0;
}
