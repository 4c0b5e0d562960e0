/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The lists of the records' values, made of keys.def.
 */
#include "submit/load/parse/load_record.h"

#define KIND_OF(type, member)                                                                      \
    _Generic(((struct type *)0)->member,                                                           \
        const char *: FIELD_TEXT,                                                                  \
        struct record_int: FIELD_INT,                                                              \
        struct record_real: FIELD_REAL)

/* What a text of each form may have at the most. */
enum {
    MAX_NAME = RECORD_NAME_MAX_BYTES,
    MAX_NAME_OR_NULL = RECORD_NAME_MAX_BYTES,
    MAX_NAME_IF_ANY = RECORD_NAME_MAX_BYTES,
    MAX_TEXT = RECORD_TEXT_MAX_BYTES,
    MAX_SPELT = 0, /* no text here, as all that follow */
    MAX_WHOLE = 0,
    MAX_WHOLE_OR_NULL = 0,
    MAX_COUNT = 0,
    MAX_REAL = 0,
    MAX_REAL_OR_NULL = 0,
    MAX_FLAG = 0,
};

/* clang-format off */
#define ENTRY(type, table, key, form, member)                                                      \
    {#member, KIND_OF(type, member), offsetof(struct type, member), MAX_##form, table, #key, sizeof #key - 1},
#define NO_ENTRY(type, table, key, form, member)

/* ENTRY where the two names are the same, or NO_ENTRY. */
#define IF_SAME(one, other)           SECOND(SAME_##one##_##other ENTRY, NO_ENTRY, )
#define SECOND(...)                   SECOND_OF(__VA_ARGS__)
#define SECOND_OF(first, second, ...) second
#define SAME_run_own_run_own   ,
#define SAME_program_program   ,
#define SAME_job_part_job_part ,
#define SAME_layout_layout     ,
#define SAME_ending_ending     ,

static const struct record_field of_all_runs[] = {
#define RUN_KEY(table, key, form, from, store, column) ENTRY(run_record, table, key, form, column)
#include "submit/definition/keys.def"
};

static const struct record_field of_run[] = {
#define RUN_KEY(table, key, form, from, store, column) IF_SAME(run_own, store)(run_record, table, key, form, column)
#include "submit/definition/keys.def"
};

static const struct record_field of_program[] = {
#define RUN_KEY(table, key, form, from, store, column) IF_SAME(program, store)(run_record, table, key, form, column)
#include "submit/definition/keys.def"
};

static const struct record_field of_job_part[] = {
#define RUN_KEY(table, key, form, from, store, column) IF_SAME(job_part, store)(run_record, table, key, form, column)
#include "submit/definition/keys.def"
};

static const struct record_field of_layout[] = {
#define RUN_KEY(table, key, form, from, store, column) IF_SAME(layout, store)(run_record, table, key, form, column)
#include "submit/definition/keys.def"
};

static const struct record_field of_ending[] = {
#define RUN_KEY(table, key, form, from, store, column) IF_SAME(ending, store)(run_record, table, key, form, column)
#include "submit/definition/keys.def"
};

static const struct record_field of_build[] = {
#define BUILD_KEY(key, form, column) ENTRY(build_record, "", key, form, column)
#include "submit/definition/keys.def"
};

static const struct record_field of_link[] = {
#define LINK_KEY(table, key, form, from, store, column) ENTRY(link_record, table, key, form, column)
#include "submit/definition/keys.def"
};

static const struct record_field of_package[] = {
#define PACKAGE_KEY(table, key, form, from, store, column) ENTRY(package_record, table, key, form, column)
#include "submit/definition/keys.def"
};

static const struct record_field of_library[] = {
#define LIBRARY_KEY(table, key, form, from, store, column) ENTRY(library_record, table, key, form, column)
#include "submit/definition/keys.def"
};

static const struct record_field of_ranks[] = {
#define RANKS_KEY(table, key, form, from, store, column) ENTRY(ranks_record, table, key, form, column)
#include "submit/definition/keys.def"
};

static const struct record_field of_profile[] = {
#define PROFILE_KEY(table, key, form, from, store, column) ENTRY(profile_record, table, key, form, column)
#include "submit/definition/keys.def"
};

#define LIST(fields) {fields, sizeof(fields) / sizeof *(fields)}
/* clang-format on */

const struct record_fields all_run_fields = LIST(of_all_runs);
const struct record_fields run_fields = LIST(of_run);
const struct record_fields program_fields = LIST(of_program);
const struct record_fields job_part_fields = LIST(of_job_part);
const struct record_fields layout_fields = LIST(of_layout);
const struct record_fields ending_fields = LIST(of_ending);
const struct record_fields build_fields = LIST(of_build);
const struct record_fields link_fields = LIST(of_link);
const struct record_fields package_fields = LIST(of_package);
const struct record_fields library_fields = LIST(of_library);
const struct record_fields ranks_fields = LIST(of_ranks);
const struct record_fields profile_fields = LIST(of_profile);
