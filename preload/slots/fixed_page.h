/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Makes memory that the loader has made read-only (RELRO) writable for a store: a page at a time,
 * as the program may have made some of it writable, and that stays as it is.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct loaded;

/* Has the page of the slot writable, if the object has it among these; another page that was opened
 * is closed before. `*opened`: the page that was made writable, 0 before the first call. Returns
 * whether the slot can be stored to. Linux before 5.14 does not tell what is writable: what was so
 * is read-only afterwards. */
bool fixed_page_open(uintptr_t *opened, const struct loaded *loaded, uintptr_t slot);
void fixed_page_close(uintptr_t *opened);
