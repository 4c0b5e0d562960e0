/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Bundles unpack or mount what they contain in a directory that is made for one run: PyInstaller in
 * _MEIxxxxxx, AppImage's runtime in .mount_NAMExxxxxx (mkdtemp(3)).
 */
#pragma once

#include <limits.h>

#include "submit/evidence/ledger_read.h"

/* The path with "*" in place of what is random in the name of such a directory, so that all runs
 * have the same: in `room` then, otherwise `path` itself. Files are asked for by the path that they
 * had. */
struct capture_bytes bundle_path(struct capture_bytes path, char room[PATH_MAX]);
