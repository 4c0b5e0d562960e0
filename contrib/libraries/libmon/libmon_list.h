/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which libraries there are, as the last scan has them: for people, as lines of JSON, and as the
 * file [libraries] list, which all may read, and in which what they could not read themselves is
 * left out. The first line of JSON is
 *
 *     {"jobtrail_libraries":1,"cluster":...,"node":...,"made":ISO TIME}
 *
 * and each other one is a file, in the order of the scan:
 *
 *     {"path":...,"library":...,"group":...,"package":...,"version":...,"soname":...,"build_id":...,
 *      "size":BYTES,"since":ISO TIME}
 *
 * What is not known is "". Bytes that are no UTF-8 are as in records (text.h). No hash is in it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/conf.h"

/* Prints to stdout the files whose library matches one of the patterns, or whose path does if the
 * pattern has a slash; without a pattern all. A star matches slashes too. Returns 0 or -errno of
 * library_names.h; `*shown` is how many they are. */
int libmon_list_print(const struct conf *conf, bool is_json, char *const *patterns, size_t count,
                      uint64_t *shown);

/* Writes [libraries] list anew, if there is to be one, and it is older than the state or
 * jobtrail.conf, or of a time that is to come. The caller has the lock of scans. Returns 0; or
 * -errno, and says in `trouble`, which has `size` bytes, what is wrong. */
int libmon_list_keep(const struct conf *conf, char *trouble, size_t size);
