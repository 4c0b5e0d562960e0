/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a record's file name says of it, for receivers that want it apart:
 *
 *   run.SYSHOST.DATE.USER.aaa|zzz.UUID.json
 *   link.SYSHOST.DATE.USER.UUID.json
 *   pkg.SYSHOST.DATE.USER.UUID.12HEX.json
 */
#ifndef JOBTRAIL_RECORD_NAME_H
#define JOBTRAIL_RECORD_NAME_H

struct record_name {
    char kind[16]; /* run, link, pkg, or one that is yet to come */
    char syshost[64];
    char uuid[37];
    char key[80]; /* of the record among all: run_strt_UUID, run_fini_UUID, link_UUID,
                     pkg_UUID_12HEX */
};

/* Whether a name of a record can stand in lines, directories and JSON as it is, with room for what
 * transports and the quarantine put around it. */
int record_name_is_sound(const char *name);

/* Returns 0, or -EINVAL when `name` is of none of these forms. */
int record_name_parse(const char *name, struct record_name *parsed);

#endif
