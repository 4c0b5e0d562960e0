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

static int add_link(struct store *store, struct link_record *link)
{
    int64_t executable, libs, functions;
    int error = store_executable(store, link->exec_path, link->hash_id, &executable);
    if (error == 0)
        error = store_libs(store, &link->libs, link->build_syshost, &libs);
    if (error == 0)
        error = store_functions(store, &link->functions, &functions);
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

int store_put_link(struct store *store, struct record *record, enum store_result *result)
{
    const struct value uuid = value_text(record->link.uuid);
    int found = store_has_row(store, store->find_link, &uuid);
    if (found < 0)
        return found;
    *result = found ? STORE_UNCHANGED : STORE_NEW;
    return found ? 0 : add_link(store, &record->link);
}

int store_put_package(struct store *store, const struct record *record, enum store_result *result)
{
    const struct package_record *package = &record->package;
    const char *const texts[] = {package->program, package->name, package->version, package->path};
    const struct value rest[] = {value_text(texts[0]), value_text(texts[1]), value_text(texts[2]),
                                 value_text(texts[3])};
    int64_t id;
    int error = store_intern(store, TABLE_PACKAGE, texts, 4, rest, 4, &id);
    if (error != 0)
        return error;
    const struct value row[] = {value_text(package->run_uuid), value_int(id)};
    int found = store_has_row(store, store->find_run_package, row);
    if (found < 0)
        return found;
    *result = found ? STORE_UNCHANGED : STORE_NEW;
    return found ? 0 : store->ops->write(store->database, store->add_run_package, row, 1);
}
