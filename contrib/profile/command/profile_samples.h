/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sampling files (sample_file.h) as text.
 */
#pragma once

#include <stdbool.h>

/* Prints the header, and a line for each sample, with tabs: seconds since the begin, thread,
 * whether the function was entered or left, stack. Returns 0 or -errno: -EINVAL where it is no such
 * file. */
int profile_samples_print(const char *path, bool linker_names);
