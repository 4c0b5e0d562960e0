/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Links, and the packages that runs loaded.
 */
#include "store_inside.h"

int store_prepare_links(struct store *store)
{
    int error = 0;
    store->find_link = store_statement(store, "SELECT id FROM link WHERE uuid = ?", &error);
    store->add_link = store_statement(
        store,
        "INSERT INTO link (uuid, date, executable_id, object_set_id, function_set_id, link_program,"
        " link_path, module_id, link_line, cwd, build_user, build_host, build_syshost, build_epoch)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        &error);
    store->find_run_package = store_statement(
        store, "SELECT 1 FROM run_package WHERE run_uuid = ? AND package_id = ?", &error);
    store->add_run_package = store_statement(
        store, "INSERT INTO run_package (run_uuid, package_id) VALUES (?, ?)", &error);
    return error;
}

static int want_parts(struct store *store, struct link_record *link)
{
    struct digest executable;
    int error = store_want_executable(store, link->exec_path, link->hash_id, &executable);
    if (error >= 0)
        error = store_want_part(store, PART_LIBS, &link->libs,
                                link->build_syshost == NULL ? "" : link->build_syshost);
    if (error >= 0)
        error = store_want_part(store, PART_FUNCTIONS, &link->functions, NULL);
    return error < 0 ? error : 0;
}

int store_want_link(struct store *store, struct record *record, enum store_result *result)
{
    const struct value uuid = value_text(record->link.uuid);
    int found = store_has_row(store, store->find_link, &uuid);
    if (found < 0)
        return found;
    *result = found ? STORE_UNCHANGED : STORE_NEW;
    return found ? 0 : want_parts(store, &record->link);
}

static int add_link(struct store *store, const struct link_record *link)
{
    struct digest digest;
    int64_t executable = 0, libs, functions;
    int error = store_want_executable(store, link->exec_path, link->hash_id, &digest);
    if (error >= 0 && link->exec_path != NULL)
        executable = store_id(store, TABLE_EXECUTABLE, &digest);
    if (error >= 0)
        error = store_part_id(store, &link->libs, &libs);
    if (error == 0)
        error = store_part_id(store, &link->functions, &functions);
    if (error != 0)
        return error;
    const struct value epoch = {.kind = link->build_epoch.known ? VALUE_REAL : VALUE_NULL,
                                .real = link->build_epoch.value};
    const struct value row[] = {
        value_text(link->uuid),
        value_text(link->date[0] == '\0' ? NULL : link->date),
        value_id(executable),
        value_id(libs),
        value_id(functions),
        value_text(link->link_program),
        value_text(link->link_path),
        value_id(store_module_of(store, link->link_path)),
        value_text(link->link_line),
        value_text(link->cwd),
        value_text(link->build_user),
        value_text(link->build_host),
        value_text(link->build_syshost),
        epoch,
    };
    return store->ops->write(store->database, store->add_link, row, 1);
}

/* Two of a batch may be of the same link. */
int store_put_link(struct store *store, const struct record *record, enum store_result *result)
{
    const struct value uuid = value_text(record->link.uuid);
    int found = *result == STORE_UNCHANGED ? 1 : store_has_row(store, store->find_link, &uuid);
    if (found < 0)
        return found;
    *result = found ? STORE_UNCHANGED : STORE_NEW;
    return found ? 0 : add_link(store, &record->link);
}

static int want_package(struct store *store, const struct package_record *package,
                        struct digest *digest)
{
    const char *const texts[] = {package->program, package->name, package->version, package->path};
    const struct value rest[] = {value_text(texts[0]), value_text(texts[1]), value_text(texts[2]),
                                 value_text(texts[3])};
    int error = store_digest_texts(store, texts, 4, digest);
    return error == 0 ? store_want(store, TABLE_PACKAGE, digest, rest) : error;
}

int store_want_package(struct store *store, const struct record *record)
{
    struct digest digest;
    int wanted = want_package(store, &record->package, &digest);
    return wanted < 0 ? wanted : 0;
}

int store_put_package(struct store *store, const struct record *record, enum store_result *result)
{
    const struct package_record *package = &record->package;
    struct digest digest;
    int error = want_package(store, package, &digest);
    if (error < 0)
        return error;
    const struct value row[] = {value_text(package->run_uuid),
                                value_int(store_id(store, TABLE_PACKAGE, &digest))};
    int found = store_has_row(store, store->find_run_package, row);
    if (found < 0)
        return found;
    *result = found ? STORE_UNCHANGED : STORE_NEW;
    return found ? 0 : store->ops->write(store->database, store->add_run_package, row, 1);
}
