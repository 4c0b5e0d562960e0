/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records: from their JSON text, as jobtrail or XALT writes it, to checked values. What kind one is
 * follows from its keys (record_keys.h), which have to be of that kind alone, each once, and from
 * its name where it has one: both say the same. Anything may be missing except a run's and a link's
 * uuid and a package's run; a number may be written as a string. The keys are XALT's; slurmT is
 * jobtrail's own.
 */
#pragma once

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/hash.h"
#include "submit/definition/record_keys.h"
#include "submit/load/parse/json_members.h"
#include "submit/load/parse/load_reason.h"

/* slurmT.core_days: what a run had of the allocation on each day. */
struct run_day {
    int32_t day; /* since 1970-01-01 */
    double core_seconds;
};

struct run_days {
    struct run_day first;
    struct run_day *list; /* owned: all of them where there are more than one, else NULL */
    size_t count;
    double sum; /* of the core seconds */
};

/* Bytes of UTF-8. A name is what people group by: users, accounts, hosts. */
#define RECORD_NAME_MAX_BYTES 255
#define RECORD_TEXT_MAX_BYTES 65535

#define RECORD_DATE_SIZE sizeof "YYYY-MM-DD HH:MM:SS"

struct record_int {
    bool known;
    int64_t value;
};

struct record_real {
    bool known;
    double value;
};

/* A part of a record that many records share. */
struct record_part {
    struct digest digest;      /* of its text as it stands in the record, and of what it is */
    struct json_slice text;    /* of the record's text; of size 0 when it has no such part */
    struct json_object *value; /* owned, canonical; NULL when the digest is known already */
    size_t bytes;              /* that the value takes, about */
};

/* What a value of each form of keys.def is in the structs below. */
#define LOADED_NAME          const char *
#define LOADED_NAME_OR_NULL  const char *
#define LOADED_NAME_IF_ANY   const char *
#define LOADED_TEXT          const char *
#define LOADED_SPELT         struct record_real
#define LOADED_WHOLE         struct record_int
#define LOADED_WHOLE_OR_NULL struct record_int
#define LOADED_COUNT         struct record_int
#define LOADED_REAL          struct record_real
#define LOADED_REAL_OR_NULL  struct record_real
#define LOADED_FLAG          struct record_int

struct run_routines;

/* Texts are owned by `struct record`, NUL-terminated UTF-8, and NULL when the record does not say.
 * Times are seconds since the Epoch, durations seconds. */
struct run_record {
#define RUN_KEY(table, key, form, from, store, column) LOADED_##form column;
#include "submit/definition/keys.def"
    bool is_start_only;

    char date[RECORD_DATE_SIZE];   /* room for start_time as record_date() makes it */
    const char *cmdline;           /* JSON array */
    const char *ancestor_pids;     /* JSON array, the parent's first */
    struct json_slice core_days;   /* as it stands in the record; of size 0 when it has none */
    struct run_days days;          /* the same, read; its sum is core_seconds */
    struct run_routines *routines; /* owned: routineT, as its part has read it; or NULL */
    unsigned unread;               /* it has parts of these load_extensions, which are not built */
    int64_t without_room;          /* of its part, for which the store has no room */

    struct record_part libs;        /* array of [path, hash], in order, each once */
    struct record_part environment; /* object of strings */
    struct record_part ancestors;   /* array of objects, the parent first, without their pids */
    struct record_part build;       /* object: the executable's watermark */
};

/* What an executable's watermark says. */
struct build_record {
#define BUILD_KEY(key, form, column) LOADED_##form column;
#include "submit/definition/keys.def"
};

struct link_record {
#define LINK_KEY(table, key, form, from, store, column) LOADED_##form column;
#include "submit/definition/keys.def"
    char date[RECORD_DATE_SIZE];  /* room for build_epoch as record_date() makes it */
    const char *link_line;        /* JSON array */
    struct record_part libs;      /* as a run's */
    struct record_part functions; /* array of names, in order, each once */
};

/* Whose job it is from is not known of XALT's. */
struct package_record {
#define PACKAGE_KEY(table, key, form, from, store, column) LOADED_##form column;
#include "submit/definition/keys.def"
};

/* What became of the tasks of a job on a node; the keys are in jobtrail-record(5). */
struct coverage_record {
    const char *uuid;
    struct json_object *job;   /* coverageT: texts, numbers and nulls */
    struct json_object *facts; /* coverageA: an array of objects of such */
};

/* A change of a library of the site, or a use. */
struct library_record {
#define LIBRARY_KEY(table, key, form, from, store, column) LOADED_##form column;
#include "submit/definition/keys.def"
};

/* Ranks of a program in a step on a node, summarised. */
struct ranks_record {
#define RANKS_KEY(table, key, form, from, store, column) LOADED_##form column;
#include "submit/definition/keys.def"
};

/* A profile of a step that a node has kept. */
struct profile_record {
#define PROFILE_KEY(table, key, form, from, store, column) LOADED_##form column;
#include "submit/definition/keys.def"
};

struct record {
    enum record_kind kind;
    bool unproven;   /* others than root may have written it (record_proof.h) */
    bool is_history; /* of a row of XALT's database */
    union {
        struct run_record run;
        struct link_record link;
        struct package_record package;
        struct coverage_record coverage;
        struct library_record library;
        struct ranks_record ranks;
        struct profile_record profile;
    };
    struct json_object *root; /* owned: what the values are part of, if they are not in the text */
    size_t root_bytes;        /* that it takes, about */
    char *text;               /* owned: what the parts are slices of */
    size_t size;              /* of the text */
    char *list_text;          /* owned: `run.cmdline` or `link.link_line`, or NULL */
    char *pids_text;          /* owned: `run.ancestor_pids`, or NULL */
    char *libs_text;          /* owned: `run.libs` with their build-ids, or NULL */
    char *ancestors_text;     /* owned: `run.ancestors` without its pids, or NULL */
};

enum field_kind { FIELD_TEXT, FIELD_INT, FIELD_REAL };

/* Where a value stands in the JSON, in the struct and, under the same name, in the store. */
struct record_field {
    const char *column;
    enum field_kind kind;
    size_t offset; /* in struct run_record, link_record ... */
    size_t max_bytes;
    const char *table; /* of the record; "" for a key at its top */
    const char *key;
    size_t key_size;
};

struct record_fields {
    const struct record_field *field;
    size_t count;
};

/* The fields of a run and of a watermark: how many there are. */
enum {
#define RUN_KEY(table, key, form, from, store, column) RUN_FIELD_##column,
#include "submit/definition/keys.def"
    RUN_FIELDS
};
enum {
#define BUILD_KEY(key, form, column) BUILD_FIELD_##column,
#include "submit/definition/keys.def"
    BUILD_FIELDS
};

/* All of a run, those of a table side by side; and by the table of the store that they go to. */
extern const struct record_fields all_run_fields;
extern const struct record_fields run_fields, program_fields, job_part_fields, layout_fields,
    ending_fields;
extern const struct record_fields build_fields, link_fields, package_fields, library_fields,
    ranks_fields, profile_fields;

/* Reads the record in the `size` bytes at `text`, which is malloc'ed and has a NUL behind it.
 * `named` is the kind that its name says, RECORD_KINDS where it has none. A part whose digest is in
 * `seen` (which may be NULL) has been read before and is not parsed again; others are added.
 * Returns 0 and fills `*record`, which load_record_free() releases and which owns the text from now
 * on; or the text stays the caller's: -EBADMSG and `*reason` when it is damaged; -ENOMEM. */
int load_record(char *text, size_t size, enum record_kind named, struct id_cache *seen,
                struct record *record, struct load_reason *reason);

/* The memory that the record takes, about: its text, and what was parsed of it. */
size_t load_record_bytes(const struct record *record);

/* `when`, in seconds since the Epoch, in the process's time zone as YYYY-MM-DD HH:MM:SS in `date`,
 * which has RECORD_DATE_SIZE bytes; "" when it is not known or in no year that databases know. */
void record_date(struct record_real when, char *date);

/* The record's text as it was read, which the record's values are not to be used after. */
const char *load_record_text(struct record *record);

void load_record_free(struct record *record);

/* The watermark's values; the texts are owned by `part`. `*build` is all unknown where they are
 * nonsense: a watermark is whatever the executable's owner put there. */
void load_build(const struct record_part *part, struct build_record *build);
