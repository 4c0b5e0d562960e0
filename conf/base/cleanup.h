/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Variables that release what they hold when they go out of scope.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_free(void *variable)
{
    free(*(void **)variable);
}

static inline void cleanup_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

static inline void cleanup_fclose(FILE **stream)
{
    if (*stream != NULL)
        fclose(*stream);
}

#define CLEANUP_FREE   __attribute__((cleanup(cleanup_free)))
#define CLEANUP_CLOSE  __attribute__((cleanup(cleanup_close)))
#define CLEANUP_FCLOSE __attribute__((cleanup(cleanup_fclose)))
