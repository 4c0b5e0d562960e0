/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which numbers are meant: "none", "all", or numbers and ranges with commas between, "0,4-7".
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Whether the text is such a list, of numbers below UINT32_MAX; ranges do not go backwards. */
bool number_list_is_valid(const char *text);

/* Whether it has the number. */
bool number_list_has(const char *text, uint32_t number);
