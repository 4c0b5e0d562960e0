/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf_compiled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "compile.h"
#include "policy_read.h"

void *compiled(const char *text)
{
    char path[] = "/tmp/conf_compiled.XXXXXX";
    struct conf conf;
    struct conf_error error = {0};
    void *bytes;
    size_t size;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    int rc = conf_load(path, &conf, &error);
    unlink(path);
    if (rc != 0 || compile_policy(&conf, &bytes, &size, &error) != 0)
        fail_msg("%u:%u: %s", error.line, error.column, error.reason);
    assert_true(policy_usable(bytes, size));
    conf_free(&conf);
    return bytes;
}
