/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The lists of the records' plain values. Not in them: execModify, start_date, Build_date and
 * Build_Year, which only repeat an epoch as text, and XALT's measurements of itself.
 */
#include "submit/load/parse/load_record.h"

#define KIND_OF(type, member)                                                                      \
    _Generic(((struct type *)0)->member,                                                           \
        const char *: FIELD_TEXT,                                                                  \
        struct record_int: FIELD_INT,                                                              \
        struct record_real: FIELD_REAL)

#define ENTRY(type, member, max, table, key)                                                       \
    {                                                                                              \
#member, KIND_OF(type, member), offsetof(struct type, member), max, table, key             \
    }
#define FIELD(type, member, table, key) ENTRY(type, member, RECORD_TEXT_MAX_BYTES, table, key)
#define NAME(type, member, table, key)  ENTRY(type, member, RECORD_NAME_MAX_BYTES, table, key)

#define LIST(fields)                                                                               \
    {                                                                                              \
        fields, sizeof(fields) / sizeof *(fields)                                                  \
    }

static const struct record_field of_run[] = {
    FIELD(run_record, uuid, "userT", "run_uuid"),
    NAME(run_record, step_id, "slurmT", "step_id"),
    FIELD(run_record, record_epoch, "userDT", "currentEpoch"),
    FIELD(run_record, start_time, "userDT", "start_time"),
    FIELD(run_record, end_time, "userDT", "end_time"),
    FIELD(run_record, run_time, "userDT", "run_time"),
};

static const struct record_field of_executable[] = {
    FIELD(run_record, exec_path, "userT", "exec_path"),
    NAME(run_record, hash_id, "", "hash_id"),
};

static const struct record_field of_program[] = {
    NAME(run_record, exec_type, "userT", "exec_type"),
    FIELD(run_record, exec_epoch, "userDT", "exec_epoch"),
};

static const struct record_field of_job_part[] = {
    NAME(run_record, user, "userT", "user"),
    NAME(run_record, account, "userT", "account"),
    NAME(run_record, queue, "userT", "queue"),
    NAME(run_record, scheduler, "userT", "scheduler"),
    NAME(run_record, syshost, "userT", "syshost"),
    NAME(run_record, submit_host, "userT", "submit_host"),
    NAME(run_record, container, "userT", "container"),
    FIELD(run_record, cwd, "userT", "cwd"),
    NAME(run_record, job_id, "userT", "job_id"),
    FIELD(run_record, job_id_raw, "slurmT", "job_id"),
    FIELD(run_record, array_job_id, "slurmT", "array_job_id"),
    FIELD(run_record, array_task_id, "slurmT", "array_task_id"),
    FIELD(run_record, het_job_id, "slurmT", "het_job_id"),
    FIELD(run_record, het_offset, "slurmT", "het_offset"),
    FIELD(run_record, restart_count, "slurmT", "restart_count"),
    NAME(run_record, cluster, "slurmT", "cluster"),
    NAME(run_record, partition, "slurmT", "partition"),
    NAME(run_record, qos, "slurmT", "qos"),
    NAME(run_record, node, "slurmT", "node"),
    FIELD(run_record, dropped, "slurmT", "dropped"),
};

static const struct record_field of_layout[] = {
    FIELD(run_record, probability, "userDT", "probability"),
    FIELD(run_record, num_tasks, "userDT", "num_tasks"),
    FIELD(run_record, num_nodes, "userDT", "num_nodes"),
    FIELD(run_record, num_cores, "userDT", "num_cores"),
    FIELD(run_record, num_threads, "userDT", "num_threads"),
    FIELD(run_record, num_gpus, "userDT", "num_gpus"),
    FIELD(run_record, node_id, "slurmT", "node_id"),
    FIELD(run_record, task_id, "slurmT", "task_id"),
    FIELD(run_record, cpus_alloc, "slurmT", "cpus_alloc"),
    FIELD(run_record, gpus_alloc, "slurmT", "gpus_alloc"),
};

static const struct record_field of_ending[] = {
    FIELD(run_record, exit_code, "slurmT", "exit_code"),
    FIELD(run_record, signal, "slurmT", "signal"),
    FIELD(run_record, core_dumped, "slurmT", "core_dumped"),
    NAME(run_record, end_source, "slurmT", "end_source"),
    FIELD(run_record, end_time_error, "slurmT", "end_time_error"),
};

static const struct record_field of_build[] = {
    NAME(build_record, build_uuid, "", "Build_UUID"),
    NAME(build_record, build_user, "", "Build_User"),
    NAME(build_record, build_host, "", "Build_host"),
    NAME(build_record, build_syshost, "", "Build_Syshost"),
    NAME(build_record, build_os, "", "Build_OS"),
    FIELD(build_record, build_cwd, "", "Build_CWD"),
    NAME(build_record, build_compiler, "", "Build_compiler"),
    FIELD(build_record, build_compiler_path, "", "Build_compilerPath"),
    FIELD(build_record, build_modules, "", "Build_LOADEDMODULES"),
    FIELD(build_record, build_lmfiles, "", "Build_LMFILES"),
    NAME(build_record, build_xalt, "", "XALT_Version"),
    FIELD(build_record, build_epoch, "", "Build_Epoch"),
};

static const struct record_field of_link[] = {
    FIELD(link_record, uuid, "resultT", "uuid"),
    FIELD(link_record, exec_path, "resultT", "exec_path"),
    NAME(link_record, hash_id, "resultT", "hash_id"),
    NAME(link_record, link_program, "resultT", "link_program"),
    FIELD(link_record, link_path, "resultT", "link_path"),
    FIELD(link_record, cwd, "resultT", "wd"),
    NAME(link_record, build_user, "resultT", "build_user"),
    NAME(link_record, build_host, "resultT", "build_host"),
    NAME(link_record, build_syshost, "resultT", "build_syshost"),
    FIELD(link_record, build_epoch, "resultT", "build_epoch"),
};

static const struct record_field of_package[] = {
    FIELD(package_record, run_uuid, "", "xalt_run_uuid"),
    NAME(package_record, program, "", "program"),
    FIELD(package_record, name, "", "package_name"),
    NAME(package_record, version, "", "package_version"),
    FIELD(package_record, path, "", "package_path"),
    NAME(package_record, user, "ownerT", "user"),
    NAME(package_record, cluster, "ownerT", "cluster"),
    FIELD(package_record, job_id, "ownerT", "job_id"),
    FIELD(package_record, restart_count, "ownerT", "restart_count"),
};

const struct record_fields run_fields = LIST(of_run);
const struct record_fields executable_fields = LIST(of_executable);
const struct record_fields program_fields = LIST(of_program);
const struct record_fields job_part_fields = LIST(of_job_part);
const struct record_fields layout_fields = LIST(of_layout);
const struct record_fields ending_fields = LIST(of_ending);
const struct record_fields build_fields = LIST(of_build);
const struct record_fields link_fields = LIST(of_link);
const struct record_fields package_fields = LIST(of_package);
