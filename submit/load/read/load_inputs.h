/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * All that the loader was told to read: directories, record files (NAME.json), and streams, which
 * are all other files and standard input.
 */
#pragma once

#include <stdbool.h>

#include "submit/load/read/loader.h"

/* Loads the `paths`, up to a NULL, one after the other; with `follow` again and again what is new.
 * Ends early when the loader is to stop. Returns as loader_load(). */
int load_inputs(struct loader *loader, char **paths, bool follow);
