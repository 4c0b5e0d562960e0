/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * conf_load() of a file with these bytes, and compile_policy() of what was read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "conf/compile.h"
#include "conf/conf.h"
#include "test/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static int fd = -1;
    static char path[64];
    struct conf conf;
    struct conf_error error = {0};
    char text[1024];
    void *policy;
    size_t policy_size;
    if (fd < 0) {
        fd = memfd_create("conf", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    if (fd < 0 || ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
        abort();
    if (conf_load(path, &conf, &error) != 0) {
        conf_error_text(&error, text, sizeof text);
        return 0;
    }
    if (compile_policy(&conf, &policy, &policy_size, &error) == 0)
        free(policy);
    conf_free(&conf);
    return 0;
}
