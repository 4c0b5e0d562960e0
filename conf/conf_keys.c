/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/conf_keys.h"

#include <string.h>

#include "conf/conf_defaults.h"
#include "extensions.h"

#define FIELD(name) offsetof(struct conf, name)

/* Values of an extension that is not built are taken as they are. */
#if JOBTRAIL_LIBRARIES
#define LIBRARY_VALUE(kind) conf_value_##kind
#else
#define LIBRARY_VALUE(kind) conf_value_text
#endif

#define CONF_KEY(section, key, type, field, text, kind) {section, key, FIELD(field), text, &kind},
#define CONF_LINES_KEY(...)

/* clang-format off */
const struct conf_key conf_keys[CONF_KEYS] = {
    {"site", "cluster", FIELD(cluster), "", &conf_value_name},
    {"site", "syshost", FIELD(syshost), "", &conf_value_name},
    {"site", "timezone", FIELD(timezone), "", &conf_value_timezone},
    {"spool", "dir", FIELD(spool), DEFAULT_SPOOL, &conf_value_spool},
    {"spool", "ledger_size", FIELD(ledger_bytes), DEFAULT_LEDGER_SIZE, &conf_value_size},
    {"spool", "mount", FIELD(mount), "auto", &conf_value_mount},
    {"spool", "sessions", FIELD(sessions), DEFAULT_SESSIONS, &conf_value_path_or_none},
    {"preload", "library", FIELD(library), DEFAULT_LIBRARY, &conf_value_library},
    {"hooks", "dir", FIELD(hooks), DEFAULT_HOOKS, &conf_value_hooks},
    {"submit", "program", FIELD(submit), DEFAULT_SUBMIT, &conf_value_path},
    {"submit", "state", FIELD(state), DEFAULT_STATE, &conf_value_path},
    {"submit", "metrics", FIELD(metrics), "", &conf_value_path_or_none},
    {"submit", "epilog_timeout", FIELD(epilog_timeout_s), DEFAULT_EPILOG_TIMEOUT, &conf_value_seconds},
    {"submit", "job_timeout", FIELD(job_timeout_s), "300", &conf_value_seconds},
    {"submit", "job_cpu", FIELD(job_cpu_s), "120", &conf_value_cpu_seconds},
    {"submit", "hash_file_size", FIELD(hash_file_bytes), "4G", &conf_value_hash_size},
    {"submit", "hash_objects", FIELD(hash_objects), DEFAULT_HASH_OBJECTS, &conf_value_yes_no},
    {"transport", "use", FIELD(transport), DEFAULT_TRANSPORT, &conf_value_transport_words},
    {"outbox", "size", FIELD(outbox_bytes), "256M", &conf_value_size},
    {"signature", "key_file", FIELD(key_file), "", &conf_value_path_or_none},
    {"file", "dir", FIELD(file_dir), DEFAULT_FILE_DIR, &conf_value_path},
    {"file", "subdirectories", FIELD(file_subdirectories), "0", &conf_value_directories},
    {"file", "separate", FIELD(file_separate), "no", &conf_value_yes_no},
    {"syslog", "socket", FIELD(syslog_socket), "/dev/log", &conf_value_path},
    {"syslog", "block_size", FIELD(syslog_block_bytes), "512", &conf_value_block_bytes},
    {"http", "url", FIELD(http_url), "", &conf_value_url},
    {"http", "format", FIELD(http_format), "json", &conf_value_http_format},
    {"http", "batch", FIELD(http_batch), "100", &conf_value_records},
    {"http", "gzip", FIELD(http_gzip), "no", &conf_value_yes_no},
    {"http", "ca", FIELD(http_ca), "", &conf_value_path_or_none},
    {"http", "token_file", FIELD(http_token_file), "", &conf_value_path_or_none},
    {"http", "ack", FIELD(http_ack), "no", &conf_value_yes_no},
    {"http", "timeout", FIELD(http_timeout_s), "10", &conf_value_seconds},
    {"kafka", "brokers", FIELD(kafka_brokers), "", &conf_value_text},
    {"kafka", "topic", FIELD(kafka_topic), "jobtrail", &conf_value_name},
    {"kafka", "properties", FIELD(kafka_properties), "", &conf_value_path_or_none},
    {"link", "tracking", FIELD(track_links), "yes", &conf_value_yes_no},
    {"link", "modules", FIELD(link_modules), "", &conf_value_path_or_none},
    {"link", "hash_objects", FIELD(hash_inputs), "no", &conf_value_yes_no},
    {"link", "startup_object", FIELD(link_startup), "static", &conf_value_startup},
#include "contrib/answers/answers_settings.def"
#include "contrib/libraries/library_settings.def"
#include "contrib/witness/witness_settings.def"
#include "contrib/profile/profile_settings.def"
    {"tracking", "enabled", FIELD(enabled), "yes", &conf_value_yes_no},
    {"tracking", "opt_out", FIELD(opt_out), "no", &conf_value_yes_no},
    {"tracking", "programs", FIELD(track_programs), "all", &conf_value_programs},
    {"tracking", "signal_handler", FIELD(catch_signals), "no", &conf_value_yes_no},
    {"tracking", "system_tools", FIELD(track_system_tools), "no", &conf_value_yes_no},
    {"tracking", "command_line", FIELD(command_line), "yes", &conf_value_command_line},
    {"tracking", "redact_default", FIELD(redact_default), "yes", &conf_value_yes_no},
    {"tracking", "routine_counts", FIELD(count_routines), "no", &conf_value_yes_no},
    {"sampling", "enabled", FIELD(sample), "no", &conf_value_yes_no},
    {"sampling", "always_ranks", FIELD(always_ranks), "128", &conf_value_ranks},
};
/* clang-format on */

int conf_key_find(const char *section, const char *name)
{
    for (int i = 0; i < CONF_KEYS; i++)
        if (conf_keys[i].name[0] == name[0] && strcmp(conf_keys[i].section, section) == 0 &&
            strcmp(conf_keys[i].name, name) == 0)
            return i;
    return -1;
}

int conf_key_set(const struct conf_key *key, struct conf *conf, const char *text,
                 struct conf_fault *fault)
{
    return conf_value_parse(key->kind, text, (char *)conf + key->offset, fault);
}

void conf_key_print(const struct conf_key *key, const struct conf *conf, char *text, size_t size)
{
    conf_value_print(key->kind, (const char *)conf + key->offset, text, size);
}

int conf_keys_default(struct conf *conf, const struct conf_key **key, struct conf_fault *fault)
{
    for (int i = 0; i < CONF_KEYS; i++) {
        int error = conf_key_set(&conf_keys[i], conf, conf_keys[i].default_text, fault);
        if (error != 0) {
            *key = &conf_keys[i];
            return error;
        }
    }
    return 0;
}

void conf_keys_free(struct conf *conf)
{
    for (int i = 0; i < CONF_KEYS; i++)
        conf_value_free(conf_keys[i].kind, (char *)conf + conf_keys[i].offset);
}
