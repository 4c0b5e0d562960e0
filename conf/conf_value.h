/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kinds of values in jobtrail.conf: how a text becomes a value and back.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "conf/conf_fault.h"

enum conf_form {
    CONF_TEXT,   /* a char *, owned */
    CONF_WORD,   /* a char *, owned: one of `words` */
    CONF_INDEX,  /* a uint32_t: which one of `words` */
    CONF_YES_NO, /* a bool */
    CONF_NUMBER, /* a uint32_t from `least` to `most` */
    CONF_SIZE,   /* a uint64_t of bytes from `least` to `most`, written with K, M or G */
};

struct conf_kind {
    enum conf_form form;
    /* CONF_TEXT: returns 0, or -EINVAL and fills `*fault`; NULL: any text will do */
    int (*check)(const char *text, struct conf_fault *fault);
    const char *const *words; /* end with NULL */
    uint64_t least, most;
    const char *wrong, *range, *hint; /* reasons: not of this form, out of range */
};

extern const struct conf_kind conf_value_text, conf_value_name, conf_value_path,
    conf_value_path_or_none, conf_value_spool, conf_value_library, conf_value_hooks, conf_value_url,
    conf_value_timezone, conf_value_transport_words, conf_value_yes_no, conf_value_mount,
    conf_value_startup, conf_value_programs, conf_value_command_line, conf_value_http_format,
    conf_value_scheduler, conf_value_size, conf_value_hash_size, conf_value_seconds,
    conf_value_cpu_seconds, conf_value_ranks, conf_value_directories, conf_value_block_bytes,
    conf_value_records, conf_value_place, conf_value_see, conf_value_requests, conf_value_memory,
    conf_value_files, conf_value_witness, conf_value_profile_steps, conf_value_profile_mode,
    conf_value_numbers, conf_value_logs;

/* Of extensions: contrib/libraries */
extern const struct conf_kind conf_value_globs, conf_value_globs_or_none, conf_value_owners;

/* Stores the value of `text` at `field`, releasing the one before. Returns 0, -ENOMEM, or -EINVAL
 * and fills `*fault`. */
int conf_value_parse(const struct conf_kind *kind, const char *text, void *field,
                     struct conf_fault *fault);

/* Writes the value at `field` as the file would give it, into `size` bytes at `text`. */
void conf_value_print(const struct conf_kind *kind, const void *field, char *text, size_t size);
