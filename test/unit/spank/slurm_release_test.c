/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin in hosts of many releases of Slurm. This program is the host: it has the functions
 * that the plugin imports from Slurm, and loads the plugin as Slurm does.
 */
#include <dlfcn.h>
#include <slurm/slurm_version.h>
#include <slurm/spank.h>
#include <stdbool.h>

#include "spank/job_formats.h"
#include "test/unit/fixture/cases.h"

/* API_CURRENT of Slurm's file META, and the offset of select_type_param, of each release: measured
 * with the headers of all of its minor versions. */
static const struct host {
    unsigned api, major, minor;
    bool is_known;
    size_t select_type_param;
} hosts[] = {
    {38, 22, 5, true, 1136},   {39, 23, 2, false, 1152},  {40, 23, 11, false, 1128},
    {41, 24, 5, false, 1096},  {42, 24, 11, true, 1128},  {43, 25, 5, false, 1136},
    {44, 25, 11, false, 1160}, {45, 26, 5, true, 1200},   {46, 26, 11, false, 1208},
    {47, 27, 5, false, 1208},  {48, 27, 11, false, 1208},
};
#define HOSTS (sizeof hosts / sizeof hosts[0])

static const char *const callbacks[] = {
    "slurm_spank_init",       "slurm_spank_init_post_opt",        "slurm_spank_job_prolog",
    "slurm_spank_job_epilog", "slurm_spank_task_init_privileged", "slurm_spank_task_init",
    "slurm_spank_task_exit",  "slurm_spank_task_post_fork",       "slurm_spank_exit",
    "slurm_spank_slurmd_exit"};
#define CALLBACKS (sizeof callbacks / sizeof callbacks[0])

/* What a host has. */
static unsigned api, lines, questions;
static char last_line[1024];
static spank_context_t context;
char slurm_conf[4096];

long slurm_api_version(void);
long slurm_api_version(void)
{
    return (long)api << 16;
}

void slurm_info(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_line, sizeof last_line, format, arguments);
    va_end(arguments);
    lines++;
}

void slurm_error(const char *format, ...)
{
    (void)format;
    fail_msg("slurm_error() reaches users");
}

spank_context_t spank_context(void)
{
    return context;
}

spank_err_t spank_get_item(spank_t spank, spank_item_t item, ...)
{
    (void)spank;
    (void)item;
    questions++;
    return ESPANK_ERROR;
}

spank_err_t spank_getenv(spank_t spank, const char *name, char *value, int size)
{
    (void)spank;
    (void)name;
    (void)value;
    (void)size;
    questions++;
    return ESPANK_ENV_NOEXIST;
}

spank_err_t spank_setenv(spank_t spank, const char *name, const char *value, int overwrite)
{
    (void)spank;
    (void)name;
    (void)value;
    (void)overwrite;
    questions++;
    return ESPANK_ERROR;
}

spank_err_t spank_unsetenv(spank_t spank, const char *name)
{
    (void)spank;
    (void)name;
    questions++;
    return ESPANK_ERROR;
}

spank_err_t spank_job_control_setenv(spank_t spank, const char *name, const char *value,
                                     int overwrite)
{
    (void)spank;
    (void)name;
    (void)value;
    (void)overwrite;
    questions++;
    return ESPANK_ERROR;
}

spank_err_t spank_option_register(spank_t spank, struct spank_option *option)
{
    (void)spank;
    (void)option;
    return ESPANK_SUCCESS;
}

static void *symbol(void *plugin, const char *name)
{
    void *found = dlsym(plugin, name);
    assert_non_null(found);
    return found;
}

/* As src/common/plugin.c does it: loads the plugin, looks at its type, and compares major and minor
 * number. */
static void *load(const char *path, const struct host *host)
{
    api = host->api;
    lines = questions = 0;
    void *plugin = dlopen(path, RTLD_LAZY);
    if (plugin == NULL)
        fail_msg("%s", dlerror());
    const uint32_t *version = symbol(plugin, "plugin_version");
    assert_int_equal(*version & 0xffff00, SLURM_VERSION_NUM(host->major, host->minor, 0));
    return plugin;
}

static void call(void *plugin, const char *name)
{
    char conf[] = "conf=/nonexistent/jobtrail.conf", *arguments[] = {conf, NULL};
    int (*callback)(spank_t, int, char **) = (int (*)(spank_t, int, char **))symbol(plugin, name);
    assert_int_equal(callback(NULL, 1, arguments), 0);
}

TEST(every_release_loads_the_plugin)
{
    for (size_t i = 0; i < HOSTS; i++) {
        void *plugin = load(PLUGIN, &hosts[i]);
        assert_string_equal(symbol(plugin, "plugin_type"), "spank");
        assert_string_equal(symbol(plugin, "plugin_name"), "jobtrail");
        dlclose(plugin);
    }
}

TEST(in_an_unknown_release_no_callback_does_anything)
{
    static const spank_context_t contexts[] = {S_CTX_LOCAL, S_CTX_REMOTE, S_CTX_ALLOCATOR,
                                               S_CTX_JOB_SCRIPT};
    for (size_t i = 0; i < HOSTS; i++) {
        void *plugin = hosts[i].is_known ? NULL : load(PLUGIN, &hosts[i]);
        for (size_t j = 0; plugin != NULL && j < sizeof contexts / sizeof contexts[0]; j++) {
            context = contexts[j];
            for (size_t k = 0; k < CALLBACKS; k++)
                call(plugin, callbacks[k]);
        }
        assert_int_equal(lines, 0);
        assert_int_equal(questions, 0);
        if (plugin != NULL)
            dlclose(plugin);
    }
}

TEST(slurmd_has_one_line_of_an_unknown_release)
{
    static const struct host unknown = {.api = 44, .major = 25, .minor = 11};
    void *plugin = load(PLUGIN, &unknown);
    context = S_CTX_SLURMD;
    call(plugin, "slurm_spank_init");
    call(plugin, "slurm_spank_slurmd_exit");
    assert_int_equal(lines, 1);
    assert_string_equal(last_line,
                        "jobtrail: inactive, jobs leave no records: the plugin is for Slurm 22.05, "
                        "24.11, 26.05, and this is 25.11; install a jobtrail that knows it, or "
                        "build one with its headers");
    dlclose(plugin);
}

TEST(in_a_known_release_it_looks_for_its_policy)
{
    context = S_CTX_REMOTE;
    for (size_t i = 0; i < HOSTS; i++) {
        void *plugin = hosts[i].is_known ? load(PLUGIN, &hosts[i]) : NULL;
        if (plugin == NULL)
            continue;
        call(plugin, "slurm_spank_init_post_opt");
        assert_non_null(strstr(last_line, "no usable policy for /nonexistent/jobtrail.conf"));
        dlclose(plugin);
    }
}

/* Whoever takes the plugin for an elder then knows that its epilogs would do nothing. */
TEST(a_job_is_handed_over_in_known_releases_alone)
{
    for (size_t i = 0; i < HOSTS; i++) {
        void *plugin = load(PLUGIN, &hosts[i]);
        uint32_t (*hand_over)(void) = (uint32_t(*)(void))symbol(plugin, "jobtrail_hand_over");
        assert_int_equal(hand_over(), hosts[i].is_known ? JOB_FORMATS : 0);
        dlclose(plugin);
    }
}

/* 1 << 2: whole cores. Every other byte of the configuration says the contrary. */
TEST(whole_cores_are_read_where_the_release_has_them)
{
    const uint16_t whole = 1 << 2, none = 0;
    for (size_t i = 0; i < HOSTS; i++) {
        void *plugin = load(RELEASE, &hosts[i]);
        bool (*has_whole_cores)(void) =
            (bool (*)(void))symbol(plugin, "slurm_release_has_whole_cores");
        memset(slurm_conf, 0, sizeof slurm_conf);
        memcpy(slurm_conf + hosts[i].select_type_param, &whole, sizeof whole);
        assert_int_equal(has_whole_cores(), hosts[i].is_known);
        memset(slurm_conf, 0xff, sizeof slurm_conf);
        memcpy(slurm_conf + hosts[i].select_type_param, &none, sizeof none);
        assert_false(has_whole_cores());
        dlclose(plugin);
    }
}
