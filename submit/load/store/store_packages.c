/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <string.h>

#include "submit/load/store/record_owner.h"
#include "submit/load/store/store_state.h"

static void prepare_packages(struct store_packages *packages, int *error)
{
    packages->find = store_statement(
        packages->on,
        "SELECT proven FROM run_package WHERE run_uuid = ? AND owner = ? AND package_id = ?",
        error);
    packages->add = store_statement(
        packages->on,
        "INSERT INTO run_package (run_uuid, owner, package_id, proven) VALUES (?, ?, ?, ?)", error);
    packages->prove = store_statement(
        packages->on,
        "UPDATE run_package SET proven = 1 WHERE run_uuid = ? AND owner = ? AND package_id = ?",
        error);
}

/* Whether the run of a row of XALT's database is XALT's, and so its packages (record_owner.h). */
static int has_xalt_run(struct store_packages *packages, const struct record *record)
{
    const struct value uuid = value_text(record->package.run_uuid);
    int64_t count = 0;
    int error = store_ask(packages->on, packages->has_xalt_run, &uuid, &count, 1);
    return error < 0 ? error : count > 0;
}

static void prepare_owners(struct store_packages *packages, int *error)
{
    packages->has_xalt_run = store_statement(
        packages->on, "SELECT count(*) FROM run_own WHERE uuid = ? AND owner % 2 = 0", error);
    packages->owners = store_owners_statement(packages->on, "run_package", "run_uuid", error);
    char sql[256];
    const char *or_keep = packages->on->ops->or_keep;
    snprintf(sql, sizeof sql,
             "INSERT INTO package_owner (id, user, uid, job_id, restart_count, cluster)"
             " VALUES (?, ?, ?, ?, ?, ?) %s%s",
             or_keep == NULL ? "" : or_keep, or_keep == NULL ? "" : " id = id");
    packages->add_owner = store_statement(packages->on, sql, error);
    packages->find_owner =
        store_statement(packages->on, "SELECT 1 FROM package_owner WHERE id = ?", error);
}

int store_prepare_packages(struct store_packages *packages, struct store_intern *intern)
{
    int error = 0;
    packages->on = intern->on;
    packages->intern = intern;
    prepare_packages(packages, &error);
    prepare_owners(packages, &error);
    return error;
}

static int want_package(struct store_packages *packages, const struct package_record *package,
                        struct digest *digest)
{
    const char *const texts[] = {package->program, package->name, package->version, package->path};
    const struct value rest[] = {value_text(texts[0]), value_text(texts[1]), value_text(texts[2]),
                                 value_text(texts[3])};
    digest_texts(texts, 4, digest);
    return store_want(packages->intern, TABLE_PACKAGE, digest, rest);
}

int store_want_package(struct store_packages *packages, const struct record *record)
{
    struct digest digest;
    int wanted = want_package(packages, &record->package, &digest);
    return wanted < 0 ? wanted : 0;
}

/* Who an owner is: a package's row has the number alone. */
static int put_owner(struct store_packages *packages, const struct value row[1 + OWNER_VALUES],
                     int64_t owner)
{
    struct digest key = {.bytes = "--------pkg owner"};
    memcpy(key.bytes, &owner, sizeof owner);
    if (owner == OWNER_OF_XALT || id_cache_find(&packages->intern->known, &key) != 0)
        return 0;
    int found = store_ask(packages->on, packages->find_owner, row, &(int64_t){0}, 1);
    if (found < 0)
        return found;
    id_cache_add(&packages->intern->known, &key, 1);
    return found ? 0 : store_write(packages->on, packages->add_owner, row, 1);
}

/* Whether STORE_CLAIMS other owners have unproven packages of the run. An owner who has packages
 * there may add more. */
static int is_crowded(struct store_packages *packages, const struct record *record, int64_t owner)
{
    const char *uuid = record->package.run_uuid;
    enum store_result result = STORE_NEW;
    struct owner_row row = {.found = false};
    if (!record->unproven)
        return 0;
    int error = store_find_owner(packages->on, packages->owners, uuid, owner, &row);
    if (error == 0 && !row.found)
        error = store_look_at_owners(packages->on, packages->owners, uuid, true, &result);
    return error != 0 ? error : result == STORE_CROWDED;
}

int store_put_package(struct store_packages *packages, const struct record *record,
                      enum store_result *result)
{
    const struct package_record *package = &record->package;
    struct digest digest;
    struct value of_owner[1 + OWNER_VALUES];
    int64_t is_proven = 0;
    /* a dry run leaves no runs behind */
    const int has_run =
        record->is_history && !packages->on->dry_run ? has_xalt_run(packages, record) : 1;
    if (has_run <= 0) {
        *result = STORE_UNCHANGED;
        return has_run;
    }
    int error = want_package(packages, package, &digest);
    const int64_t owner = record_owner_of_package(package, of_owner + 1);
    of_owner[0] = value_int(owner);
    if (error >= 0 && (error = is_crowded(packages, record, owner)) > 0) {
        *result = STORE_CROWDED;
        return 0;
    }
    if (error == 0)
        error = put_owner(packages, of_owner, owner);
    if (error < 0)
        return error;
    const struct value row[] = {value_text(package->run_uuid), value_int(owner),
                                value_int(store_id(packages->intern, TABLE_PACKAGE, &digest)),
                                value_int(!record->unproven)};
    int found = store_ask(packages->on, packages->find, row, &is_proven, 1);
    if (found < 0)
        return found;
    if (found && !is_proven && !record->unproven) { /* what is proven replaces what is not */
        *result = STORE_UPDATED;
        packages->on->replaces = true;
        return store_write(packages->on, packages->prove, row, 1);
    }
    *result = found ? STORE_UNCHANGED : STORE_NEW;
    return found ? 0 : store_write(packages->on, packages->add, row, 1);
}
