/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Why a record was set aside: what the administrator reads on stderr and in the .reason file.
 */
#pragma once

struct load_reason {
    char text[200];
};

/* Writes the reason and returns -EBADMSG, so that a check can `return load_refuse(...)`. Only
 * fixed words and numbers belong into a reason, never text of the record: it goes to a terminal. */
int load_refuse(struct load_reason *reason, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
