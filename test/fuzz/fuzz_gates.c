/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the gates on a node accept is read by the loader as the kind and the owner of its name:
 * "WHO NAME\nTEXT", lines of them, where WHO is the gate: h of what the user alice hands in, e, s
 * and r of what the worker says of her job 7: ends, starts and of a session.
 */
#include <stdlib.h>
#include <string.h>

#include "spank/journal.h"
#include "submit/definition/record_view.h"
#include "submit/flush/worker_check.h"
#include "submit/hand_in/hand_in_check.h"
#include "submit/job/job_journal.h"
#include "test/fuzz/fuzz.h"
#include "test/fuzz/fuzz_gates_loaded.h"

#define USER "alice"

static struct conf conf = {.syshost = (char *)"tiny", .cluster = (char *)"c"};

static void expect(const char *name, const char *text, uint32_t job)
{
    const struct record_view record = record_view(name, text, strlen(text));
    struct loaded loaded;
    if (!loaded_read(name, text, strlen(text), &loaded))
        return; /* damaged: set aside */
    require(record.uuid != NULL && loaded.kind == record.kind);
    require(loaded.kind != RECORD_LIBRARY); /* root's own */
    require(strlen(loaded.uuid) == RECORD_UUID_SIZE - 1);
    require(strncasecmp(loaded.uuid, record.uuid, RECORD_UUID_SIZE - 1) == 0);
    require(strcmp(loaded.user, USER) == 0);
    if (loaded.kind == RECORD_LINK)
        require(loaded.job == 0);
    else
        require(loaded.job == job && strcmp(loaded.cluster, "c") == 0);
    if (loaded.kind == RECORD_RUN || loaded.kind == RECORD_COVERAGE)
        require(strcmp(loaded.node, "n1") == 0); /* of a package no reader asks for it */
}

static void hand_in(const char *name, const char *text)
{
    const struct record_view record = record_view(name, text, strlen(text));
    if (hand_in_name_fits(&record, USER) && hand_in_is_line(&record) &&
        hand_in_says(&record, USER, 1000))
        expect(name, text, 0);
}

static void of_worker(enum reading_kind kind, const char *name, const char *text)
{
    const struct job_identity identity = {
        .job = kind == READING_SESSION ? 0 : 7,
        .array_job = JOURNAL_NONE,
        .array_task = JOURNAL_NONE,
        .het_job = JOURNAL_NONE,
        .uid = 1000,
        .gid = 1000,
        .user = (char *)USER,
        .account = (char *)"a",
        .partition = (char *)"p",
        .qos = (char *)"",
        .cluster = (char *)"",
        .node = (char *)"n1",
    };
    const struct job_allocation allocation = {.cpus = 4,
                                              .start_ns = UINT64_C(1700000000000000000),
                                              .end_ns = UINT64_C(1700000100000000000),
                                              .start_source = "prolog",
                                              .end_source = "epilog",
                                              .core_seconds = 400,
                                              .tasks = 8};
    const struct record_view record = record_view(name, text, strlen(text));
    struct worker_check *check = worker_check_new(
        kind, &conf, &identity, kind == READING_JOB ? &allocation : NULL, NULL, -1, -1);
    require(check != NULL);
    if (worker_check_record(check, &record))
        expect(name, text, identity.job);
    worker_check_free(check);
}

static void take(char *line, const char *text)
{
    const char *name = line + 2;
    if (line[0] == '\0' || line[1] != ' ')
        return;
    if (line[0] == 'h')
        hand_in(name, text);
    else
        of_worker(line[0] == 's'   ? READING_STARTS
                  : line[0] == 'r' ? READING_SESSION
                                   : READING_JOB,
                  name, text);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    char *lines = malloc(size + 1), *rest = NULL;
    require(lines != NULL);
    memcpy(lines, data, size);
    lines[size] = '\0';
    for (char *line = strtok_r(lines, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        const char *text = strtok_r(NULL, "\n", &rest);
        if (text == NULL)
            break;
        take(line, text);
    }
    free(lines);
    return 0;
}
