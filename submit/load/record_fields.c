/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The one list of a run record's plain values. Not in it: execModify, start_date, Build_date and
 * Build_Year, which only repeat an epoch as text, and XALT's measurements of itself.
 */
#include "load_record.h"

#define KIND_OF(member)                                                                            \
    _Generic(((struct run_record *)0)->member,                                                     \
        const char *: RECORD_TEXT,                                                                 \
        struct record_int: RECORD_INT,                                                             \
        struct record_real: RECORD_REAL)

#define FIELD(member, table, key)                                                                  \
    {                                                                                              \
#member, KIND_OF(member), offsetof(struct run_record, member), table, key                  \
    }

const struct record_field record_fields[] = {
    FIELD(uuid, "userT", "run_uuid"),
    FIELD(user, "userT", "user"),
    FIELD(account, "userT", "account"),
    FIELD(queue, "userT", "queue"),
    FIELD(scheduler, "userT", "scheduler"),
    FIELD(syshost, "userT", "syshost"),
    FIELD(submit_host, "userT", "submit_host"),
    FIELD(container, "userT", "container"),
    FIELD(exec_path, "userT", "exec_path"),
    FIELD(hash_id, "", "hash_id"),
    FIELD(exec_type, "userT", "exec_type"),
    FIELD(cwd, "userT", "cwd"),
    FIELD(exec_epoch, "userDT", "exec_epoch"),
    FIELD(record_epoch, "userDT", "currentEpoch"),
    FIELD(start_time, "userDT", "start_time"),
    FIELD(end_time, "userDT", "end_time"),
    FIELD(run_time, "userDT", "run_time"),
    FIELD(probability, "userDT", "probability"),
    FIELD(num_tasks, "userDT", "num_tasks"),
    FIELD(num_nodes, "userDT", "num_nodes"),
    FIELD(num_cores, "userDT", "num_cores"),
    FIELD(num_threads, "userDT", "num_threads"),
    FIELD(num_gpus, "userDT", "num_gpus"),

    FIELD(job_id, "userT", "job_id"),
    FIELD(job_id_raw, "slurmT", "job_id"),
    FIELD(step_id, "slurmT", "step_id"),
    FIELD(array_job_id, "slurmT", "array_job_id"),
    FIELD(array_task_id, "slurmT", "array_task_id"),
    FIELD(het_job_id, "slurmT", "het_job_id"),
    FIELD(het_offset, "slurmT", "het_offset"),
    FIELD(restart_count, "slurmT", "restart_count"),
    FIELD(cluster, "slurmT", "cluster"),
    FIELD(partition, "slurmT", "partition"),
    FIELD(qos, "slurmT", "qos"),
    FIELD(node, "slurmT", "node"),
    FIELD(node_id, "slurmT", "node_id"),
    FIELD(task_id, "slurmT", "task_id"),
    FIELD(cpus_alloc, "slurmT", "cpus_alloc"),
    FIELD(gpus_alloc, "slurmT", "gpus_alloc"),
    FIELD(dropped, "slurmT", "dropped"),

    FIELD(exit_code, "slurmT", "exit_code"),
    FIELD(signal, "slurmT", "signal"),
    FIELD(core_dumped, "slurmT", "core_dumped"),
    FIELD(end_source, "slurmT", "end_source"),
    FIELD(end_time_error, "slurmT", "end_time_error"),

    FIELD(build_uuid, "xaltLinkT", "Build_UUID"),
    FIELD(build_user, "xaltLinkT", "Build_User"),
    FIELD(build_host, "xaltLinkT", "Build_host"),
    FIELD(build_syshost, "xaltLinkT", "Build_Syshost"),
    FIELD(build_os, "xaltLinkT", "Build_OS"),
    FIELD(build_cwd, "xaltLinkT", "Build_CWD"),
    FIELD(build_compiler, "xaltLinkT", "Build_compiler"),
    FIELD(build_compiler_path, "xaltLinkT", "Build_compilerPath"),
    FIELD(build_modules, "xaltLinkT", "Build_LOADEDMODULES"),
    FIELD(build_lmfiles, "xaltLinkT", "Build_LMFILES"),
    FIELD(build_xalt, "xaltLinkT", "XALT_Version"),
    FIELD(build_epoch, "xaltLinkT", "Build_Epoch"),
};

const size_t record_field_count = sizeof record_fields / sizeof record_fields[0];
