/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The tables of a kind of database, and how those of earlier versions become them.
 */
#ifndef JOBTRAIL_SCHEMA_H
#define JOBTRAIL_SCHEMA_H

#define SCHEMA_VERSION 8

struct schema {
    int version;              /* of the tables, at least 1 */
    const char *tables;       /* script that makes them, and leaves those that are there */
    const char *views;        /* script that makes the views anew */
    const char *const *steps; /* [n], for n below `version`: the script that leads from version n to
                               * n + 1, apart from views; NULL: from that version there is no way.
                               * In MariaDB each statement may run again after a loader was killed.
                               */
};

extern const struct schema schema_sqlite, schema_mariadb;

/* The scripts under sql/, which the build embeds. */
extern const char schema_tables_sqlite[], schema_views_sqlite[];
extern const char schema_tables_mariadb[], schema_views_mariadb[];

#endif
