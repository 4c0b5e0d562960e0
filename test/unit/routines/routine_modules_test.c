/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rules of [routines] about modules, as they are compiled: by the directories of a map.
 */
#include <sys/stat.h>

#include "conf/compile.h"
#include "conf/policy/policy_read.h"
#include "contrib/routines/routine_modules.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_tree.h"

static char map[256], no_map[256];

/* A file or directory below the tree; static. */
static char *at(const char *name)
{
    static char path[3][sizeof map]; /* of the last calls */
    static unsigned turn;
    char *to = path[turn++ % 3];
    snprintf(to, sizeof map, "%s/%s", made_tree, name);
    return to;
}

static void write_map(void)
{
    snprintf(map, sizeof map, "%s", at("map"));
    snprintf(no_map, sizeof no_map, "%s", at("no map"));
    FILE *file = fopen(map, "w");
    assert_non_null(file);
    fprintf(file, "%s gcc/12\n%s/ fftw/3.3\n%s plug/1\n%s/nowhere fftw/2\n", at("sw"), at("link"),
            at("sw/fftw.3/plug"), made_tree);
    fclose(file);
}

static int make(void **state)
{
    if (made_tree_set_up(state) != 0 || mkdir(at("sw"), 0755) != 0 ||
        mkdir(at("sw/fftw.3"), 0755) != 0 || mkdir(at("sw/fftw.3/plug"), 0755) != 0 ||
        symlink("sw/fftw.3", at("link")) != 0)
        return -1;
    write_map();
    return 0;
}

static struct conf conf_of(struct conf_rule *rules, size_t count, char *modules)
{
    static char some[] = "/some/file";
    return (struct conf){
        .path = some,
        .spool = some,
        .library = some,
        .profile_directory = some,
        .submit = some,
        .hooks = some,
        .link_modules = modules,
        .routine = {rules, count},
    };
}

/* What the policy says about the file of that name: the line of the rule, below zero where it
 * skips; 0: no rule of the file's. */
static int verdict(const struct conf *conf, const char *name)
{
    struct conf_error why;
    void *policy;
    size_t size;
    char text[512];
    snprintf(text, sizeof text, ROUTINE_DIRECTORY "%s", at(name));
    assert_int_equal(compile_policy(conf, &policy, &size, &why), 0);
    const struct policy_rule *rule = policy_match(policy, POLICY_ROUTINE, text, strlen(text));
    int line = rule == NULL ? 0 : (int)rule->line * (rule->action == POLICY_KEEP ? 1 : -1);
    free(policy);
    return line;
}

TEST(a_library_is_designated_by_the_module_of_its_longest_directory)
{
    struct conf_rule rules[] = {
        {POLICY_SKIP, (char *)"module:fftw/2", 3, 8},
        {POLICY_KEEP, (char *)"soname:libm\\.so\\.6", 4, 8},
        {POLICY_KEEP, (char *)"module:(fftw|x)/.*", 5, 8},
    };
    const struct conf conf = conf_of(rules, 3, map);
    assert_int_equal(verdict(&conf, "sw/fftw.3/lib/libfftw3.so"), 5);
    assert_int_equal(verdict(&conf, "link/lib/libfftw3.so"), 5); /* as the map has the path */
    assert_int_equal(verdict(&conf, "sw/fftw.3/plug/libplug.so"), 0);
    assert_int_equal(verdict(&conf, "sw/fftwx3/lib/libfftw3.so"), 0); /* . is no pattern there */
    assert_int_equal(verdict(&conf, "sw/libgcc_s.so"), 0);
    assert_int_equal(verdict(&conf, "sw/fftw.3"), 0);
    assert_int_equal(verdict(&conf, "nowhere/libfftw3.so"), 0);
    rules[2].pattern = (char *)"module:(fftw|plug)/.*";
    assert_int_equal(verdict(&conf, "sw/fftw.3/plug/libplug.so"), 5);
}

TEST(the_first_rule_about_a_module_decides)
{
    struct conf_rule rules[] = {
        {POLICY_SKIP, (char *)"module:fftw/.*", 3, 8},
        {POLICY_KEEP, (char *)"module:.*", 4, 8},
    };
    const struct conf conf = conf_of(rules, 2, map);
    assert_int_equal(verdict(&conf, "sw/fftw.3/lib/libfftw3.so"), -3);
    assert_int_equal(verdict(&conf, "sw/libgcc_s.so"), 4);
}

TEST(without_a_map_rules_about_modules_are_refused_or_designate_nothing)
{
    struct conf_rule rules[] = {{POLICY_KEEP, (char *)"module:.*", 3, 8}};
    struct conf conf = conf_of(rules, 1, (char *)"");
    struct conf_error why;
    void *policy;
    size_t size;
    assert_int_equal(compile_policy(&conf, &policy, &size, &why), -EINVAL);
    assert_int_equal(why.line, 3);
    assert_string_equal(why.reason, "a module, and no map of modules");
    conf.link_modules = no_map;
    assert_int_equal(verdict(&conf, "sw/libgcc_s.so"), 0);
}

ALL(make, made_tree_tear_down)
