# SPDX-License-Identifier: LGPL-2.1-or-later
#
# jobtrail_slurm_release(INCLUDE_DIR): says for which Slurm releases the plugin is built: those that
# slurm_release.h names, and the one of these headers. Warns where the Slurm that is installed here is
# another, in which the plugin is inactive.
#
#   cmake -D SLURM_INCLUDE_DIR=... -P slurm_release.cmake     does the same without a build

cmake_policy(VERSION 3.25)

# MAJOR.MINOR with two digits after the point
function(jobtrail_slurm_name out major minor)
    if(minor LESS 10)
        set(minor 0${minor})
    endif()
    set(${out} ${major}.${minor} PARENT_SCOPE)
endfunction()

# what slurm_release.h names
function(jobtrail_slurm_tested out)
    file(STRINGS ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/slurm_release.h line
        REGEX "define SLURM_RELEASES_TESTED.* X\\([0-9]")
    string(REGEX MATCHALL "X\\([0-9]+, [0-9]+" entries "${line}")
    foreach(entry ${entries})
        string(REGEX MATCH "([0-9]+), ([0-9]+)" numbers ${entry})
        jobtrail_slurm_name(name ${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
        list(APPEND names ${name})
    endforeach()
    set(${out} ${names} PARENT_SCOPE)
endfunction()

function(jobtrail_slurm_release include_dir)
    file(STRINGS ${include_dir}/slurm/slurm_version.h line REGEX "SLURM_VERSION_NUMBER 0x")
    string(REGEX MATCH "0x[0-9a-fA-F]+" number "${line}")
    math(EXPR major "(${number} >> 16) & 255")
    math(EXPR minor "(${number} >> 8) & 255")
    math(EXPR micro "${number} & 255")
    jobtrail_slurm_name(headers ${major} ${minor})
    jobtrail_slurm_tested(releases)
    list(APPEND releases ${headers})
    list(REMOVE_DUPLICATES releases)
    list(JOIN releases ", " text)
    message(STATUS "SPANK plugin for Slurm ${text} (headers of ${headers}.${micro})")
    find_program(SLURM_PROGRAM NAMES slurmd srun PATHS /usr/sbin /usr/local/sbin)
    if(NOT SLURM_PROGRAM)
        return()
    endif()
    execute_process(COMMAND ${SLURM_PROGRAM} -V OUTPUT_VARIABLE said ERROR_QUIET)
    if(said MATCHES " ([0-9]+\\.[0-9]+)" AND NOT CMAKE_MATCH_1 IN_LIST releases)
        message(WARNING "${SLURM_PROGRAM} is Slurm ${CMAKE_MATCH_1}, in which the plugin would be "
            "inactive. Set SLURM_INCLUDE_DIR to the directory that holds its slurm/spank.h, or build "
            "where the nodes' Slurm is installed.")
    endif()
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
    jobtrail_slurm_release(${SLURM_INCLUDE_DIR})
endif()
