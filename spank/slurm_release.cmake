# SPDX-License-Identifier: LGPL-2.1-or-later
#
# jobtrail_slurm_release(INCLUDE_DIR): says for which Slurm release the plugin is built, the one of
# these headers, and warns where the Slurm that is installed here is another, which would refuse it.
# Which releases there are and what differs between them: slurm_release.h.
#
#   cmake -D SLURM_INCLUDE_DIR=... -P slurm_release.cmake     does the same without a build

function(jobtrail_slurm_release include_dir)
    file(STRINGS ${include_dir}/slurm/slurm_version.h line REGEX "SLURM_VERSION_NUMBER 0x")
    string(REGEX MATCH "0x[0-9a-fA-F]+" number "${line}")
    math(EXPR major "(${number} >> 16) & 255")
    math(EXPR minor "(${number} >> 8) & 255")
    math(EXPR micro "${number} & 255")
    if(minor LESS 10)
        set(minor 0${minor})
    endif()
    message(STATUS "SPANK plugin for Slurm ${major}.${minor} (headers of ${major}.${minor}.${micro})")
    find_program(SLURM_PROGRAM NAMES slurmd srun PATHS /usr/sbin /usr/local/sbin)
    if(NOT SLURM_PROGRAM)
        return()
    endif()
    execute_process(COMMAND ${SLURM_PROGRAM} -V OUTPUT_VARIABLE said ERROR_QUIET)
    if(said MATCHES " ([0-9]+\\.[0-9]+)" AND NOT CMAKE_MATCH_1 STREQUAL "${major}.${minor}")
        message(WARNING "${SLURM_PROGRAM} is Slurm ${CMAKE_MATCH_1}, which refuses a plugin that is "
            "built for ${major}.${minor}. Set SLURM_INCLUDE_DIR to the directory that holds its "
            "slurm/spank.h, or build where the nodes' Slurm is installed.")
    endif()
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
    jobtrail_slurm_release(${SLURM_INCLUDE_DIR})
endif()
