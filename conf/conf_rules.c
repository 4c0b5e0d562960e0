/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/conf_rules.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"

/* ---- Rules ----------------------------------------------------------------------------------- */

#define KEEP_HIDE    (1u << POLICY_KEEP | 1u << POLICY_HIDE)
#define KEEP_SKIP    (1u << POLICY_KEEP | 1u << POLICY_SKIP)
#define RECORDED     (KEEP_SKIP | 1u << POLICY_PKGS | 1u << POLICY_RUNTIME)
#define PATH_ACTIONS (RECORDED | 1u << POLICY_CUSTOM)
#define ARGUMENT_ACTIONS                                                                           \
    (RECORDED | 1u << POLICY_CONTINUE | 1u << POLICY_JUMP_1 | 1u << POLICY_JUMP_2 |                \
     1u << POLICY_JUMP_3 | 1u << POLICY_JUMP_4)

#define FIELD(name) offsetof(struct conf, name)

const struct conf_list conf_lists[CONF_LISTS] = {
    {"hosts", FIELD(host), POLICY_HOST, KEEP_SKIP, POLICY_KEEP},
    {"partitions", FIELD(partition), POLICY_PARTITION, KEEP_SKIP, POLICY_KEEP},
    {"accounts", FIELD(account), POLICY_ACCOUNT, KEEP_SKIP, POLICY_KEEP},
    {"paths", FIELD(path_rules), POLICY_PATH, PATH_ACTIONS, POLICY_KEEP},
    {"arguments", FIELD(argument), POLICY_ARGUMENT, ARGUMENT_ACTIONS, POLICY_CONTINUE},
    {"environment", FIELD(env), POLICY_ENV, KEEP_SKIP, POLICY_SKIP},
    {"packages", FIELD(package), POLICY_PKG, KEEP_SKIP, POLICY_KEEP},
    {"routines", FIELD(routine), POLICY_ROUTINE, KEEP_SKIP, POLICY_SKIP},
    {"profile", FIELD(profile), POLICY_PROFILE, KEEP_SKIP, POLICY_KEEP},
    {"redact", FIELD(redact), POLICY_REDACT, KEEP_HIDE, POLICY_KEEP},
};

static const char *const action_names[] = {
    [POLICY_KEEP] = "keep",     [POLICY_SKIP] = "skip",         [POLICY_PKGS] = "pkgs",
    [POLICY_CUSTOM] = "custom", [POLICY_CONTINUE] = "continue", [POLICY_JUMP_1] = "jump_1",
    [POLICY_JUMP_2] = "jump_2", [POLICY_JUMP_3] = "jump_3",     [POLICY_JUMP_4] = "jump_4",
    [POLICY_HIDE] = "hide",     [POLICY_RUNTIME] = "runtime",
};

#define ACTIONS (sizeof action_names / sizeof *action_names)

struct built_in {
    enum policy_section which;
    enum policy_action action;
    const char *pattern;
};

/* What distributions add to a launcher's name: mpirun.openmpi, mpiexec.hydra, mpirun-4.1. With
 * another end it is a user's program. submit/facts/program_name.c has the same list. */
#define MPI_SUFFIXES                                                                               \
    "([-.](openmpi|mpich2?|mvapich2?|lam|hydra|gforker|remshell|slurm|x86_64|aarch64|[0-9]+))*"

/* jobtrail.conf.in lists the same rules; a test compares the two. */
static const struct built_in built_in[] = {
    {POLICY_PATH, POLICY_SKIP,
     ".*/(r?bash|dash|ash|sh|zsh[-0-9.]*|[mp]?ksh[0-9.]*|tcsh|(bsd-)?csh|fish|busybox)"},
    {POLICY_PATH, POLICY_SKIP, ".*/(srun|sbatch|salloc|sattach|sbcast|scrun|swait)"},
    {POLICY_PATH, POLICY_SKIP, ".*/(mpirun|mpiexec|orterun|prterun)(_rsh|_mpd|" MPI_SUFFIXES ")"},
    {POLICY_PATH, POLICY_SKIP, ".*/(orted|prted|prte|prun|hydra_(pmi|bstrap)_proxy)" MPI_SUFFIXES},
    {POLICY_PATH, POLICY_SKIP, ".*/(slurm(stepd|d|ctld|dbd|restd)|sackd)(-wlm[^/]*)?"},
    {POLICY_PATH, POLICY_SKIP, ".*/(squeue|scancel|scontrol|sinfo|scrontab|strigger|sview)"},
    {POLICY_PATH, POLICY_SKIP, ".*/(sacct|sacctmgr|sstat|sprio|sshare|sdiag|sreport)"},
    {POLICY_PATH, POLICY_SKIP, ".*/jobtrail-[^/]*"},
    {POLICY_PATH, POLICY_RUNTIME, ".*/(ch-run|bwrap)"},
    {POLICY_PATH, POLICY_PKGS, ".*/python[0-9.]*"},
    {POLICY_PATH, POLICY_PKGS, ".*/R"},
    {POLICY_PATH, POLICY_PKGS, ".*/MATLAB"},
    {POLICY_PATH, POLICY_PKGS, ".*/octave-cli(-[0-9.]+)?"},
    {POLICY_PATH, POLICY_PKGS, ".*/perl[0-9.]*"},
    {POLICY_ENV, POLICY_KEEP, "PATH|LD_LIBRARY_PATH|LIBRARY_PATH"},
    {POLICY_ENV, POLICY_KEEP, "LOADEDMODULES|_LMFILES_|MODULEPATH|LMOD_SYSTEM_NAME|LMOD_FAMILY_.*"},
    {POLICY_ENV, POLICY_KEEP, "PYTHONPATH|PYTHONHOME|VIRTUAL_ENV|CONDA_PREFIX|CONDA_DEFAULT_ENV"},
    {POLICY_ENV, POLICY_KEEP, "R_HOME|R_LIBS.*|MATLABPATH|JULIA_DEPOT_PATH|JULIA_LOAD_PATH"},
    {POLICY_ENV, POLICY_KEEP, "OMP_.*|(MKL|OPENBLAS|BLIS|NUMEXPR)_NUM_THREADS"},
    {POLICY_ENV, POLICY_KEEP, "CUDA_VISIBLE_DEVICES|ROCR_VISIBLE_DEVICES"},
    {POLICY_ENV, POLICY_KEEP, "SLURM_SUBMIT_HOST|SLURM_SUBMIT_DIR"},
    {POLICY_ENV, POLICY_KEEP, "PBS_(JOBID|QUEUE|ACCOUNT|NUM_NODES|O_HOST)"},
    {POLICY_ENV, POLICY_KEEP, "SGE_ACCOUNT|JOB_ID|QUEUE|NHOSTS"},
    {POLICY_ENV, POLICY_KEEP, "LSF_VERSION|LSB_(JOBID|QUEUE|MCPU_HOSTS|EXEC_CLUSTER)"},
    /* names that sound like secrets and are none: parameters of sorting and of language models */
    {POLICY_REDACT, POLICY_KEEP,
     "name:(.*[-_.])?(sort|group|join|primary|foreign|pub|public)[-_]?key"},
    {POLICY_REDACT, POLICY_KEEP,
     "name:(.*[-_.])?(bos|eos|pad|unk|sep|cls|mask|stop|max|min|num|per)[-_]token"},
    {POLICY_REDACT, POLICY_HIDE, "name:.*(passw(or)?d|passwort|passphrase|passcode)"},
    {POLICY_REDACT, POLICY_HIDE, "name:(.*[-_.])?(pass|pwd|pw|passin|passout)"},
    {POLICY_REDACT, POLICY_HIDE, "name:.*(token|secrets?|credentials?|apikey)"},
    {POLICY_REDACT, POLICY_HIDE, "name:.*key"},
    {POLICY_REDACT, POLICY_HIDE, "name:(.*[-_.])?(auth|authorization|cookie|otp|sig|signature)"},
    {POLICY_REDACT, POLICY_HIDE, "name:(.*[-_.])?bearer"},
    {POLICY_REDACT, POLICY_HIDE, "before:bearer"},
    {POLICY_REDACT, POLICY_HIDE, "url:.*"},
    {POLICY_REDACT, POLICY_HIDE, "block:.*private key( block)?"},
    {POLICY_REDACT, POLICY_HIDE, "option:(mysql|mariadb)[-a-z]*:-p"},
    {POLICY_REDACT, POLICY_HIDE,
     "option:(sshpass|7z[ar]?|mongo(sh|dump|restore|export|import)?):-p"},
    /* docker login, podman login, az login, oc login */
    {POLICY_REDACT, POLICY_HIDE, "option:login:-p"},
    {POLICY_REDACT, POLICY_HIDE, "option:(curl|smbclient):-[uU]"},
    {POLICY_REDACT, POLICY_HIDE, "option:(curl|smbclient|rpcclient):--(proxy-)?user"},
    /* certificate and its password, cookies, a proxy without a scheme */
    {POLICY_REDACT, POLICY_HIDE, "option:curl:(-[Ebx]|--((proxy-)?cert|proxy|preproxy))"},
    {POLICY_REDACT, POLICY_HIDE, "option:(zip|unzip|sqlcmd|ipmitool):-P"},
    {POLICY_REDACT, POLICY_HIDE, "option:ldap[a-z]*:-w"},
    {POLICY_REDACT, POLICY_HIDE, "option:(redis-cli|https?):-a"},
    {POLICY_REDACT, POLICY_HIDE, "option:ssh-keygen:-[NP]"},
    /* openssl has no bundles: -keyout is no -k */
    {POLICY_REDACT, POLICY_KEEP, "option:openssl:-([kK]|hmac|psk).+"},
    {POLICY_REDACT, POLICY_HIDE, "option:openssl:-([kK]|hmac|psk)"},
    /* bundles: letters of options without a value before the one that takes the secret */
    {POLICY_REDACT, POLICY_HIDE, "option:curl:-[0-9aBfgGiIjJklLMnNOpqRsSvVZ]+[uUEbx]"},
    {POLICY_REDACT, POLICY_HIDE, "option:(smbclient|rpcclient):-[eEgkNPqV]*U"},
    {POLICY_REDACT, POLICY_HIDE, "option:(mysql|mariadb)[-a-z]*:-[aABcCfFGHiIlLmnNqQstvVxX]+p"},
    {POLICY_REDACT, POLICY_HIDE, "option:(zip|unzip):-[0-9aAcCdDefFgjJklLmMopqrSTuUvVwXyz]+P"},
    {POLICY_REDACT, POLICY_HIDE, "option:ldap[a-z]*:-[AcCIkKLMnNQtuvVxZ]+w"},
    {POLICY_REDACT, POLICY_HIDE, "option:sshpass:-v+p"},
    /* the forms of tokens: GitHub, GitLab, Slack, AWS, Google, Hugging Face, JSON web tokens */
    {POLICY_REDACT, POLICY_HIDE, "word:(gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{22}).*"},
    {POLICY_REDACT, POLICY_HIDE, "word:(glpat-[-_A-Za-z0-9]{20}|xox[abeoprs]-[-A-Za-z0-9]{10}).*"},
    {POLICY_REDACT, POLICY_HIDE, "word:(AKIA|ASIA)[A-Z0-9]{16}"},
    {POLICY_REDACT, POLICY_HIDE, "word:(AIza[-_A-Za-z0-9]{35}|hf_[A-Za-z0-9]{30}).*"},
    {POLICY_REDACT, POLICY_HIDE, "word:eyJ[-_A-Za-z0-9]{8,}\\.[-_A-Za-z0-9.]{8,}"},
};

const struct conf_list *conf_list_find(const char *section)
{
    for (size_t i = 0; i < CONF_LISTS; i++)
        if (strcmp(conf_lists[i].section, section) == 0)
            return &conf_lists[i];
    return NULL;
}

static struct conf_rules *rules_of(const struct conf_list *list, struct conf *conf)
{
    return (struct conf_rules *)(void *)((char *)conf + list->offset);
}

const struct conf_rules *conf_list_rules(const struct conf_list *list, const struct conf *conf)
{
    return (const struct conf_rules *)(const void *)((const char *)conf + list->offset);
}

const char *conf_action_name(enum policy_action action)
{
    return (size_t)action < ACTIONS ? action_names[action] : NULL;
}

enum policy_action conf_list_action(const struct conf_list *list, const char *name)
{
    for (unsigned action = POLICY_KEEP; action < ACTIONS; action++)
        if ((list->actions >> action & 1) != 0 && strcmp(action_names[action], name) == 0)
            return action;
    return POLICY_NONE;
}

int conf_rules_append(struct conf_rules *rules, const struct conf_rule *rule)
{
    char *pattern = strdup(rule->pattern);
    if (pattern == NULL || GROW(rules->rule, rules->count) != 0) {
        free(pattern);
        return -ENOMEM;
    }
    rules->rule[rules->count] = *rule;
    rules->rule[rules->count++].pattern = pattern;
    return 0;
}

int conf_list_append(const struct conf_list *list, struct conf *conf, const struct conf_rule *rule)
{
    return conf_rules_append(rules_of(list, conf), rule);
}

/* [profile] has the rules of [paths] that skip: what is no user's program has no profile either. */
static bool is_of(const struct built_in *rule, const struct conf_list *list)
{
    bool is_no_program = rule->which == POLICY_PATH && rule->action == POLICY_SKIP;
    return rule->which == list->which || (list->which == POLICY_PROFILE && is_no_program);
}

static int append_built_in(const struct conf_list *list, struct conf *conf)
{
    for (size_t i = 0; i < sizeof built_in / sizeof *built_in; i++) {
        struct conf_rule rule = {built_in[i].action, (char *)built_in[i].pattern, 0, 0};
        if (!is_of(&built_in[i], list))
            continue;
        int error = conf_list_append(list, conf, &rule);
        if (error != 0)
            return error;
    }
    return 0;
}

/* Commands of module systems are scripts: what is left out is the interpreter with that script. */
static int append_module_commands(struct conf *conf)
{
    static const struct built_in commands[] = {
        {POLICY_PATH, POLICY_CUSTOM, ".*/(tclsh|lua)[-0-9.]*"},
        {POLICY_ARGUMENT, POLICY_SKIP, ".*/tclsh[-0-9.]*;.*/modulecmd(\\.tcl)?"},
        {POLICY_ARGUMENT, POLICY_SKIP, ".*/lua[-0-9.]*;.*/lmod(/[^/]*)*/libexec/[A-Za-z_]+"},
        {POLICY_ARGUMENT, POLICY_CONTINUE, ".*/(tclsh|lua)[-0-9.]*;-.*"},
        {POLICY_ARGUMENT, POLICY_KEEP, ".*/(tclsh|lua)[-0-9.]*;.*"},
    };
    int error = 0;
    for (size_t i = 0; i < sizeof commands / sizeof *commands && error == 0; i++) {
        const struct conf_rule rule = {commands[i].action, (char *)commands[i].pattern, 0, 0};
        const char *list = commands[i].which == POLICY_PATH ? "paths" : "arguments";
        error = conf_list_append(conf_list_find(list), conf, &rule);
    }
    return error;
}

/* As one rule: of several the automaton would have to tell which one it is. */
static int append_system_tools(struct conf *conf)
{
    struct conf_rule rule = {.action = POLICY_SKIP};
    size_t size = 0;
    CLEANUP_FREE char *pattern = NULL;
    CLEANUP_FCLOSE FILE *stream = open_memstream(&pattern, &size);
    if (stream == NULL)
        return -ENOMEM;
    for (size_t i = 0; system_tools[i] != NULL; i++)
        fprintf(stream, "%s%s", i == 0 ? "" : "|", system_tools[i]);
    if (fflush(stream) != 0)
        return -ENOMEM;
    rule.pattern = pattern;
    return conf_list_append(conf_list_find("paths"), conf, &rule);
}

bool conf_rule_is_system_tools(const struct conf *conf, const struct conf_rule *rule)
{
    const struct conf_rules *paths = &conf->path_rules;
    return !conf->track_system_tools && paths->count > 0 && rule == &paths->rule[paths->count - 1];
}

int conf_lists_default(struct conf *conf)
{
    for (size_t i = 0; i < CONF_LISTS; i++) {
        int error = 0;
        bool is_wanted = conf_lists[i].which == POLICY_REDACT
                             ? conf->redact_default
                             : conf_list_rules(&conf_lists[i], conf)->count == 0;
        if (is_wanted)
            error = append_built_in(&conf_lists[i], conf);
        if (error != 0)
            return error;
    }
    if (conf->track_system_tools)
        return 0;
    int error = append_module_commands(conf);
    return error == 0 ? append_system_tools(conf) : error;
}

/* Whether the pattern may match `byte`, which the texts of its section have. */
static bool may_match(const char *pattern, char byte)
{
    return strchr(pattern, byte) != NULL || strstr(pattern, ".*") != NULL ||
           strstr(pattern, ".+") != NULL || strstr(pattern, "[^") != NULL;
}

/* Whether a backslash takes the byte `at` of the pattern for itself. */
static bool is_escaped(const char *pattern, const char *at)
{
    bool is_taken = false;
    for (; pattern < at; pattern++)
        is_taken = *pattern == '\\' && !is_taken;
    return is_taken;
}

const char *conf_rule_doubt(const struct conf_list *list, const char *pattern)
{
    for (const char *star = strchr(pattern, '*'); star != NULL; star = strchr(star + 1, '*')) {
        const char before = star == pattern ? '(' : star[-1];
        if ((isalnum((unsigned char)before) || strchr("/-_", before) != NULL) &&
            strchr(")|", star[1]) != NULL && !is_escaped(pattern, star - 1))
            return "a pattern is no glob: for any text write .* in place of *";
    }
    if (list->which == POLICY_PATH && isalnum((unsigned char)pattern[0]) &&
        strchr(pattern, '|') == NULL)
        return "no path begins so: write .*/ before a name";
    if (list->which == POLICY_ARGUMENT && !may_match(pattern, ';'))
        return "no text is so: write PATH;ARGUMENT";
    if (list->which == POLICY_PKG && !may_match(pattern, ':'))
        return "no text is so: write PROGRAM:name:NAME or PROGRAM:path:PATH";
    return NULL;
}

void conf_rules_free(struct conf_rules *rules)
{
    for (size_t i = 0; i < rules->count; i++)
        free(rules->rule[i].pattern);
    free(rules->rule);
    *rules = (struct conf_rules){NULL, 0};
}

void conf_lists_free(struct conf *conf)
{
    for (size_t i = 0; i < CONF_LISTS; i++)
        conf_rules_free(rules_of(&conf_lists[i], conf));
}

/* ---- Small tools ----------------------------------------------------------------------------- */

/* On the list is what shell scripts, module systems and the front ends of languages start by the
 * dozen, and of which nobody asks how much it is used. Names are those of the packages of Debian,
 * Ubuntu and Red Hat. A rule sees the real path of an executable: of awk that is mawk or gawk, of
 * sh dash or bash. Not on the list are interpreters, compilers, make, git, editors, ssh and
 * programs that transfer data. */

/* With /usr merged a real path begins with /usr, and without it may begin with /bin or /sbin. */
#define SYSTEM(names) "/(usr/)?s?bin/(" names ")"

/* clang-format off */
const char *const system_tools[] = {
    /* shells */
    SYSTEM("r?bash|dash|ash|sh|zsh[-0-9.]*|[lmpr]?ksh[0-9.]*|tcsh|(bsd-)?csh|fish|posh|yash|busybox"),
    /* coreutils */
    SYSTEM("\\[|arch|base(32|64|name|nc)|cat|ch(con|grp|mod|own|root)|comm|coreutils|cp|csplit|cut|"
           "date|dd|df|v?dir|dircolors|dirname|du|echo|env|(un)?expand|expr|factor|false|fmt|fold"),
    SYSTEM("groups|head|hostid|id|install|join|kill|ln|(un)?link|logname|ls|mk(dir|fifo|nod|temp)|mv|"
           "nice|nl|nohup|nproc|numfmt|od|paste|pathchk|pinky|pr|printenv|printf|ptx|pwd"),
    SYSTEM("readlink|realpath|rm|rmdir|runcon|seq|shred|shuf|sleep|sort|split|stat|stdbuf|stty|sync|"
           "(md5|b2|ck|sha[0-9]+)?sum|tac|tail|tee|test|timeout|touch|tr|true|truncate|tsort|tty"),
    SYSTEM("uname|uniq|uptime|users|wc|who|whoami|yes"),
    /* Ubuntu: GNU's beside those in Rust, which are one program */
    "/(usr/)?bin/gnu(cp|mv|rm)",
    "/usr/lib/cargo/bin/coreutils/[^/]*",
    /* text and files: grep, sed, awk, findutils, diffutils, less, file, which, bc */
    SYSTEM("[ef]?grep|sed|[gm]?awk|original-awk|gawk-[0-9.]*|find|xargs|cmp|s?diff3?|patch|ed|"
           "less(echo|key|pipe)?|more|file|which|time|bc|dc"),
    /* archives and compression */
    SYSTEM("(bsd)?tar|cpio|g(un)?zip|(un)?(zip|xz|lzma|zstd|lz4|compress)|b(un)?zip2|[bx]?zcat|lzop"),
    /* util-linux and what Debian has of BSD's */
    SYSTEM("cal|chrt|col(rm|umn)?|dmesg|fallocate|findmnt|flock|getopt|hd|hexdump|ionice|ipc(mk|rm|s)|"
           "last|linux(32|64)|logger|look|ls(blk|cpu|ipc|irq|locks|mem|mod|ns|pci|usb)"),
    SYSTEM("mcookie|mesg|mountpoint|namei|nsenter|prlimit|rename(\\.ul)?|renice|rev|run-parts|script|"
           "set(arch|priv|sid|term)|taskset|tempfile|ul|unshare|uuidgen|whereis|xxd"),
    /* processes, hardware and network: procps, psmisc, kmod, numactl, iproute2 */
    SYSTEM("free|fuser|killall5?|kmod|numactl|numastat|p(grep|idof|idwait|kill|map|s|stree|wdx)|sysctl|"
           "top|vmstat|w|watch|ifconfig|ip|netstat|ping|ss"),
    /* the C library and terminals */
    SYSTEM("clear|domainname|envsubst|getconf|getent|gettext|hostname|iconv|infocmp|ldconfig(\\.real)?|"
           "ldd|locale|localedef|manpath|reset|tabs|tic|toe|tput|tset"),
    /* systemd */
    SYSTEM("(hostname|journal|login|system|timedate)ctl|systemd-[^/]*"),
    "/(usr/)?lib/systemd/[^/]*",
    /* becomes R at once, wherever R is installed */
    ".*/Rscript",
    NULL,
};
/* clang-format on */
