/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a file of a link has of global names: an object, an archive, or a shared library.
 */
#ifndef JOBTRAIL_LDWRAP_INPUT_SYMBOLS_H
#define JOBTRAIL_LDWRAP_INPUT_SYMBOLS_H

enum symbol_use {
    USE_REFERS = 1,
    USE_DEFINES = 2,
    USE_ASKS = 4, /* a weak reference: whether the symbol is there */
};

typedef void input_symbol_taker(void *context, const char *name, enum symbol_use use);

/* Tells each. Linker scripts that define nothing have none. Returns 0, or -ENOTSUP where the file
 * may have others, too: intermediate code (LTO), a thin archive, what cannot be read. */
int input_symbols_read(const char *path, input_symbol_taker *take, void *context);

#endif
