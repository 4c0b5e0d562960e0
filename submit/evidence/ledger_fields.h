/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "submit/evidence/ledger_read.h"

/* Adds the fields of a slot (preload/ledger.h), `size` bytes at `at`, to the capture, which then
 * points into them. Returns 0, or -EINVAL where a field's length exceeds them. */
int ledger_fields(struct capture *capture, const char *at, size_t size);

/* Adds what the `size` bytes at `at`, the content of a LEDGER_ROUTINES field, say of routines. What
 * is not valid of it is counted (routines_missed) and left out: contrib/routines/record. */
void ledger_routines(struct capture *capture, const char *at, size_t size);
