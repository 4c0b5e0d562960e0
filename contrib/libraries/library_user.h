/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdint.h>

enum { LIBRARY_USER_SIZE = 64 };

/* The name of the user, for logs: the number where there is none, or it could be taken for
 * something else (it has blanks or other bytes than a name of a user has, or digits alone). A
 * directory service can take long to answer. */
void library_user_name(uint32_t uid, char name[LIBRARY_USER_SIZE]);
