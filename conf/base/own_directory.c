/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/own_directory.h"

#include "conf/base/directory.h"
#include "conf/base/trusted.h"

int own_directory(const char *path, mode_t mode, char *culprit, size_t size)
{
    culprit[0] = '\0';
    int error = directory_make_all(path, mode);
    return error != 0 ? error : trusted_directory(path, TRUSTED_ALONE, culprit, size);
}
