/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The lines of jobtrail.conf, as libinih parses them: each is checked, and what it gives taken.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "conf/conf.h"

struct conf_loader {
    bool is_trusted; /* root refuses a file that others can change */
    FILE *stream;
    struct conf *conf;
    struct conf_error why;
    int error;  /* 0 or -errno of the first refusal; nothing is read after it */
    char *text; /* the line as it is in the file */
    size_t room;
    unsigned line;
};

/* Refuses the line just read, with the place `column`, from 1, and a reason. Returns -EINVAL. */
__attribute__((format(printf, 3, 4))) int conf_refuse(struct conf_loader *loader, size_t column,
                                                      const char *format, ...);

void conf_refuse_hint(struct conf_loader *loader, const char *text);

/* Notes an error that is about the file as a whole. Returns `error`. */
int conf_give_up(struct conf_loader *loader, int error);

/* libinih's reader: like fgets(), but refuses lines that libinih would read otherwise than they are
 * meant. */
char *conf_line_read(char *buffer, int size, void *loader);

/* libinih's handler: takes a key's value. Returns non-zero for success. */
int conf_line_take(void *loader, const char *section, const char *name, const char *value);
